//! Typed models of four well-known documents, with the fields that Tern's benchmark has of
//! them (`Tern.Bench.Documents`).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub struct Twitter {
    statuses: Vec<Status>,
}

#[derive(Serialize, Deserialize)]
struct Status {
    id_str: String,
    text: String,
    user: User,
    retweet_count: i64,
    favorite_count: i64,
    created_at: String,
    lang: String,
}

#[derive(Serialize, Deserialize)]
struct User {
    id: i64,
    screen_name: String,
    name: String,
    followers_count: i64,
}

#[derive(Serialize, Deserialize)]
pub struct Canada {
    features: Vec<Feature>,
}

#[derive(Serialize, Deserialize)]
struct Feature {
    geometry: Geometry,
}

#[derive(Serialize, Deserialize)]
struct Geometry {
    coordinates: Vec<Vec<Vec<f64>>>,
}

type Names = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Catalogue {
    area_names: Names,
    audience_sub_category_names: Names,
    block_names: Names,
    events: BTreeMap<String, Event>,
    performances: Vec<Performance>,
    seat_category_names: Names,
    sub_topic_names: Names,
    subject_names: Names,
    topic_names: Names,
    topic_sub_topics: BTreeMap<String, Vec<i64>>,
    venue_names: Names,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    description: Option<String>,
    id: i64,
    logo: Option<String>,
    name: String,
    sub_topic_ids: Vec<i64>,
    subject_code: Option<i64>,
    subtitle: Option<String>,
    topic_ids: Vec<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Performance {
    event_id: i64,
    id: i64,
    logo: Option<String>,
    name: Option<String>,
    prices: Vec<Price>,
    seat_categories: Vec<Category>,
    seat_map_image: Option<String>,
    start: i64,
    venue_code: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Price {
    amount: i64,
    audience_sub_category_id: i64,
    seat_category_id: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    areas: Vec<Area>,
    seat_category_id: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Area {
    area_id: i64,
    block_ids: Vec<i64>,
}

#[derive(Serialize, Deserialize)]
pub struct Proposals(BTreeMap<String, Proposal>);

#[derive(Serialize, Deserialize)]
struct Proposal {
    name: String,
    description: String,
    sponsor: Organization,
    author: Author,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Organization {
    name: String,
    disambiguating_description: String,
    description: String,
    url: String,
    logo: String,
}

#[derive(Serialize, Deserialize)]
struct Author {
    name: String,
}
