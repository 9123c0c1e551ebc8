//! What another language's tests ask of this one, and a fuzzing partner.
//!
//!     tern-peer cat CONTAINER LINES              the values as lines of JSON
//!     tern-peer copy CONTAINER OUT [LEVEL]       read and write again, with the same mark
//!     tern-peer damaged LIST SCHEMA OUT          what is found in each file of a list, line by line
//!     tern-peer make SCHEMA N SEED CONTAINER LINES [LEVEL]    random values of a schema's file

use num_bigint::BigInt;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use tern::container::{Bounds, Finding, Reader, Writer};
use tern::{Body, Layout, Schema, Shape, Value, Values};

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["cat", container, lines] => cat(container, lines),
        ["copy", container, out, level @ ..] if level.len() <= 1 => copy(container, out, level.first()),
        ["damaged", list, schema, out] => damaged(list, schema, out),
        ["make", schema, count, seed, container, lines, level @ ..] if level.len() <= 1 => {
            make(schema, count, seed, container, lines, level.first())
        }
        _ => {
            eprintln!("tern-peer: expected cat CONTAINER LINES, copy CONTAINER OUT [LEVEL], damaged LIST SCHEMA OUT, or make SCHEMA N SEED CONTAINER LINES [LEVEL]");
            return 2.into();
        }
    };
    match outcome {
        Ok(()) => 0.into(),
        Err(error) => {
            eprintln!("tern-peer: {error}");
            1.into()
        }
    }
}

type Done = Result<(), Box<dyn Error>>;

fn all(container: &str) -> Result<(Layout, [u8; 8], Vec<Value>), Box<dyn Error>> {
    let reader = Reader::new(File::open(container)?)?;
    let (layout, mark) = (reader.layout().clone(), reader.mark());
    let mut values = vec![];
    for finding in reader.values()? {
        match finding {
            Finding::Elements(_, some) => values.extend(some),
            Finding::Fault(fault) => return Err(fault.to_string().into()),
            Finding::Loss(loss) => return Err(loss.to_string().into()),
        }
    }
    Ok((layout, mark, values))
}

fn show(layout: &Layout, values: &[Value], lines: &str) -> Done {
    let mut out = BufWriter::new(File::create(lines)?);
    for value in values {
        writeln!(out, "{}", Values(layout).json(value))?;
    }
    out.flush()?;
    Ok(())
}

fn write(layout: &Layout, mark: [u8; 8], values: &[Value], out: &str, level: Option<&&str>) -> Done {
    let level = level.map(|level| level.parse()).transpose()?;
    let mut writer = Writer::new(BufWriter::new(File::create(out)?), layout, mark, level)?;
    for value in values {
        writer.put_value(value)?;
    }
    writer.finish()?;
    Ok(())
}

fn cat(container: &str, lines: &str) -> Done {
    let (layout, _, values) = all(container)?;
    show(&layout, &values, lines)
}

fn copy(container: &str, out: &str, level: Option<&&str>) -> Done {
    let (layout, mark, values) = all(container)?;
    write(&layout, mark, &values, out, level)
}

