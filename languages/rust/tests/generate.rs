//! Types of a schema: what is generated is what tests/types.rs compiles.

use tern::{generate, Schema};

fn station() -> Schema {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/station.schema")).unwrap();
    Schema::parse(text.trim_end()).unwrap()
}

/// `TERN_GOLDEN=write` writes it again.
#[test]
fn what_is_generated_is_what_is_compiled() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/station.rs");
    let source = generate::module(&station());
    if std::env::var("TERN_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(path, &source).unwrap();
    }
    assert_eq!(source, std::fs::read_to_string(path).unwrap());
}
