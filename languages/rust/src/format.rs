//! The formats of `docs/spec/schema.md`, rule 13: the texts, and the numbers of JSON, that stand for
//! values of other shapes.

use crate::number_text::{self, put_number};
use crate::schema::{Notation, Shape, Size};
use crate::value::Value;
use num_bigint::BigInt;

/// A format that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    Base16,
    Base64Url,
    Uuid,
    Date,
    Time,
    Local,
    Utc,
    Zoned,
    /// Parts of a year, of which there are so many.
    OfYear(i64),
    /// Names, by their places.
    Named(&'static [&'static str]),
    Decimal,
    /// So many parts of one.
    Units(BigInt),
    SystemTime,
}

const FIRST_DAY: i64 = -365_243_178_575;
const LAST_DAY: i64 = 365_241_821_058;
const MOST_YEARS: i64 = 999_999_999;
const PICOS: i64 = 1_000_000_000_000;
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const QUARTERS: &[&str] = &["q1", "q2", "q3", "q4"];

fn range(low: i64, high: i64) -> Shape {
    Shape::Integer(Some(low.into()), Some(high.into()), Size::Least)
}

pub(crate) fn day() -> Shape {
    range(FIRST_DAY, LAST_DAY)
}

fn time() -> Shape {
    Shape::Tuple(vec![range(0, 23), range(0, 59), range(0, 61 * PICOS - 1)])
}

pub(crate) fn local() -> Shape {
    Shape::Tuple(vec![day(), time()])
}

/// A time at UTC.
pub(crate) fn moment() -> Shape {
    Shape::Tuple(vec![day(), range(0, 86401 * PICOS - 1)])
}

impl Format {
    /// What a name and a shape say together, where it is known.
    pub fn of(notation: Notation, name: &str, native: &Shape) -> Option<Format> {
        let years = |parts: i64| range(-MOST_YEARS * parts, MOST_YEARS * parts + parts - 1);
        let integer = Shape::Integer(None, None, Size::Least);
        let (format, shape) = match (notation, name) {
            (Notation::Text, "base16") => (Format::Base16, Shape::Bytes),
            (Notation::Text, "base64url") => (Format::Base64Url, Shape::Bytes),
            (Notation::Text, "uuid") => (Format::Uuid, Shape::BytesOf(16)),
            (Notation::Text, "date") => (Format::Date, day()),
            (Notation::Text, "time-local") => (Format::Time, time()),
            (Notation::Text, "date-time-local") => (Format::Local, local()),
            (Notation::Text, "date-time") => {
                let zoned = Shape::Tuple(vec![local(), range(-1439, 1439)]);
                if *native == zoned {
                    return Some(Format::Zoned);
                }
                (Format::Utc, moment())
            }
            (Notation::Text, "month") => (Format::OfYear(12), years(12)),
            (Notation::Text, "quarter") => (Format::OfYear(4), years(4)),
            (Notation::Text, "weekday") => (Format::Named(WEEKDAYS), range(0, 6)),
            (Notation::Text, "quarter-of-year") => (Format::Named(QUARTERS), range(0, 3)),
            (Notation::Number, "decimal") => (Format::Decimal, Shape::Tuple(vec![integer, range(i64::MIN, i64::MAX)])),
            (Notation::Number, "seconds") => (Format::Units(PICOS.into()), integer),
            (Notation::Number, "system-time") => {
                (Format::SystemTime, Shape::Tuple(vec![range(i64::MIN, i64::MAX), range(0, u32::MAX.into())]))
            }
            (Notation::Number, _) => {
                let units = name.strip_prefix("fixed-")?;
                if units.len() > 401 || units.starts_with('0') || !units.bytes().all(|one| one.is_ascii_digit()) {
                    return None;
                }
                (Format::Units(units.parse().ok()?), integer)
            }
            _ => return None,
        };
        (*native == shape).then_some(format)
    }

