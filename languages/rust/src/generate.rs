//! Rust types of a schema: what a reader or writer of its values declares.

use crate::format::Format;
use crate::schema::*;
use num_bigint::BigInt;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// The source of a module with a type for each declared type of a schema, and `Root` for its
/// expression.
///
/// ```
/// let schema = tern::Schema::parse("Bird\nBird = {\"species\": text, \"type\": integer 0..255}").unwrap();
/// let source = tern::generate::module(&schema);
/// assert!(source.contains("pub species: String,"));
/// assert!(source.contains("pub r#type: u8,"));
/// ```
pub fn module(schema: &Schema) -> String {
    let mut maker = Maker { schema, names: vec![], unordered: BTreeSet::new() };
    maker.name_types();
    let mut out = String::from("use serde::{Deserialize, Serialize};\n\n");
    let root = maker.shape(&schema.root, None);
    writeln!(out, "pub type Root = {root};").expect("a string takes all");
    for number in 0..schema.definitions.len() {
        maker.definition(&mut out, number);
    }
    out
}

struct Maker<'a> {
    schema: &'a Schema,
    names: Vec<String>,
    /// Types that cannot be compared, because they hold reals.
    unordered: BTreeSet<usize>,
}

const WORDS: &[&str] = &[
    "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern",
    "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut",
    "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe",
    "unsized", "use", "virtual", "where", "while", "yield", "abstract",
];

fn identifier(name: &str, taken: &mut HashSet<String>, capital: bool) -> String {
    let mut out: String = name.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect();
    if !capital {
        // speciesName as species_name
        let mut snake = String::new();
        for one in out.chars() {
            if one.is_ascii_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            snake.push(one.to_ascii_lowercase());
        }
        out = snake;
    } else if let Some(first) = out.get(..1) {
        out = first.to_ascii_uppercase() + &out[1..];
    }
    if out.is_empty() || out.starts_with(|one: char| one.is_ascii_digit()) || out.chars().all(|one| one == '_') {
        out = format!("{}{out}", if capital { "T" } else { "f" });
    }
    if matches!(out.as_str(), "self" | "super" | "crate" | "Self" | "static") {
        out.push('_');
    }
    while !taken.insert(out.clone()) {
        out.push('_');
    }
    if WORDS.contains(&out.as_str()) {
        out = format!("r#{out}");
    }
    out
}

