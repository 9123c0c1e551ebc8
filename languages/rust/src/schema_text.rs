//! Schemas as text: the grammar of `docs/spec/schema.md`, rules 1 to 5. A text is taken only if
//! it is what would be written of the schema that it gives.

use crate::error::{Error, Result};
use crate::schema::*;
use num_bigint::BigInt;
use std::fmt::Write;

/// Levels of expressions within each other.
pub(crate) const MAX_DEPTH: usize = 512;
const MAX_DIGITS: usize = 4096;

const CONTROLS: [&str; 32] = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v", "f", "r", "SO", "SI", "DLE", "DC1",
    "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
];

/// A string in double quotes, as Haskell shows it.
pub fn quote(string: &str) -> String {
    let mut out = String::from("\"");
    let (mut after_number, mut after_so) = (false, false);
    for one in string.chars() {
        if (after_number && one.is_ascii_digit()) || (after_so && one == 'H') {
            out.push_str("\\&");
        }
        (after_number, after_so) = (one as u32 > 127, one == '\u{e}');
        match one {
            '"' | '\\' => out.extend(['\\', one]),
            '\u{7f}' => out.push_str("\\DEL"),
            _ if (one as u32) < 32 => {
                out.push('\\');
                out.push_str(CONTROLS[one as usize]);
            }
            _ if one.is_ascii() => out.push(one),
            _ => write!(out, "\\{}", one as u32).expect("a string takes all"),
        }
    }
    out.push('"');
    out
}

// --- rendering ---------------------------------------------------------------------

pub fn render(schema: &Schema) -> String {
    let mut out = String::new();
    let labels = Labels(&schema.definitions);
    labels.shape(&mut out, &schema.root);
    for one in &schema.definitions {
        out.push('\n');
        out.push_str(&one.label);
        out.push_str(" = ");
        labels.form(&mut out, &one.form);
    }
    out
}

struct Labels<'a>(&'a [Definition]);

impl Labels<'_> {
    fn shape(&self, out: &mut String, shape: &Shape) {
        match shape {
            Shape::Boolean => out.push_str("boolean"),
            Shape::Integer(None, None, _) => out.push_str("integer"),
            Shape::Integer(low, high, size) => {
                out.push_str("integer ");
                if let Some(low) = low {
                    out.push_str(&low.to_string());
                }
                out.push_str("..");
                if let Some(high) = high {
                    out.push_str(&high.to_string());
                }
                out.push_str(match size {
                    Size::Least => "",
                    Size::Four => " in 4 bytes",
                    Size::Eight => " in 8 bytes",
                });
            }
            Shape::Float(bits) => out.push_str(if *bits == 32 { "float 32" } else { "float 64" }),
            Shape::Text => out.push_str("text"),
            Shape::Character => out.push_str("character"),
            Shape::Unit => out.push_str("unit"),
            Shape::Anything => out.push_str("anything"),
            Shape::Bytes => out.push_str("bytes"),
            Shape::BytesOf(size) => write!(out, "bytes {size}").expect("a string takes all"),
            Shape::Formatted(notation, name, native) => {
                out.push_str(if *notation == Notation::Text { "text " } else { "number " });
                out.push_str(&quote(name));
                out.push_str(" as ");
                self.atom(out, native);
            }
            Shape::Set(one) => {
                out.push_str("set ");
                self.atom(out, one);
            }
            Shape::Opaque(name) => {
                out.push_str("opaque ");
                out.push_str(&quote(name));
            }
            Shape::List(least, one) => {
                out.push('[');
                self.shape(out, one);
                if *least > 0 {
                    write!(out, "; {least} or more").expect("a string takes all");
                }
                out.push(']');
            }
            Shape::Optional(one) => {
                self.atom(out, one);
                out.push('?');
            }
            Shape::Map(key, value) => {
                out.push_str("map ");
                self.atom(out, key);
                out.push(' ');
                self.atom(out, value);
            }
            Shape::Tuple(all) => self.row(out, all),
            Shape::Declared(number) => out.push_str(&self.0[*number].label),
        }
    }

    fn atom(&self, out: &mut String, shape: &Shape) {
        let mut text = String::new();
        self.shape(&mut text, shape);
        if text.contains(' ') && !text.starts_with(['(', '[', '{']) {
            text = format!("({text})");
        }
        out.push_str(&text);
    }

    fn row(&self, out: &mut String, all: &[Shape]) {
        out.push('(');
        for (index, one) in all.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.shape(out, one);
        }
        out.push(')');
    }

    fn body(&self, out: &mut String, body: &Body) {
        match body {
            Body::Nothing => out.push_str("()"),
            Body::Value(one) => self.shape(out, one),
            Body::Values(all) => self.row(out, all),
            Body::Fields(fields) => {
                out.push('{');
                for (index, field) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(&quote(&field.name));
                    out.push_str(if field.may_be_absent { "?: " } else { ": " });
                    self.shape(out, &field.shape);
                }
                out.push('}');
            }
        }
    }

    fn form(&self, out: &mut String, form: &Form) {
        match form {
            Form::Single(body) => self.body(out, body),
            Form::Names(names) => {
                let shown: Vec<String> = names.iter().map(|name| quote(name)).collect();
                out.push_str(&shown.join(" | "));
            }
            Form::Alternatives(layout, all) => {
                match layout {
                    Layout::Tagged(tag, contents) => {
                        out.push_str(&format!("tagged {} {}", quote(tag), quote(contents)));
                    }
                    Layout::SingleField => out.push_str("single field"),
                    Layout::TwoElements => out.push_str("two elements"),
                    Layout::Untagged => out.push_str("untagged"),
                }
                for (name, body) in all {
                    out.push_str("\n  | ");
                    out.push_str(&quote(name));
                    if *body != Body::Nothing {
                        out.push(' ');
                        self.body(out, body);
                    }
                }
            }
        }
    }
}

