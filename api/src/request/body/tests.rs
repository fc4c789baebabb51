use entities::{ChatId, PlayId};
use serde_json::json;

use super::*;
use crate::request::parts::{Field, Patch, Take};
use crate::request::values::{List, Nullable, SizedObject, Text, Whole};
use crate::response::error::Kind;

fn fields(body: Value) -> Body {
    Body::parse(body.to_string().as_bytes()).unwrap()
}

fn required<T: Field>(sent: &Body, name: &str) -> Result<T, ApiError> {
    Take::take(sent, name)
}

fn optional<T: Field>(sent: &Body, name: &str) -> Result<Option<T>, ApiError> {
    Take::take(sent, name)
}

fn patch<T: Field>(sent: &Body, name: &str) -> Result<Patch<T>, ApiError> {
    Take::take(sent, name)
}

fn refusal<T: std::fmt::Debug>(result: Result<T, ApiError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::BadRequest);
    error.parts().message.to_string()
}

#[test]
fn a_body_is_a_json_object_or_nothing() {
    assert!(Body::parse(b"").is_ok());
    assert!(optional::<bool>(&Body::parse(b"[]").unwrap(), "a").unwrap().is_none());
    for (body, says) in [
        ("[1]", "must be a JSON object"),
        ("3", "must be a JSON object"),
        ("{", "line 1, column 1"),
        ("{\"a\":1,}", "not valid JSON"),
        ("\u{feff}{}", "not valid JSON"),
        (r#"{"z":1,"a":["x\u0000"]}"#, "`a` must be free of NUL"),
        (r#"{"b\u0000":1}"#, r"`b\0` must be free of NUL"),
    ] {
        let message = refusal(Body::parse(body.as_bytes()));
        assert!(message.contains(says), "{body}: {message}");
    }
    assert!(Body::parse(b"{\"a\":\"\xff\"}").is_err());
}

#[test]
fn an_error_names_the_field_its_value_and_the_allowed_values() {
    let sent = fields(json!({"rank": 256, "name": "x".repeat(200), "user_id": 17}));
    assert_eq!(
        refusal(required::<Whole<0, 255>>(&sent, "rank")),
        "`rank` must be an integer from 0 to 255; sent: 256"
    );
    assert_eq!(
        refusal(required::<Whole<0, 255>>(&sent, "level")),
        "`level` is missing; it must be an integer from 0 to 255"
    );
    let long = refusal(required::<Text<10>>(&sent, "name"));
    assert!(
        long.starts_with("`name` must be a string of 1 to 10 characters, not blank; sent: \"xxx")
            && long.ends_with("x…")
    );
    assert!(long.chars().count() < 130, "{long}");
    assert!(refusal(required::<ChatId>(&sent, "user_id")).ends_with("sent: 17"));
}

#[test]
fn a_patch_distinguishes_absent_null_and_present() {
    let sent = fields(json!({"null": null, "number": 7}));
    type Number = Whole<1, 9>;
    assert_eq!(optional::<Number>(&sent, "null").unwrap(), None);
    assert_eq!(optional::<Number>(&sent, "absent").unwrap(), None);
    assert!(refusal(required::<Number>(&sent, "null")).contains("is missing"));
    assert_eq!(patch::<Number>(&sent, "absent").unwrap(), Patch(None));
    assert!(refusal(patch::<Number>(&sent, "null")).ends_with("sent: null"));
    assert_eq!(patch::<Nullable<Number>>(&sent, "null").unwrap(), Patch(Some(Nullable(None))));
    assert_eq!(patch::<Nullable<Number>>(&sent, "number").unwrap(), Patch(Some(Nullable(Some(Whole(7))))));
}

#[test]
fn lists_name_the_item_and_their_size() {
    let sent = fields(json!({"ids": ["7", 8, "x"], "none": [], "word": "7"}));
    assert!(
        refusal(required::<List<PlayId, 3>>(&sent, "ids")).starts_with("`ids[2]` must be a positive integer")
    );
    assert_eq!(
        refusal(required::<List<PlayId, 2>>(&sent, "ids")),
        "`ids` must be an array of at most 2 items; sent: \"3 items\""
    );
    assert_eq!(required::<List<PlayId, 2>>(&sent, "none").unwrap(), List(Vec::new()));
    assert!(refusal(required::<List<PlayId, 2>>(&sent, "word")).contains("an array"));
    assert_eq!(optional::<List<PlayId, 2>>(&sent, "absent").unwrap(), None);
    let both = required::<List<PlayId, 2>>(&fields(json!({"ids": ["7", 8]})), "ids").unwrap().0;
    assert_eq!(both.iter().map(|id| id.get()).collect::<Vec<_>>(), [7, 8]);
}

#[test]
fn texts_and_numbers_stay_within_bounds() {
    let sent = fields(json!({"blank": " \n", "nine": "äöüäöüäöü", "float": 1.5, "big": 1e30, "text": "5"}));
    assert!(required::<Text<9>>(&sent, "blank").is_err());
    assert!(required::<Text<8>>(&sent, "nine").is_err());
    assert_eq!(required::<Text<9>>(&sent, "nine").unwrap().0, "äöüäöüäöü");
    for name in ["float", "big", "text"] {
        assert!(required::<Whole<0, 9>>(&sent, name).is_err(), "{name}");
    }
    let twice = Body::parse(br#"{"a": 1, "a": 2}"#).unwrap();
    assert_eq!(required::<Whole<0, 9>>(&twice, "a").unwrap(), Whole(2));
}

#[test]
fn exact_whole_floats_are_integers() {
    let sent =
        Body::parse(br#"{"rank": 50.0, "id": 1e3, "ids": [7.0, "8"], "half": 1.5, "huge": 1e16}"#).unwrap();
    assert_eq!(required::<Whole<0, 255>>(&sent, "rank").unwrap(), Whole(50));
    assert_eq!(required::<PlayId>(&sent, "id").unwrap().get(), 1000);
    let ids = required::<List<PlayId, 2>>(&sent, "ids").unwrap().0;
    assert_eq!(ids.iter().map(|id| id.get()).collect::<Vec<_>>(), [7, 8]);
    for name in ["half", "huge"] {
        assert!(required::<PlayId>(&sent, name).is_err(), "{name}");
    }
}

#[test]
fn an_empty_array_is_an_empty_object() {
    let sent = fields(json!({"none": [], "some": [1], "text": ""}));
    assert_eq!(required::<SizedObject<9>>(&sent, "none").unwrap(), SizedObject(Map::new()));
    assert!(required::<SizedObject<9>>(&sent, "some").is_err());
    assert!(required::<SizedObject<9>>(&sent, "text").is_err());
}

#[test]
fn the_same_body_in_another_order_is_the_same() {
    let canonical = |text: &str| Body::parse(text.as_bytes()).unwrap().canonical();
    let first = canonical(r#"{"a": {"x": 1, "y": [1, 2.0]}, "b": "t"}"#);
    assert_eq!(first, canonical(r#"{ "b":"t","a":{"y":[1.0,2],"x":1}}"#));
    for other in [r#"{"a":{"x":1,"y":[2,1]},"b":"t"}"#, r#"{"a":{"x":1,"y":[1,2]},"b":"u"}"#, "{}"] {
        assert_ne!(first, canonical(other), "{other}");
    }
}

fn typed(content_type: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::CONTENT_TYPE, content_type.parse().unwrap())])
}

#[test]
fn another_content_type_is_refused_unless_there_is_no_body() {
    for fine in ["application/json", "Application/JSON; charset=utf-8", "application/x+json"] {
        assert!(Body::read(b"{}", &typed(fine)).is_ok(), "{fine}");
    }
    let wrong = typed("text/plain");
    assert_eq!(Body::read(b"{}", &wrong).unwrap_err().kind(), Kind::MediaType);
    assert!(Body::read(b"", &wrong).is_ok());
}

#[test]
fn depth_counts_brackets_outside_of_strings() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(check_depth(nested(32).as_bytes()).is_ok());
    assert!(check_depth(nested(33).as_bytes()).is_err());
    let text = format!(r#"{{"a\\":"\"{}"}}"#, "[".repeat(99));
    assert!(check_depth(text.as_bytes()).is_ok());
}
