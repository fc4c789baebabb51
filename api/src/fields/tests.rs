use entities::{ChatId, PlayId};
use serde_json::json;

use super::*;
use crate::http::error::Kind;

fn fields(body: Value) -> Fields {
    Fields::parse(body.to_string().as_bytes()).unwrap()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, ApiError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::BadRequest);
    error.parts().message.to_string()
}

#[test]
fn a_body_is_a_json_object_or_nothing() {
    assert!(Fields::parse(b"").is_ok());
    assert!(Fields::parse(b"[]").unwrap().optional::<bool>("a").unwrap().is_none());
    for (body, says) in [
        ("[1]", "must be a JSON object"),
        ("3", "must be a JSON object"),
        ("{", "line 1, column 1"),
        ("{\"a\":1,}", "not valid JSON"),
        ("\u{feff}{}", "not valid JSON"),
        (r#"{"a":["x\u0000"]}"#, "NUL"),
    ] {
        let message = refusal(Fields::parse(body.as_bytes()));
        assert!(message.contains(says), "{body}: {message}");
    }
    assert!(Fields::parse(b"{\"a\":\"\xff\"}").is_err());
}

#[test]
fn a_refusal_names_the_field_what_was_sent_and_what_is_allowed() {
    let sent = fields(json!({"rank": 256, "name": "x".repeat(200), "user_id": 17}));
    assert_eq!(
        refusal(sent.required::<Whole<0, 255>>("rank")),
        "`rank` must be an integer from 0 to 255; sent: 256"
    );
    assert_eq!(
        refusal(sent.required::<Whole<0, 255>>("level")),
        "`level` is missing; it must be an integer from 0 to 255"
    );
    let long = refusal(sent.required::<Text<10>>("name"));
    assert!(
        long.starts_with("`name` must be a string of 1 to 10 characters; sent: \"xxx")
            && long.ends_with("x…")
    );
    assert!(long.chars().count() < 130, "{long}");
    assert!(refusal(sent.required::<ChatId>("user_id")).ends_with("sent: 17"));
}

#[test]
fn absent_null_and_given_are_told_apart_where_it_matters() {
    let sent = fields(json!({"null": null, "number": 7}));
    type Number = Whole<1, 9>;
    assert_eq!(sent.optional::<Number>("null").unwrap(), None);
    assert_eq!(sent.optional::<Number>("absent").unwrap(), None);
    assert!(refusal(sent.required::<Number>("null")).contains("is missing"));
    assert_eq!(sent.changed::<Number>("absent").unwrap(), None);
    assert!(refusal(sent.changed::<Number>("null")).ends_with("sent: null"));
    assert_eq!(sent.changed::<Option<Number>>("null").unwrap(), Some(None));
    assert_eq!(sent.changed::<Option<Number>>("number").unwrap(), Some(Some(Whole(7))));
}

#[test]
fn lists_name_the_item_and_their_size() {
    let sent = fields(json!({"ids": ["7", 8, "x"], "none": [], "word": "7"}));
    assert!(refusal(sent.list::<PlayId>("ids", 3)).starts_with("`ids[2]` must be a positive integer"));
    assert_eq!(
        refusal(sent.list::<PlayId>("ids", 2)),
        "`ids` must be an array of at most 2 items; sent: \"3 items\""
    );
    assert_eq!(sent.list::<PlayId>("none", 2).unwrap(), Some(Vec::new()));
    assert!(refusal(sent.list::<PlayId>("word", 2)).contains("an array"));
    assert_eq!(sent.list::<PlayId>("absent", 2).unwrap(), None);
    let both = fields(json!({"ids": ["7", 8]})).list::<PlayId>("ids", 2).unwrap().unwrap();
    assert_eq!(both.iter().map(|id| id.get()).collect::<Vec<_>>(), [7, 8]);
}

#[test]
fn texts_and_numbers_stay_within_bounds() {
    let sent = fields(json!({"blank": " \n", "nine": "äöüäöüäöü", "float": 1.5, "big": 1e30, "text": "5"}));
    assert!(sent.required::<Text<9>>("blank").is_err());
    assert!(sent.required::<Text<8>>("nine").is_err());
    assert_eq!(sent.required::<Text<9>>("nine").unwrap().0, "äöüäöüäöü");
    for name in ["float", "big", "text"] {
        assert!(sent.required::<Whole<0, 9>>(name).is_err(), "{name}");
    }
    let twice = Fields::parse(br#"{"a": 1, "a": 2}"#).unwrap();
    assert_eq!(twice.required::<Whole<0, 9>>("a").unwrap(), Whole(2));
}

#[test]
fn whole_floats_are_integers_as_far_as_they_are_exact() {
    let sent =
        Fields::parse(br#"{"rank": 50.0, "id": 1e3, "ids": [7.0, "8"], "half": 1.5, "huge": 1e16}"#).unwrap();
    assert_eq!(sent.required::<Whole<0, 255>>("rank").unwrap(), Whole(50));
    assert_eq!(sent.required::<PlayId>("id").unwrap().get(), 1000);
    let ids = sent.list::<PlayId>("ids", 2).unwrap().unwrap();
    assert_eq!(ids.iter().map(|id| id.get()).collect::<Vec<_>>(), [7, 8]);
    for name in ["half", "huge"] {
        assert!(sent.required::<PlayId>(name).is_err(), "{name}");
    }
}

#[test]
fn an_empty_array_is_an_empty_object() {
    let sent = fields(json!({"none": [], "some": [1], "text": ""}));
    assert_eq!(sent.required::<Object>("none").unwrap(), Object(Map::new()));
    assert!(sent.required::<Object>("some").is_err());
    assert!(sent.required::<Object>("text").is_err());
}

#[test]
fn the_same_body_in_another_order_is_the_same() {
    let canonical = |text: &str| Fields::parse(text.as_bytes()).unwrap().canonical();
    let first = canonical(r#"{"a": {"x": 1, "y": [1, 2.0]}, "b": "t"}"#);
    assert_eq!(first, canonical(r#"{ "b":"t","a":{"y":[1.0,2],"x":1}}"#));
    for other in [r#"{"a":{"x":1,"y":[2,1]},"b":"t"}"#, r#"{"a":{"x":1,"y":[1,2]},"b":"u"}"#, "{}"] {
        assert_ne!(first, canonical(other), "{other}");
    }
}
