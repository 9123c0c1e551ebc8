//! Batches are what the reader of values finds, of whole containers and of damaged ones.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int16Type};
use std::io::Cursor;
use tern::arrow::{schema_for, Batches, Options, Rows, Wrong};
use tern::container::{Finding, Reader, Writer};
use tern::{Layout, Schema, Value};

const MARK: [u8; 8] = *b"paradise";

fn birds() -> Schema {
    Schema::parse("Bird\nBird = {\"species\": text, \"seen\": integer 0..255, \"more\": integer}").unwrap()
}

fn written(count: i64, level: Option<i32>) -> Vec<u8> {
    let layout = Layout::new(birds());
    let mut writer = Writer::with(vec![], &layout, MARK, level, 300).unwrap();
    for n in 0..count {
        let more =
            if n == 70 { Value::Integer(num_bigint::BigInt::from(10).pow(40)) } else { Value::Integer(n.into()) };
        let fields = vec![Value::Text(format!("tern {n}")), Value::Integer((n % 256).into()), more];
        writer.put_value(&Value::Declared(0, fields)).unwrap();
    }
    writer.finish().unwrap()
}

/// The numbers of the elements that are found, by batches, and all that was wrong.
fn by_batches(bytes: &[u8], columns: Option<Vec<String>>, part: Option<(u64, u64)>) -> (Vec<i128>, Vec<String>) {
    let options = Options { columns, part, rows: 17, skip_damage: true, schema: None };
    let Ok(mut batches) = Batches::new(Cursor::new(bytes), options) else {
        return (vec![], vec!["no container".into()]);
    };
    let mut found = vec![];
    for batch in batches.by_ref() {
        let batch = batch.unwrap();
        assert!(batch.num_rows() <= 17);
        let last = batch.column(batch.num_columns() - 1);
        found.extend(last.as_primitive::<Decimal128Type>().values().iter().copied());
    }
    (found, batches.wrong.iter().map(Wrong::to_string).collect())
}

/// The same by the reader of values.
fn by_values(bytes: &[u8], part: Option<(u64, u64)>) -> (Vec<i128>, Vec<String>) {
    let Ok(reader) = Reader::with(Cursor::new(bytes), None, part, Default::default()) else {
        return (vec![], vec!["no container".into()]);
    };
    let (mut found, mut wrong) = (vec![], vec![]);
    for finding in reader.values().unwrap() {
        match finding {
            Finding::Fault(fault) => wrong.push(fault.to_string()),
            Finding::Loss(loss) => wrong.push(loss.to_string()),
            Finding::Elements(_, values) => found.extend(values.into_iter().filter_map(|value| match value {
                Value::Declared(_, fields) => match &fields[2] {
                    Value::Integer(more) => i128::try_from(more).ok(),
                    _ => None,
                },
                _ => None,
            })),
        }
    }
    (found, wrong)
}

/// What a column refuses and a value does not is not of interest here.
fn alike(bytes: &[u8], part: Option<(u64, u64)>, what: &str) {
    let most = 10i128.pow(38);
    let (mut values, wrong) = by_values(bytes, part);
    values.retain(|one| one.abs() < most);
    let (found, mut said) = by_batches(bytes, None, part);
    said.retain(|one| !one.contains("38 digits"));
    assert_eq!((found, said), (values, wrong), "{what}");
}

#[test]
fn batches_are_what_values_are() {
    for level in [None, Some(3)] {
        let bytes = written(300, level);
        alike(&bytes, None, "whole");
        let (found, wrong) = by_batches(&bytes, None, None);
        assert_eq!(found.len(), 299);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("element 70, "), "{}", wrong[0]);
        let size = bytes.len() as u64;
        let parts = [(0, size / 3), (size / 3, size / 2), (size / 2, size)];
        let all: Vec<i128> = parts.iter().flat_map(|part| by_batches(&bytes, None, Some(*part)).0).collect();
        assert_eq!(all, found);
    }
}

#[test]
fn damage_is_found_alike() {
    for level in [None, Some(3)] {
        let bytes = written(200, level);
        let mut place = 12345u64;
        for variant in 0..400 {
            place = place.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (place >> 33) as usize % bytes.len();
            let mut damaged = bytes.clone();
            match variant % 4 {
                0 => damaged[at] ^= 1 << (place >> 20 & 7),
                1 => damaged.truncate(at),
                2 => drop(damaged.drain(at..(at + 90).min(bytes.len()))),
                _ => drop(damaged.splice(at..at, bytes[at / 2..at / 2 + at / 4].iter().copied())),
            }
            alike(&damaged, None, &format!("variant {variant}"));
            let half = damaged.len() as u64 / 2;
            alike(&damaged, Some((half, u64::MAX)), &format!("the second half of variant {variant}"));
        }
    }
}

