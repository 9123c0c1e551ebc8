use serde::{Deserialize, Serialize};

pub type Root = Station;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Station {
    pub name: String,
    pub r#type: u8,
    pub readings: Vec<Event>,
    pub tree: Tree,
    pub counts: std::collections::BTreeMap<String, i64>,
    pub size: tern::Integer,
    pub colours: Vec<Colour>,
    pub place: Option<(f64, f32, char)>,
    pub ring: Ring,
    pub only: Only,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    Quiet,
    Sighted {
        #[serde(rename = "speciesName")]
        species_name: String,
        count: Option<i64>,
    },
    Moved(Point, Point),
    Noted(String),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point(pub i64, pub i64);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tree {
    Leaf,
    Fork(Box<Tree>, u8, Box<Tree>),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Colour {
    Red,
    Green,
    Blue,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ring(pub String);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Only;
