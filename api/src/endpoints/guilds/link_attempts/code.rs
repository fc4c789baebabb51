//! The code and the words of an attempt.

use rand::seq::IndexedRandom;
use sha2::{Digest, Sha256};

/// Without those that look alike.
const ALPHABET: &[u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARS: usize = 6;
/// Words of a text: more than 10^9 of them.
const WORDS: usize = 6;

/// Plain things that no filter of a chat minds, in any order.
const THINGS: [&str; 40] = [
    "acorn", "apple", "basket", "birch", "bottle", "bridge", "button", "candle", "carpet", "cloud", "copper",
    "feather", "fern", "garden", "harbor", "island", "kettle", "lantern", "lemon", "maple", "meadow",
    "mirror", "orange", "paper", "pebble", "pencil", "pillow", "planet", "pocket", "puzzle", "river",
    "rocket", "saddle", "silver", "spoon", "tulip", "valley", "walnut", "window", "yellow",
];

pub(crate) fn code() -> String {
    let mut random = rand::rng();
    let drawn = (0..CODE_CHARS).filter_map(|_| ALPHABET.choose(&mut random));
    drawn.map(|byte| char::from(*byte)).collect()
}

pub(crate) fn words() -> String {
    let mut random = rand::rng();
    let drawn: Vec<_> = (0..WORDS).filter_map(|_| THINGS.choose(&mut random).copied()).collect();
    drawn.join(" ")
}

/// Of a typed code: case, spaces and dashes do not matter.
pub(crate) fn hash(typed: &str) -> Vec<u8> {
    let plain = typed.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_uppercase());
    Sha256::digest(plain.collect::<String>().as_bytes()).to_vec()
}

/// Whether a profile has the words: other text, line ends and case around them do not matter.
pub(crate) fn has_words(profile: &str, words: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain(profile).contains(&plain(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ_and_are_read_as_people_type_them() {
        let (one, other) = (code(), code());
        assert!(one != other && one.len() == CODE_CHARS);
        let typed = format!(" {}-{} ", one[..3].to_lowercase(), &one[3..]);
        assert_eq!(hash(&typed), hash(&one));
        assert_ne!(hash(&one), hash(&other));
    }

    #[test]
    fn words_are_found_amid_other_text() {
        let words = words();
        assert_eq!(words.split(' ').count(), WORDS);
        assert!(has_words(&format!("Hi!\n{}\nbye", words.replace(' ', "\n").to_uppercase()), &words));
        assert!(!has_words("Hi!", &words) && !has_words("", &words));
    }
}
