//! Fuzz targets of what a request holds.

use entities::AuditId;
use serde_json::{Value, json};
use testkit::fuzz;

use crate::request::body::Body;
use crate::request::page::Page;
use crate::request::url::Query;

#[test]
fn cursor() {
    let valid: [&[u8]; 3] = [b"limit=5&cursor=77", b"cursor=%37&limit=100", b"cursor=&limit=0&a=b+c"];
    fuzz("cursor", &valid, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let Ok(page) = Query::parse(text).and_then(|query| Page::<AuditId>::of(&query)) else { return false };
        assert!((1..=100).contains(&page.limit), "{}", page.limit);
        true
    });
}

#[test]
fn body() {
    let valid: [&[u8]; 2] = [
        br#"{"user_id":"77","reason":"a","moderator_id":"1000000000000000000","duration_seconds":60}"#,
        br#"{"play_ids":[1,2.0,"3"],"nested":{"a":[{"b":null}]}}"#,
    ];
    fuzz("body", &valid, |bytes| {
        let Ok(body) = Body::parse(bytes) else { return false };
        // No body is an empty one.
        let rewritten = serde_json::from_slice::<Value>(bytes).unwrap_or(json!({})).to_string();
        let again = Body::parse(rewritten.as_bytes()).map(|again| again.canonical());
        assert_eq!(again.ok(), Some(body.canonical()), "a body has one canonical form");
        true
    });
}
