use serde_json::json;

use super::*;

#[test]
fn a_number_that_was_rounded_is_no_id() {
    let refusal = |sent: Value| Subject::refuse("identifier", &sent).parts().message.to_string();
    let (last, rounded) = (json!(9_007_199_254_740_991_i64), json!(9_007_199_254_740_992_i64));
    assert!(PlayId::read(&last).is_some() && Subject::read(&last).is_some());
    for sent in [rounded, json!(9_007_199_254_740_992.0), json!(812_345_678_901_234_567_i64), json!(u64::MAX)]
    {
        assert!(PlayId::read(&sent).is_none() && Subject::read(&sent).is_none(), "{sent}");
        assert!(refusal(sent.clone()).contains("`identifier` must be sent as a string"), "{sent}");
        assert!(OrTest::<PlayId>::read(&sent).is_none(), "{sent}");
    }
    assert!(Subject::read(&json!("812345678901234567")).is_some());
}

#[test]
fn test_players_have_ids_below_zero() {
    for sent in [json!(-1), json!("-1")] {
        assert_eq!(OrTest::<PlayId>::read(&sent), Some(OrTest::Test(-1)));
        assert_eq!(PlayId::read(&sent), None);
    }
    assert_eq!(OrTest::<Subject>::read_text("-2"), Some(OrTest::Test(-2)));
    assert_eq!(OrTest::read_text("7").and_then(OrTest::player), Subject::read_text("7"));
    for bad in ["0", "-0", "-01", "-", "--1", "-+1", "-1x", "-9223372036854775809"] {
        assert_eq!(OrTest::<Subject>::read_text(bad), None, "{bad}");
    }
}

#[test]
fn a_sized_object_counts_the_bytes_of_compact_json() {
    type Small = SizedObject<11>;
    assert!(Small::read(&json!({ "a": "é" })).is_some());
    assert_eq!(Small::read(&json!([])), Some(SizedObject::default()));
    let refusal = |sent: Value| Small::refuse("a", &sent).parts().message.to_string();
    assert!(Small::read(&json!({ "a": "éééé" })).is_none());
    assert_eq!(
        refusal(json!({ "a": "éééé" })),
        "`a` must be an object of at most 11 bytes; sent: \"16 bytes\""
    );
    assert_eq!(refusal(json!(7)), "`a` must be an object of at most 11 bytes; sent: 7");
}