impl Maker<'_> {
    fn name_types(&mut self) {
        let reserved = ["Root", "Option", "Vec", "String", "Box", "Serialize", "Deserialize"];
        let mut taken: HashSet<String> = reserved.into_iter().map(str::to_string).collect();
        for one in &self.schema.definitions {
            self.names.push(identifier(&one.label, &mut taken, true));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (number, one) in self.schema.definitions.iter().enumerate() {
                let shapes = one.constructors().into_iter().flat_map(|(_, body)| body.shapes()).collect::<Vec<_>>();
                if !self.unordered.contains(&number) && shapes.iter().any(|shape| self.is_unordered(shape)) {
                    self.unordered.insert(number);
                    changed = true;
                }
            }
        }
    }

    fn is_unordered(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Float(_) => true,
            Shape::List(_, one) | Shape::Optional(one) | Shape::Set(one) => self.is_unordered(one),
            Shape::Formatted(notation, name, native) => {
                Format::of(*notation, name, native).is_none() && self.is_unordered(native)
            }
            Shape::Map(key, value) => self.is_unordered(key) || self.is_unordered(value),
            Shape::Tuple(all) => all.iter().any(|one| self.is_unordered(one)),
            Shape::Declared(number) => self.unordered.contains(number),
            _ => false,
        }
    }

    /// A type of Rust. One that is right within the type that is being declared goes into a box.
    fn shape(&self, shape: &Shape, owner: Option<usize>) -> String {
        match shape {
            Shape::Boolean => "bool".into(),
            Shape::Integer(low, high, _) => integer(low, high).into(),
            Shape::Float(32) => "f32".into(),
            Shape::Float(_) => "f64".into(),
            Shape::Text | Shape::Anything => "String".into(),
            Shape::Character => "char".into(),
            Shape::Unit => "()".into(),
            Shape::Bytes => "Vec<u8>".into(),
            // Serde knows arrays of up to 32.
            Shape::BytesOf(size) if *size <= 32 => format!("[u8; {size}]"),
            Shape::BytesOf(_) => "Vec<u8>".into(),
            Shape::Formatted(notation, name, native) => match Format::of(*notation, name, native) {
                None | Some(Format::Base16 | Format::Base64Url) => self.shape(native, owner),
                Some(_) => "String".into(),
            },
            Shape::Set(one) if self.is_unordered(one) => format!("Vec<{}>", self.shape(one, None)),
            Shape::Set(one) => format!("std::collections::BTreeSet<{}>", self.shape(one, None)),
            Shape::Opaque(name) => format!("compile_error!({:?})", format!("no type is known of the codec {name}")),
            Shape::List(_, one) => format!("Vec<{}>", self.shape(one, None)),
            Shape::Optional(one) => format!("Option<{}>", self.shape(one, owner)),
            Shape::Map(key, value) if self.is_unordered(key) => {
                format!("Vec<({}, {})>", self.shape(key, None), self.shape(value, None))
            }
            Shape::Map(key, value) => {
                format!("std::collections::BTreeMap<{}, {}>", self.shape(key, None), self.shape(value, None))
            }
            Shape::Tuple(all) => {
                let inside: Vec<String> = all.iter().map(|one| self.shape(one, owner)).collect();
                match inside.len() {
                    1 => format!("({},)", inside[0]),
                    _ => format!("({})", inside.join(", ")),
                }
            }
            Shape::Declared(number) => match owner {
                Some(owner) if self.reaches(*number, owner) => format!("Box<{}>", self.names[*number]),
                _ => self.names[*number].clone(),
            },
        }
    }

    /// Is a type within another one, with nothing between that has a size of its own?
    fn reaches(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
        while let Some(number) = waiting.pop() {
            if number == to {
                return true;
            }
            if seen.insert(number) {
                let definition = &self.schema.definitions[number];
                for shape in definition.constructors().into_iter().flat_map(|(_, body)| body.shapes()) {
                    direct(shape, &mut waiting);
                }
            }
        }
        false
    }

    fn definition(&self, out: &mut String, number: usize) {
        let ordered = if self.unordered.contains(&number) { "" } else { ", Eq, PartialOrd, Ord" };
        let name = &self.names[number];
        let mut put = |text: String| out.push_str(&text);
        put(format!("\n#[derive(Debug, Clone, PartialEq{ordered}, Serialize, Deserialize)]\n"));
        match &self.schema.definitions[number].form {
            Form::Single(body) => match body {
                Body::Nothing => put(format!("pub struct {name};\n")),
                Body::Value(one) => put(format!("pub struct {name}(pub {});\n", self.shape(one, Some(number)))),
                Body::Values(all) => {
                    let inside: Vec<String> =
                        all.iter().map(|one| format!("pub {}", self.shape(one, Some(number)))).collect();
                    put(format!("pub struct {name}({});\n", inside.join(", ")));
                }
                Body::Fields(fields) => {
                    put(format!("pub struct {name} {{\n{}}}\n", self.fields(fields, number, "    ", "pub ")))
                }
            },
            Form::Names(names) => {
                let all: Vec<(String, Body)> = names.iter().map(|one| (one.clone(), Body::Nothing)).collect();
                put(self.variants(name, &all, number));
            }
            Form::Alternatives(_, all) => put(self.variants(name, all, number)),
        }
    }

    fn fields(&self, fields: &[Field], owner: usize, indent: &str, public: &str) -> String {
        let (mut out, mut taken) = (String::new(), HashSet::new());
        for field in fields {
            let name = identifier(&field.name, &mut taken, false);
            if name.trim_start_matches("r#") != field.name {
                writeln!(out, "{indent}#[serde(rename = {:?})]", field.name).expect("a string takes all");
            }
            writeln!(out, "{indent}{public}{name}: {},", self.shape(&field.shape, Some(owner)))
                .expect("a string takes all");
        }
        out
    }

    fn variants(&self, name: &str, all: &[(String, Body)], owner: usize) -> String {
        let (mut out, mut taken) = (format!("pub enum {name} {{\n"), HashSet::new());
        for (constructor, body) in all {
            let name = identifier(constructor, &mut taken, true);
            if name != *constructor {
                writeln!(out, "    #[serde(rename = {constructor:?})]").expect("a string takes all");
            }
            let inside = match body {
                Body::Nothing => String::new(),
                Body::Value(one) => format!("({})", self.shape(one, Some(owner))),
                Body::Values(parts) => {
                    let parts: Vec<String> = parts.iter().map(|one| self.shape(one, Some(owner))).collect();
                    format!("({})", parts.join(", "))
                }
                Body::Fields(fields) => format!(" {{\n{}    }}", self.fields(fields, owner, "        ", "")),
            };
            writeln!(out, "    {name}{inside},").expect("a string takes all");
        }
        out.push_str("}\n");
        out
    }
}

fn direct(shape: &Shape, found: &mut Vec<usize>) {
    match shape {
        Shape::Declared(number) => found.push(*number),
        Shape::Optional(one) | Shape::Formatted(_, _, one) => direct(one, found),
        Shape::Tuple(all) => all.iter().for_each(|one| direct(one, found)),
        _ => {}
    }
}

/// The smallest type of Rust that holds all integers between two bounds.
fn integer(low: &Option<BigInt>, high: &Option<BigInt>) -> &'static str {
    let (Some(low), Some(high)) = (low, high) else { return "tern::Integer" };
    let within = |least: i128, most: i128| *low >= BigInt::from(least) && *high <= BigInt::from(most);
    if within(0, 0xff) {
        "u8"
    } else if within(0, 0xffff) {
        "u16"
    } else if within(0, u32::MAX.into()) {
        "u32"
    } else if within(0, u64::MAX.into()) {
        "u64"
    } else if within(-0x80, 0x7f) {
        "i8"
    } else if within(-0x8000, 0x7fff) {
        "i16"
    } else if within(i32::MIN.into(), i32::MAX.into()) {
        "i32"
    } else if within(i64::MIN.into(), i64::MAX.into()) {
        "i64"
    } else {
        "tern::Integer"
    }
}
