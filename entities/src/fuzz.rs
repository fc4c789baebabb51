//! Fuzz targets of the texts that become ids and keys.

use testkit::fuzz;

use crate::key_text::KeyText;
use crate::{ChatId, PlayId, Subject};

#[test]
fn key() {
    let valid = b"gh_d9aa1494_c9cc03b1d87fe7c4c30e2ff8078b8e859207f84e7b4cc41f";
    fuzz("key", &[valid], |bytes| {
        let Some(key) = std::str::from_utf8(bytes).ok().and_then(KeyText::parse) else { return false };
        assert_eq!(key.reveal().as_bytes(), bytes, "a key has one text");
        true
    });
}

#[test]
fn identifier() {
    fuzz("identifier", &[b"1", b"12345", b"9223372036854775807", b"10000000000000000"], |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let (chat, play) = (text.parse::<ChatId>(), text.parse::<PlayId>());
        let Ok(subject) = text.parse::<Subject>() else {
            assert!(chat.is_err() && play.is_err(), "{text:?}");
            return false;
        };
        assert_eq!(subject.to_string(), text, "an identifier has one text");
        assert_eq!(subject.chat().is_some(), text.len() >= 17);
        true
    });
}