// --- parsing -----------------------------------------------------------------------

pub fn parse(text: &str) -> Result<Schema> {
    let mut labels = vec![];
    let mut at = 0;
    while let Some(found) = text[at..].find('\n') {
        at += found + 1;
        if text[at..].starts_with([' ', '\n']) || at == text.len() {
            continue;
        }
        let line = text[at..].split('\n').next().unwrap_or_default();
        match line.find(" = ") {
            Some(middle) if !labels.iter().any(|(label, _)| *label == &line[..middle]) => {
                labels.push((&line[..middle], labels.len()));
            }
            Some(_) => return Err(Error::at(at, "two definitions have the same name")),
            None => return Err(Error::at(at, "expected a definition, as: Name = ...")),
        }
    }
    let mut by_length = labels.clone();
    by_length.sort_by_key(|(label, _)| std::cmp::Reverse(label.len()));
    let mut parser = Parser { text, at: 0, labels: by_length };
    let root = parser.shape(0, false)?;
    let mut definitions = vec![];
    for (label, _) in &labels {
        parser.token("\n")?;
        parser.token(label)?;
        parser.token(" = ")?;
        let form = parser.form()?;
        definitions.push(Definition { label: label.to_string(), form });
    }
    if parser.at != text.len() {
        return Err(parser.fail("the end of the line"));
    }
    let schema = Schema { root, definitions }.checked()?;
    let again = render(&schema);
    if again != text {
        let differs = again.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        return Err(Error::at(differs, "a schema is written in one way only, and this is not it"));
    }
    Ok(schema)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    labels: Vec<(&'a str, usize)>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fail(&self, wanted: &str) -> Error {
        let found: String = self.rest().chars().take(20).collect();
        let found = if found.is_empty() { "the end".into() } else { quote(&found) };
        Error::at(self.at, format!("expected {wanted}, found {found}"))
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn token(&mut self, wanted: &str) -> Result<()> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.fail(&quote(wanted)))
        }
    }

    fn shape(&mut self, depth: usize, atom: bool) -> Result<Shape> {
        if depth > MAX_DEPTH {
            return Err(Error::at(self.at, format!("more than {MAX_DEPTH} levels within each other")));
        }
        let (mut shape, spaced) = self.primary(depth, atom)?;
        let mut levels = depth;
        while !spaced && self.eat("?") {
            levels += 1;
            if levels > MAX_DEPTH {
                return Err(Error::at(self.at, format!("more than {MAX_DEPTH} levels within each other")));
            }
            shape = Shape::Optional(Box::new(shape));
        }
        Ok(shape)
    }

    /// What stands before a question mark, and whether none may follow.
    fn primary(&mut self, depth: usize, atom: bool) -> Result<(Shape, bool)> {
        if self.rest().starts_with('(') {
            let mut all = self.row(depth + 1)?;
            let bracketed = all.len() == 1 && (atom || self.rest().starts_with('?'));
            return Ok((if bracketed { all.remove(0) } else { Shape::Tuple(all) }, false));
        }
        if self.eat("[") {
            let one = Box::new(self.shape(depth + 1, false)?);
            let mut least = 0;
            if self.eat("; ") {
                let digits = self.digits();
                least = digits.parse().map_err(|_| self.fail("a number of elements"))?;
                self.token(" or more")?;
            }
            self.token("]")?;
            return Ok((Shape::List(least, one), false));
        }
        let rest = &self.text[self.at..];
        let known = self.labels.iter().find(|(label, _)| {
            rest.starts_with(label) && rest[label.len()..].chars().next().is_none_or(|next| "\n ?,;)]}".contains(next))
        });
        if let Some((label, number)) = known.copied() {
            self.at += label.len();
            return Ok((Shape::Declared(number), label.contains(' ')));
        }
        for (word, notation) in [("text ", Notation::Text), ("number ", Notation::Number)] {
            if self.rest().strip_prefix(word).is_some_and(|rest| rest.starts_with('"')) {
                self.at += word.len();
                let name = self.string()?;
                self.token(" as ")?;
                let native = Box::new(self.shape(depth + 1, true)?);
                return Ok((Shape::Formatted(notation, name, native), true));
            }
        }
        if self.eat("bytes") {
            let sized = self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            if !(sized && self.eat(" ")) {
                return Ok((Shape::Bytes, false));
            }
            let size = self.digits().parse::<i64>().map_err(|_| self.fail("a number of bytes"))?;
            return Ok((Shape::BytesOf(size as u64), true));
        }
        if self.eat("set ") {
            return Ok((Shape::Set(Box::new(self.shape(depth + 1, true)?)), true));
        }
        for (word, shape) in [
            ("boolean", Shape::Boolean),
            ("text", Shape::Text),
            ("character", Shape::Character),
            ("unit", Shape::Unit),
            ("anything", Shape::Anything),
        ] {
            if self.eat(word) {
                return Ok((shape, false));
            }
        }
        if self.eat("float 32") {
            return Ok((Shape::Float(32), true));
        }
        if self.eat("float 64") {
            return Ok((Shape::Float(64), true));
        }
        if self.eat("opaque ") {
            return Ok((Shape::Opaque(self.string()?), true));
        }
        if self.eat("map ") {
            let key = Box::new(self.shape(depth + 1, true)?);
            self.token(" ")?;
            return Ok((Shape::Map(key, Box::new(self.shape(depth + 1, true)?)), true));
        }
        if self.eat("integer") {
            let next = self.rest().as_bytes();
            let bounded = next.first() == Some(&b' ')
                && next.get(1).is_some_and(|one| one.is_ascii_digit() || *one == b'-' || *one == b'.');
            if !bounded {
                return Ok((Shape::Integer(None, None, Size::Least), false));
            }
            self.at += 1;
            let low = self.bound()?;
            self.token("..")?;
            let high = self.bound()?;
            let size = match (&low, &high) {
                (Some(_), Some(_)) if self.eat(" in 4 bytes") => Size::Four,
                (Some(_), Some(_)) if self.eat(" in 8 bytes") => Size::Eight,
                _ => Size::Least,
            };
            return Ok((Shape::Integer(low, high, size), true));
        }
        Err(self.fail("an expression or the name of a type that is defined"))
    }

    fn digits(&mut self) -> String {
        let found: String = self.rest().chars().take_while(char::is_ascii_digit).take(MAX_DIGITS + 1).collect();
        self.at += found.len();
        found
    }

    fn bound(&mut self) -> Result<Option<BigInt>> {
        let minus = self.eat("-");
        let digits = self.digits();
        if digits.len() > MAX_DIGITS {
            return Err(Error::at(self.at, format!("a number of more than {MAX_DIGITS} digits")));
        }
        match digits.parse::<BigInt>() {
            Ok(number) => Ok(Some(if minus { -number } else { number })),
            Err(_) if !minus => Ok(None),
            Err(_) => Err(self.fail("digits")),
        }
    }

    fn row(&mut self, depth: usize) -> Result<Vec<Shape>> {
        self.token("(")?;
        let mut all = vec![];
        while !self.eat(")") {
            if !all.is_empty() {
                self.token(", ")?;
            }
            all.push(self.shape(depth, false)?);
        }
        Ok(all)
    }

    fn string(&mut self) -> Result<String> {
        self.token("\"")?;
        let mut out = String::new();
        loop {
            let Some(one) = self.rest().chars().next().filter(|one| *one != '\n') else {
                return Err(self.fail("the string's end"));
            };
            self.at += one.len_utf8();
            match one {
                '"' => return Ok(out),
                '\\' => out.extend(self.escape()?),
                _ => out.push(one),
            }
        }
    }

    fn escape(&mut self) -> Result<Option<char>> {
        if self.eat("&") {
            return Ok(None);
        }
        if self.eat("\"") {
            return Ok(Some('"'));
        }
        if self.eat("\\") {
            return Ok(Some('\\'));
        }
        if self.eat("DEL") {
            return Ok(Some('\u{7f}'));
        }
        // The longest name first: SOH before SO.
        let mut names: Vec<(usize, &str)> = CONTROLS.into_iter().enumerate().collect();
        names.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
        for (code, name) in names {
            if self.eat(name) {
                return Ok(char::from_u32(code as u32));
            }
        }
        let start = self.at;
        let code = self.digits().parse().ok().and_then(char::from_u32);
        code.map(Some).ok_or_else(|| Error::at(start, "expected an escape"))
    }

    fn form(&mut self) -> Result<Form> {
        if self.rest().starts_with('"') {
            let mut names = vec![self.string()?];
            while self.eat(" | ") {
                names.push(self.string()?);
            }
            return Ok(Form::Names(names));
        }
        let layout = if self.eat("tagged ") {
            let tag = self.string()?;
            self.token(" ")?;
            Layout::Tagged(tag, self.string()?)
        } else if self.eat("single field") {
            Layout::SingleField
        } else if self.eat("two elements") {
            Layout::TwoElements
        } else if self.eat("untagged") {
            Layout::Untagged
        } else {
            return Ok(Form::Single(self.body(true)?));
        };
        let mut all = vec![];
        while self.eat("\n  | ") {
            let name = self.string()?;
            let body = if self.eat(" ") { self.body(false)? } else { Body::Nothing };
            all.push((name, body));
        }
        Ok(Form::Alternatives(layout, all))
    }

    fn body(&mut self, alone: bool) -> Result<Body> {
        if alone && self.rest().starts_with("()") && !self.rest().starts_with("()?") {
            self.at += 2;
            return Ok(Body::Nothing);
        }
        if self.eat("{") {
            let mut fields = vec![];
            while !self.eat("}") {
                if !fields.is_empty() {
                    self.token(", ")?;
                }
                let name = self.string()?;
                let may_be_absent = self.eat("?");
                self.token(": ")?;
                fields.push(Field { name, may_be_absent, shape: self.shape(0, false)? });
            }
            return Ok(Body::Fields(fields));
        }
        Ok(match self.shape(0, false)? {
            Shape::Tuple(all) => Body::Values(all),
            one => Body::Value(one),
        })
    }
}