    /// Why a value of the shape is none of the format.
    pub fn refused(&self, native: &Value) -> Option<&'static str> {
        let (Format::Decimal, Value::Tuple(parts)) = (self, native) else { return None };
        let [Value::Integer(digits), Value::Integer(power)] = parts.as_slice() else { return None };
        let zero = BigInt::ZERO;
        let plain = if *digits == zero { *power == zero } else { digits % 10 != zero };
        (!plain).then_some("expected a number without zeros at the end of its digits")
    }

    /// The text of a value that the native format has: the string's, or the number's.
    pub fn show(&self, native: &Value) -> String {
        let mut out = String::new();
        self.put(native, &mut out);
        out
    }

    fn put(&self, native: &Value, out: &mut String) {
        match (self, native) {
            (Format::Base16, Value::Bytes(bytes)) => put_hex(out, bytes),
            (Format::Base64Url, Value::Bytes(bytes)) => put_base64(out, bytes, URL, false),
            (Format::Uuid, Value::Bytes(bytes)) => {
                for (index, byte) in bytes.iter().enumerate() {
                    if [4, 6, 8, 10].contains(&index) {
                        out.push('-');
                    }
                    put_hex(out, &[*byte]);
                }
            }
            (Format::Date, day) => put_day(out, int(day)),
            (Format::Time, time) => put_time(out, parts(time)),
            (Format::Local, local) => put_local(out, local),
            (Format::Utc, Value::Tuple(two)) => {
                let (day, picos) = (int(&two[0]), int(&two[1]));
                // A leap second belongs to the last minute.
                let minute = (picos / (60 * PICOS)).min(1439);
                put_day(out, day);
                out.push('T');
                put_time(out, [minute / 60, minute % 60, picos - minute * 60 * PICOS]);
                out.push('Z');
            }
            (Format::Zoned, Value::Tuple(two)) => {
                put_local(out, &two[0]);
                match int(&two[1]) {
                    0 => out.push('Z'),
                    offset => {
                        let size = offset.abs();
                        let sign = if offset < 0 { '-' } else { '+' };
                        out.push_str(&format!("{sign}{:02}:{:02}", size / 60, size % 60));
                    }
                }
            }
            (Format::OfYear(count), number) => {
                let number = int(number);
                put_year(out, number.div_euclid(*count));
                let part = number.rem_euclid(*count) + 1;
                out.push_str(&if *count == 4 { format!("-q{part}") } else { format!("-{part:02}") });
            }
            (Format::Named(names), place) => out.push_str(names[int(place) as usize]),
            (Format::Decimal, Value::Tuple(two)) => put_number(out, &big(&two[0]), int(&two[1])),
            (Format::Units(units), Value::Integer(number)) => number_text::put_units(out, number, units),
            (Format::SystemTime, Value::Tuple(two)) => {
                let nanos = BigInt::from(1_000_000_000);
                number_text::put_units(out, &(big(&two[0]) * &nanos + big(&two[1])), &nanos);
            }
            _ => {}
        }
    }

    /// The value of a text, where it is one.
    pub fn read(&self, text: &str) -> Option<Value> {
        let mut scan = Scan(text.as_bytes());
        let found = match self {
            Format::Base16 => return unhex(text).map(Value::Bytes),
            Format::Base64Url => return unbase64(text, URL).map(Value::Bytes),
            Format::Uuid => {
                let hyphens = [8, 13, 18, 23];
                let shaped = text.len() == 36
                    && text.bytes().enumerate().all(|(at, one)| (one == b'-') == hyphens.contains(&at));
                return shaped.then(|| unhex(&text.replace('-', ""))).flatten().map(Value::Bytes);
            }
            Format::Date => number(scan.day()?),
            Format::Time => tuple(&scan.time()?),
            Format::Local => scan.local()?,
            Format::Zoned => Value::Tuple(vec![scan.local()?, number(scan.zone()?)]),
            Format::Utc => {
                let day = scan.day()?;
                scan.between()?;
                let [hour, minute, picos] = scan.time()?;
                let minutes = hour * 60 + minute - scan.zone()?;
                let day = day + minutes.div_euclid(1440);
                if !(FIRST_DAY..=LAST_DAY).contains(&day) {
                    return None;
                }
                tuple(&[day, minutes.rem_euclid(1440) * 60 * PICOS + picos])
            }
            Format::OfYear(count) => {
                let year = scan.year()?;
                scan.eat(b"-")?;
                let part = if *count == 4 {
                    scan.eat(b"qQ")?;
                    scan.digits(1)?
                } else {
                    scan.digits(2)?
                };
                if !(1..=*count).contains(&part) {
                    return None;
                }
                number(year * count + part - 1)
            }
            Format::Named(names) => {
                let place = names.iter().position(|name| name.eq_ignore_ascii_case(text))?;
                return Some(number(place as i64));
            }
            Format::Decimal => {
                let (digits, power) = number_text::read(text)?;
                return Some(Value::Tuple(vec![Value::Integer(digits), number(i64::try_from(power).ok()?)]));
            }
            Format::Units(units) => return number_text::read_units(text, units).map(Value::Integer),
            Format::SystemTime => {
                let nanos = BigInt::from(1_000_000_000);
                let all = number_text::read_units(text, &nanos)?;
                let rest: BigInt = ((&all % &nanos) + &nanos) % &nanos;
                let seconds = i64::try_from((all - &rest) / nanos).ok()?;
                return Some(Value::Tuple(vec![number(seconds), Value::Integer(rest)]));
            }
        };
        scan.0.is_empty().then_some(found)
    }
}