/// A line of the list is a path, how many bytes are kept back, and perhaps a part's two offsets.
fn damaged(list: &str, schema: &str, out: &str) -> Done {
    let schema = Schema::parse(&fs::read_to_string(schema)?)?;
    let layout = Layout::new(schema.clone());
    let mut out = BufWriter::new(File::create(out)?);
    for line in fs::read_to_string(list)?.lines() {
        writeln!(out, "file {line}")?;
        let words: Vec<&str> = line.split(' ').collect();
        let bounds = Bounds { max_held: words[1].parse()?, ..Bounds::default() };
        let (file, known) = (File::open(words[0])?, Some(schema.clone()));
        let reader = match words[2..] {
            [from, to] => Reader::part(file, known, (from.parse()?, to.parse()?), bounds)?,
            _ => Reader::with(file, known, None, bounds)?,
        };
        for finding in reader.values()? {
            match finding {
                Finding::Elements(first, values) => {
                    for (number, value) in (first..).zip(&values) {
                        writeln!(out, "element {number} {}", Values(&layout).json(value))?;
                    }
                }
                Finding::Fault(fault) => writeln!(out, "fault {} {} {}", fault.element, fault.block, fault.at)?,
                Finding::Loss(loss) => {
                    let known =
                        loss.missing.map_or(String::new(), |(blocks, elements)| format!(" {blocks} {elements}"));
                    writeln!(out, "loss {} {}{known}", loss.from, loss.to)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn make(schema: &str, count: &str, seed: &str, container: &str, lines: &str, level: Option<&&str>) -> Done {
    let layout = Layout::new(Schema::parse(&fs::read_to_string(schema)?)?);
    let mut random = Random { state: seed.parse()? };
    let values: Vec<Value> =
        (0..count.parse::<usize>()?).map(|_| random.value(&layout, &layout.schema().root, 0)).collect();
    write(&layout, *b"paradise", &values, container, level)?;
    // As they are read: a map's pairs are in order there.
    cat(container, lines)
}

/// Numbers that look random: splitmix64.
struct Random {
    state: u64,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn integer(&mut self, low: &Option<BigInt>, high: &Option<BigInt>) -> BigInt {
        let mut number = BigInt::from(self.next()) << self.below(200);
        number >>= [0, 8, 57, 64, 120, 180, 240, 255][self.below(8)];
        if self.next() & 1 == 0 {
            number = -number;
        }
        match (low, high) {
            (Some(low), Some(high)) => match self.below(10) {
                0 => low.clone(),
                1 => high.clone(),
                _ => {
                    let span: BigInt = high - low + 1;
                    low + ((number % &span) + &span) % &span
                }
            },
            (Some(low), None) if number < *low => 2 * low - number,
            (None, Some(high)) if number > *high => 2 * high - number,
            _ => number,
        }
    }

    fn character(&mut self) -> char {
        let code = match self.below(4) {
            0 => self.below(0x11_0000),
            1 => self.below(0x800),
            _ => self.below(0x80),
        };
        char::from_u32(code as u32).unwrap_or('\u{fffd}')
    }

    fn text(&mut self) -> String {
        (0..self.below(9)).map(|_| self.character()).collect()
    }

    /// A value of the shape as one of the format.
    fn formatted(&mut self, name: &str, native: Value) -> Value {
        match (name, native) {
            ("decimal", Value::Tuple(parts)) => {
                let Value::Integer(mut digits) = parts[0].clone() else { return Value::Tuple(parts) };
                let zero = BigInt::ZERO;
                while digits != zero && &digits % 10 == zero {
                    digits /= 10;
                }
                let power = if digits == zero { 0 } else { self.below(600) as i64 - 300 };
                Value::Tuple(vec![Value::Integer(digits), Value::Integer(power.into())])
            }
            // JSON says seconds, of which a leap second is the next one.
            ("system-time", Value::Tuple(parts)) => match &parts[1] {
                Value::Integer(nanos) => Value::Tuple(vec![parts[0].clone(), Value::Integer(nanos % 1_000_000_000)]),
                _ => Value::Tuple(parts),
            },
            (_, other) => other,
        }
    }

    fn value(&mut self, layout: &Layout, shape: &Shape, depth: usize) -> Value {
        let inside = |random: &mut Random, one: &Shape| random.value(layout, one, depth + 1);
        match shape {
            Shape::Boolean => Value::Boolean(self.next() & 1 == 1),
            Shape::Integer(low, high, _) => Value::Integer(self.integer(low, high)),
            Shape::Float(32) => {
                let number = f32::from_bits(self.next() as u32);
                Value::Single(if number.is_nan() { f32::INFINITY } else { number })
            }
            Shape::Float(_) => {
                let number = f64::from_bits(self.next());
                Value::Real(match self.below(3) {
                    0 if !number.is_nan() => number,
                    1 => self.below(1000) as f64 / 8.0,
                    _ => -0.0,
                })
            }
            Shape::Text => Value::Text(self.text()),
            Shape::Anything => Value::Text("{\"a\":[1.50,null]}".into()),
            Shape::Character => Value::Character(self.character()),
            Shape::Bytes => Value::Bytes((0..self.below(30)).map(|_| self.next() as u8).collect()),
            Shape::BytesOf(size) => Value::Bytes((0..*size).map(|_| self.next() as u8).collect()),
            Shape::Formatted(_, name, native) => {
                let value = inside(self, native);
                self.formatted(name, value)
            }
            Shape::Set(one) => {
                // Two lists of the same elements may be one set.
                let schema = Schema { root: shape.clone(), definitions: layout.schema().definitions.clone() };
                let (of_sets, mut all) = (Layout::new(schema), vec![]);
                for _ in 0..if depth < 6 { self.below(5) } else { 0 } {
                    all.push(inside(self, one));
                    if Values(&of_sets).encode_into(&mut vec![], &Value::Set(all.clone())).is_err() {
                        all.pop();
                    }
                }
                Value::Set(all)
            }
            Shape::Unit | Shape::Opaque(_) => Value::Unit,
            Shape::Optional(one) => {
                let there = depth < 8 && self.next() & 1 == 1;
                Value::Optional(there.then(|| Box::new(inside(self, one))))
            }
            Shape::List(least, one) => {
                let size = *least as usize + if depth < 6 { self.below(5) } else { 0 };
                Value::List((0..size).map(|_| inside(self, one)).collect())
            }
            Shape::Map(key, value) => {
                let mut pairs: Vec<(Value, Value)> = vec![];
                for _ in 0..if depth < 6 { self.below(5) } else { 0 } {
                    let found = inside(self, key);
                    if !pairs.iter().any(|(one, _)| *one == found) {
                        pairs.push((found, inside(self, value)));
                    }
                }
                Value::Map(pairs)
            }
            Shape::Tuple(all) => Value::Tuple(all.iter().map(|one| inside(self, one)).collect()),
            Shape::Declared(number) => {
                let constructors = layout.schema().definitions[*number].constructors();
                let least = |body: &Body| body.shapes().len();
                let index = match depth {
                    0..=6 => self.below(constructors.len()),
                    _ => (0..constructors.len()).min_by_key(|index| least(constructors[*index].1)).unwrap_or(0),
                };
                Value::Declared(
                    index,
                    constructors[index].1.shapes().into_iter().map(|one| inside(self, one)).collect(),
                )
            }
        }
    }
}
