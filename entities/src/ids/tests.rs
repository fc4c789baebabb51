use super::*;

#[test]
fn chat_ids_are_canonical_digit_strings_of_63_bits() {
    assert_eq!("9223372036854775807".parse::<ChatId>().map(ChatId::get), Ok(i64::MAX));
    for bad in ["", "0", "07", "+7", "-7", "9223372036854775808", "7x", " 7", "٣"] {
        assert_eq!(bad.parse::<ChatId>(), Err(IdError::NotAChatId), "{bad:?}");
    }
    assert_eq!(serde_json::to_string(&ChatId(17)).unwrap(), r#""17""#);
    assert!(serde_json::from_str::<ChatId>("17").is_err());
}

#[test]
fn a_chat_id_says_when_the_account_was_made() {
    let id: ChatId = "175928847299117063".parse().unwrap();
    assert_eq!(id.made_at().unwrap().to_rfc3339(), "2016-04-30T11:18:25.796+00:00");
    let first = ChatId::first_at(id.made_at().unwrap());
    assert!(first <= id && first.made_at() == id.made_at());
    assert_eq!(ChatId::first_at("2014-01-01T00:00:00Z".parse().unwrap()).get(), 0);
}

#[test]
fn play_ids_are_read_as_integer_or_digits_and_written_as_integer() {
    for text in ["17", r#""17""#] {
        assert_eq!(serde_json::from_str::<PlayId>(text).unwrap(), PlayId(17));
    }
    for bad in ["0", "-1", "1.5", r#""-1""#, "9223372036854775808", "true", "null"] {
        assert!(serde_json::from_str::<PlayId>(bad).is_err(), "{bad}");
    }
    assert_eq!(serde_json::to_string(&PlayId(17)).unwrap(), "17");
}

#[test]
fn place_and_universe_are_0_in_the_studio() {
    for zero in ["0", r#""0""#] {
        assert_eq!(serde_json::from_str::<PlaceId>(zero).unwrap(), PlaceId(0));
    }
    assert_eq!("0".parse(), Ok(UniverseId(0)));
    for bad in ["", "00", "-1", "-0", "+0"] {
        assert_eq!(bad.parse::<PlaceId>(), Err(IdError::NotAPlaceId), "{bad:?}");
    }
    assert!(serde_json::from_str::<PlaceId>("-1").is_err());
}