fn big(value: &Value) -> BigInt {
    match value {
        Value::Integer(number) => number.clone(),
        _ => BigInt::ZERO,
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Integer(number) => i64::try_from(number).unwrap_or(0),
        _ => 0,
    }
}

fn number(number: i64) -> Value {
    Value::Integer(number.into())
}

fn tuple(all: &[i64]) -> Value {
    Value::Tuple(all.iter().map(|one| number(*one)).collect())
}

fn parts(value: &Value) -> [i64; 3] {
    match value {
        Value::Tuple(all) if all.len() == 3 => [int(&all[0]), int(&all[1]), int(&all[2])],
        _ => [0; 3],
    }
}

// --- days and times ----------------------------------------------------------------

/// Days from 0000-03-01, with which an era of 400 years begins, to 1858-11-17.
const ORIGIN: i64 = 678_881;

fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - ORIGIN
}

fn date_of(day: i64) -> (i64, i64, i64) {
    let (era, of_era) = ((day + ORIGIN).div_euclid(146_097), (day + ORIGIN).rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = from_march + if from_march < 10 { 3 } else { -9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

fn put_year(out: &mut String, year: i64) {
    out.push_str(&format!("{}{:04}", if year < 0 { "-" } else { "" }, year.abs()));
}

fn put_day(out: &mut String, day: i64) {
    let (year, month, day) = date_of(day);
    put_year(out, year);
    out.push_str(&format!("-{month:02}-{day:02}"));
}

fn put_time(out: &mut String, [hour, minute, picos]: [i64; 3]) {
    out.push_str(&format!("{hour:02}:{minute:02}:{:02}", picos / PICOS));
    if picos % PICOS != 0 {
        out.push_str(format!(".{:012}", picos % PICOS).trim_end_matches('0'));
    }
}

fn put_local(out: &mut String, local: &Value) {
    if let Value::Tuple(two) = local {
        put_day(out, int(&two[0]));
        out.push('T');
        put_time(out, parts(&two[1]));
    }
}

/// What is left of a text.
struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn eat(&mut self, any: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| any.contains(first))?;
        self.0 = rest;
        Some(*first)
    }

    fn run(&mut self) -> &[u8] {
        let size = self.0.iter().take_while(|one| one.is_ascii_digit()).count();
        let (found, rest) = self.0.split_at(size);
        self.0 = rest;
        found
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (found, rest) = (self.0.get(..count)?, self.0.get(count..)?);
        self.0 = rest;
        if !found.iter().all(u8::is_ascii_digit) {
            return None;
        }
        std::str::from_utf8(found).ok()?.parse().ok()
    }

    fn year(&mut self) -> Option<i64> {
        let minus = self.eat(b"+-") == Some(b'-');
        let digits = std::str::from_utf8(self.run()).ok()?;
        if digits.len() < 4 {
            return None;
        }
        let year: i64 = digits.parse().ok().filter(|year| *year <= MOST_YEARS)?;
        Some(if minus { -year } else { year })
    }

    fn day(&mut self) -> Option<i64> {
        let year = self.year()?;
        self.eat(b"-")?;
        let month = self.digits(2)?;
        self.eat(b"-")?;
        let day = self.digits(2)?;
        let found = day_of(year, month, day);
        ((1..=12).contains(&month) && day >= 1 && date_of(found) == (year, month, day)).then_some(found)
    }

    fn between(&mut self) -> Option<u8> {
        self.eat(b"T ")
    }

    fn time(&mut self) -> Option<[i64; 3]> {
        let hour = self.digits(2)?;
        self.eat(b":")?;
        let minute = self.digits(2)?;
        let mut picos = 0;
        if self.eat(b":").is_some() {
            picos = self.digits(2)? * PICOS;
            if self.eat(b".").is_some() {
                let fraction = self.run();
                if fraction.is_empty() {
                    return None;
                }
                let twelve: String =
                    fraction.iter().map(|one| *one as char).chain("0".repeat(12).chars()).take(12).collect();
                picos += twelve.parse::<i64>().ok()?;
            }
        }
        (hour < 24 && minute < 60 && picos < 61 * PICOS).then_some([hour, minute, picos])
    }

    fn local(&mut self) -> Option<Value> {
        let day = self.day()?;
        self.between()?;
        Some(Value::Tuple(vec![number(day), tuple(&self.time()?)]))
    }

    fn zone(&mut self) -> Option<i64> {
        let _ = self.eat(b" ");
        let sign = self.eat(b"Z+-")?;
        if sign == b'Z' {
            return Some(0);
        }
        let hours = self.digits(2)?;
        let colon = self.eat(b":").is_some();
        let minutes = if colon || !self.0.is_empty() { self.digits(2)? } else { 0 };
        let size = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
        Some(if sign == b'-' { -size } else { size })
    }
}

// --- bytes -------------------------------------------------------------------------

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn put_hex(out: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| out.push_str(&format!("{byte:02x}")));
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() % 2 != 0 || !text.bytes().all(|one| one.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// Base64, as JSON has bytes.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    put_base64(&mut out, bytes, STANDARD, true);
    out
}

fn put_base64(out: &mut String, bytes: &[u8], alphabet: &[u8; 64], padded: bool) {
    for three in bytes.chunks(3) {
        let bits = three.iter().chain([&0, &0]).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..4 {
            if place <= three.len() {
                out.push(alphabet[(bits >> (18 - 6 * place) & 63) as usize] as char);
            } else if padded {
                out.push('=');
            }
        }
    }
}

/// With its padding or without; bits that do not count are 0.
fn unbase64(text: &str, alphabet: &[u8; 64]) -> Option<Vec<u8>> {
    let bare =
        if text.len() % 4 == 0 { text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text) } else { text };
    let mut out = vec![];
    for four in bare.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for one in four {
            bits = bits << 6 | alphabet.iter().position(|known| known == one)? as u32;
        }
        bits <<= 6 * (4 - four.len());
        let size = four.len() * 6 / 8;
        let three = bits.to_be_bytes();
        if size == 0 || three[1 + size..].iter().any(|rest| *rest != 0) {
            return None;
        }
        out.extend_from_slice(&three[1..1 + size]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for (format, text) in [
            (Format::Base16, "01ab"),
            (Format::Base64Url, "__4"),
            (Format::Uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            (Format::Date, "-999999999-01-01"),
            (Format::Date, "2024-02-29"),
            (Format::Time, "23:59:60.999999999999"),
            (Format::Utc, "2026-01-31T23:59:60.5Z"),
            (Format::Zoned, "2026-01-31T12:00:00-05:30"),
            (Format::OfYear(12), "-0001-11"),
            (Format::OfYear(4), "2026-q1"),
            (Format::Named(WEEKDAYS), "monday"),
            (Format::Decimal, "-1.5e-400"),
            (Format::Units(BigInt::from(100)), "-1.05"),
            (Format::SystemTime, "-1.0e-9"),
        ] {
            assert_eq!(format.show(&format.read(text).expect(text)), text);
        }
        let utc = Format::Utc;
        assert_eq!(utc.read("2026-01-31 01:00+02:00"), utc.read("2026-01-30T23:00:00Z"));
        assert_eq!(unbase64("dGVybg==", STANDARD), unbase64("dGVybg", STANDARD));
        assert_eq!(unbase64("dGVybg==", STANDARD), Some(b"tern".to_vec()));
    }

    #[test]
    fn what_is_none_is_refused() {
        for (format, text) in [
            (Format::Base16, "0"),
            (Format::Base64Url, "__5"),
            (Format::Base64Url, "_"),
            (Format::Uuid, "6ba7b8109dad-11d1-80b4-00c04fd430c8-"),
            (Format::Date, "2025-02-29"),
            (Format::Date, "2025-13-01"),
            (Format::Date, "1000000000-01-01"),
            (Format::Date, "2025-01-01 "),
            (Format::Time, "24:00:00"),
            (Format::Time, "23:59:61"),
            (Format::Utc, "2026-01-31T12:00:00"),
            (Format::Utc, "999999999-12-31T23:59:59-00:01"),
            (Format::Zoned, "2026-01-31T12:00:00+24:00"),
            (Format::OfYear(4), "2026-q5"),
            (Format::Named(QUARTERS), "q0"),
            (Format::Decimal, "1e9999999999999999999"),
            (Format::Decimal, "1."),
        ] {
            assert_eq!(format.read(text), None, "{text}");
        }
    }
}