/// A document that is damaged behind a checksum that fits: what is stepped over and what is read
/// end at the same place.
#[test]
fn elements_that_do_not_decode_are_lost_alone() {
    let layout = Layout::new(birds());
    let bytes = written(60, None);
    for at in 0..300usize {
        for bit in [1, 0x80] {
            let mut damaged = bytes.clone();
            let head = 40 + u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
            let stored = u64::from_le_bytes(bytes[head + 16..head + 24].try_into().unwrap()) as usize;
            damaged[head + 64 + at % stored] ^= bit;
            let sum = tern::container::crc32c(&damaged[head + 64..head + 64 + stored]).to_le_bytes();
            damaged[head + 56..head + 60].copy_from_slice(&sum);
            let sum = tern::container::crc32c(&damaged[head..head + 60]).to_le_bytes();
            damaged[head + 60..head + 64].copy_from_slice(&sum);
            alike(&damaged, None, &format!("byte {at}, {bit}"));
        }
    }
    let _ = layout;
}

#[test]
fn fields_are_chosen_by_name() {
    let bytes = written(100, None);
    let options = Options { columns: Some(vec!["seen".into()]), ..Options::default() };
    let batch = Batches::new(Cursor::new(&bytes), options).unwrap().next().unwrap().unwrap();
    // The number that no column holds is in a field that nobody asked for.
    assert_eq!(batch.num_rows(), 100);
    assert_eq!(batch.column(0).as_primitive::<Int16Type>().value(99), 99);
    for (columns, reason) in
        [(vec!["colour"], "no field is called \"colour\""), (vec!["seen", "seen"], "asked for twice")]
    {
        let columns = Some(columns.into_iter().map(String::from).collect());
        let error = Batches::new(Cursor::new(&bytes), Options { columns, ..Options::default() }).err().unwrap();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn batches_come_back() {
    let bytes = written(60, None);
    let batches = Batches::new(Cursor::new(&bytes), Options::default()).unwrap();
    let mut rows = Rows::new(vec![], birds(), MARK, None).unwrap();
    for batch in batches {
        rows.put(&batch.unwrap()).unwrap();
    }
    let again = rows.finish().unwrap();
    assert_eq!(by_values(&again, None), by_values(&bytes, None));
    let made = schema_for(tern::arrow::schema_of(&birds()).unwrap().fields()).unwrap();
    assert_eq!(made.text(), "Row\nRow = {\"species\": text, \"seen\": integer -32768..32767, \"more\": integer}");
    assert_eq!(Schema::parse(&made.text()).unwrap(), made);
}

#[test]
fn integers_of_a_fixed_size_are_columns_and_come_back() {
    let text = "R\nR = {\"a\": integer -2147483648..2147483647 in 4 bytes, \"b\": integer 0..4294967295 in 4 bytes, \
                \"c\": integer -9223372036854775808..9223372036854775807 in 8 bytes, \
                \"d\": integer 0..18446744073709551615 in 8 bytes, \"e\": [integer 0..9 in 8 bytes]}";
    let layout = Layout::new(Schema::parse(text).unwrap());
    let mut writer = Writer::with(vec![], &layout, MARK, None, 300).unwrap();
    for n in 0..200i64 {
        let whole = |number: i128| Value::Integer(number.into());
        let (b, d) = (i128::from(u32::MAX) - i128::from(n), i128::from(u64::MAX) - i128::from(n));
        let list = Value::List(vec![whole(i128::from(n % 10)); n as usize % 5]);
        let fields = vec![whole(i128::from(-n)), whole(b), whole(i128::from(i64::MIN + n)), whole(d), list];
        writer.put_value(&Value::Declared(0, fields)).unwrap();
    }
    let bytes = writer.finish().unwrap();
    for columns in [None, Some(vec!["e".to_string(), "b".to_string()])] {
        let options = Options { columns, ..Options::default() };
        let rows: usize = Batches::new(Cursor::new(&bytes), options).unwrap().map(|one| one.unwrap().num_rows()).sum();
        assert_eq!(rows, 200);
    }
    let mut rows = Rows::new(vec![], Schema::parse(text).unwrap(), MARK, None).unwrap();
    for batch in Batches::new(Cursor::new(&bytes), Options::default()).unwrap() {
        rows.put(&batch.unwrap()).unwrap();
    }
    let again = rows.finish().unwrap();
    let values = |bytes: &[u8]| {
        let mut all = vec![];
        for finding in Reader::with(Cursor::new(bytes), None, None, Default::default()).unwrap().values().unwrap() {
            match finding {
                Finding::Elements(_, values) => all.extend(values),
                other => panic!("{other:?}"),
            }
        }
        all
    };
    assert_eq!(values(&again), values(&bytes));
    assert_eq!(values(&bytes).len(), 200);
}
