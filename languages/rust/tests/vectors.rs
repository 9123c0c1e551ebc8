//! The vectors of the specification.

use serde_json::Value as Json;
use std::fs;
use tern::container::{Finding, Reader, Writer};
use tern::{Layout, Schema, Value, Values};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn vectors() -> Vec<Json> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/vectors");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|one| one.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|one| one == "json"));
    paths.sort();
    assert!(paths.len() > 60);
    paths.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

fn schema(vector: &Json) -> Schema {
    Schema::parse(vector["schema"].as_str().unwrap()).unwrap()
}

#[test]
fn schemas() {
    for vector in vectors() {
        let schema = schema(&vector);
        assert_eq!(schema.text(), vector["schema"].as_str().unwrap());
        assert_eq!(format!("{:016x}", schema.fingerprint()), vector["fingerprintOfSchema"].as_str().unwrap());
        let bytes = hex(vector["schemaAsBytes"].as_str().unwrap());
        assert_eq!(schema.to_bytes(), bytes);
        assert_eq!(Schema::from_bytes(&bytes).unwrap(), schema);
        for cut in 0..bytes.len() {
            assert!(Schema::from_bytes(&bytes[..cut]).is_err());
        }
    }
}

#[test]
fn documents() {
    for vector in vectors() {
        let layout = Layout::new(schema(&vector));
        for one in vector["values"].as_array().unwrap() {
            let bytes = hex(one["bytes"].as_str().unwrap());
            let (value, end) = Values(&layout).decode_at(&bytes, 0).unwrap();
            assert_eq!(end, bytes.len());
            assert_eq!(layout.after(&bytes, 0).unwrap(), bytes.len());
            let mut again = vec![];
            Values(&layout).encode_into(&mut again, &value).unwrap();
            assert_eq!(again, bytes);
            let shown: Json = serde_json::from_str(&Values(&layout).json(&value)).unwrap();
            assert_eq!(shown, one["json"], "{}", vector["schema"]);
            for cut in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
                assert!(Values(&layout).decode_at(&bytes[..cut], 0).is_err());
                assert!(layout.after(&bytes[..cut], 0).is_err());
            }
        }
    }
}

#[test]
fn what_is_refused() {
    let mut refused = 0;
    for vector in vectors() {
        let layout = Layout::new(schema(&vector));
        for one in vector["refused"].as_array().into_iter().flatten() {
            let bytes = hex(one.as_str().unwrap());
            let found = Values(&layout).decode_at(&bytes, 0);
            assert!(!matches!(found, Ok((_, end)) if end == bytes.len()), "{} {one}", vector["schema"]);
            refused += 1;
        }
    }
    assert!(refused > 60);
}

#[test]
fn integers_of_a_fixed_size() {
    for (text, number, spelled) in [
        ("integer 0..4294967295 in 4 bytes", 258i64, "02010000"),
        ("integer -2147483648..2147483647 in 4 bytes", -2, "feffffff"),
        ("integer 0..18446744073709551615 in 8 bytes", 258, "0201000000000000"),
        ("integer -9223372036854775808..9223372036854775807 in 8 bytes", i64::MIN, "0000000000000080"),
    ] {
        let layout = Layout::new(Schema::parse(text).unwrap());
        assert_eq!(layout.encode(&number).unwrap(), hex(spelled));
        assert_eq!(layout.decode::<i64>(&hex(spelled)).unwrap(), number);
        for cut in 0..hex(spelled).len() {
            assert!(layout.decode::<i64>(&hex(spelled)[..cut]).is_err());
            assert!(layout.after(&hex(spelled)[..cut], 0).is_err());
        }
        let row = Layout::new(Schema::parse(&format!("[{text}]")).unwrap());
        for size in [0, 1, 4095, 4096, 4097] {
            let document = row.encode(&vec![number; size]).unwrap();
            assert_eq!(row.decode::<Vec<i64>>(&document).unwrap(), vec![number; size]);
            assert_eq!(row.after(&document, 0).unwrap(), document.len());
        }
    }
    let narrow = Layout::new(Schema::parse("integer 0..9 in 4 bytes").unwrap());
    assert_eq!(narrow.decode::<i64>(&hex("09000000")).unwrap(), 9);
    assert!(narrow.decode::<i64>(&hex("0a000000")).is_err());
    assert!(narrow.decode::<i64>(&hex("ffffffff")).is_err());
    assert!(narrow.encode(&10).is_err());
    let wide = Layout::new(Schema::parse("integer 0..99999999999999999999 in 4 bytes").unwrap());
    assert!(wide.encode(&(1i64 << 32)).is_err());
    for text in [
        "integer in 4 bytes",
        "integer 0.. in 4 bytes",
        "integer ..0 in 8 bytes",
        "integer 0..9 in 2 bytes",
        "integer 0..9  in 4 bytes",
    ] {
        assert!(Schema::parse(text).is_err(), "{text}");
    }
    for size in [0u8, 1, 2, 3, 5, 7, 9, 16] {
        assert!(Schema::from_bytes(&[18, 2 * size, 0, 2]).is_err());
    }
}

fn values_of(bytes: &[u8], part: Option<(u64, u64)>) -> Vec<Value> {
    let reader = Reader::with(bytes, None, part, Default::default()).unwrap();
    let mut all = vec![];
    for finding in reader.values().unwrap() {
        match finding {
            Finding::Elements(first, values) => {
                assert!(part.is_some() || first == all.len() as u64);
                all.extend(values);
            }
            other => panic!("{other:?}"),
        }
    }
    all
}

#[test]
fn containers() {
    for vector in vectors() {
        let layout = Layout::new(schema(&vector));
        let bytes = hex(vector["container"].as_str().unwrap());
        let values = values_of(&bytes, None);
        assert_eq!(values.len(), vector["values"].as_array().unwrap().len());
        for (value, one) in values.iter().zip(vector["values"].as_array().unwrap()) {
            let mut document = vec![];
            Values(&layout).encode_into(&mut document, value).unwrap();
            assert_eq!(document, hex(one["bytes"].as_str().unwrap()));
        }
        let mut writer = Writer::with(vec![], &layout, [1, 2, 3, 4, 5, 6, 7, 8], None, 8).unwrap();
        values.iter().for_each(|value| writer.put_value(value).unwrap());
        assert_eq!(writer.finish().unwrap(), bytes);
        for count in [1, 2, 5, 31] {
            let size = bytes.len() as u64;
            let parts = (0..count).map(|n| (size * n / count, size * (n + 1) / count));
            let found: Vec<Value> = parts.flat_map(|part| values_of(&bytes, Some(part))).collect();
            assert_eq!(found, values);
        }
    }
}
