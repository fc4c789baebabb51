//! The text of an API key (docs/rules.md 1): `gh_<public id: 8>_<secret: 40><CRC-32 of both: 8>`.
//!
//! A wrong checksum is rejected without a look-up, the public id finds the row; only a SHA-256 of the secret is stored.

use std::fmt;

use rand::RngExt;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const PUBLIC_LEN: usize = 8;
const SECRET_LEN: usize = 40;
const CHECKSUM_LEN: usize = 8;
const PREFIX: &str = "gh_";
const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A well-formed key. Only [`KeyText::reveal`] shows its secret, never `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText {
    /// Letters and digits, as is the secret.
    public_id: [u8; PUBLIC_LEN],
    secret: [u8; SECRET_LEN],
}

impl KeyText {
    /// A new random key.
    pub fn generate() -> Self {
        Self { public_id: random_text(), secret: random_text() }
    }

    /// Parses a key; `None` if its form or checksum is wrong.
    pub fn parse(text: &str) -> Option<Self> {
        let (public_id, rest) = text.strip_prefix(PREFIX)?.split_once('_')?;
        if rest.len() != SECRET_LEN + CHECKSUM_LEN {
            return None;
        }
        if !text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            return None;
        }
        let (secret, checksum) = rest.split_at(SECRET_LEN);
        let key = Self {
            public_id: public_id.as_bytes().try_into().ok()?,
            secret: secret.as_bytes().try_into().ok()?,
        };
        (u32::from_str_radix(checksum, 16) == Ok(key.checksum())).then_some(key)
    }

    pub fn public_id(&self) -> &str {
        as_text(&self.public_id)
    }

    pub fn secret_hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret).into()
    }

    /// Compares in constant time.
    pub fn matches(&self, stored_hash: &[u8]) -> bool {
        self.secret_hash().as_slice().ct_eq(stored_hash).into()
    }

    /// The whole text, shown once.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}{:08x}", self.public_id(), as_text(&self.secret), self.checksum())
    }

    fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.public_id);
        hasher.update(&self.secret);
        hasher.finalize()
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyText({PREFIX}{}_…)", self.public_id())
    }
}

fn as_text(letters: &[u8]) -> &str {
    // Letters and digits alone.
    std::str::from_utf8(letters).unwrap_or_default()
}

fn random_text<const LEN: usize>() -> [u8; LEN] {
    let mut rng = rand::rng();
    std::array::from_fn(|_| ALPHABET[rng.random_range(0..ALPHABET.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_key_is_read_back_and_matches_its_hash_only() {
        let key = KeyText::generate();
        let read = KeyText::parse(&key.reveal()).unwrap();
        assert_eq!(read, key);
        assert!(read.matches(&key.secret_hash()));
        assert!(!read.matches(&KeyText::generate().secret_hash()));
        assert!(!format!("{key:?}").contains(as_text(&key.secret)));
    }

    #[test]
    fn the_fixture_key_is_well_formed_and_any_changed_letter_is_not() {
        let text = "gh_d9aa1494_c9cc03b1d87fe7c4c30e2ff8078b8e859207f84e7b4cc41f";
        assert_eq!(KeyText::parse(text).unwrap().public_id(), "d9aa1494");
        for at in 0..text.len() {
            let mut changed = text.as_bytes().to_vec();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(KeyText::parse(std::str::from_utf8(&changed).unwrap()), None, "letter {at}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in
            ["", "gh_", "gh__", "gh_d9aa1494", &KeyText::generate().reveal().to_uppercase(), "gh_ééééé_x"]
        {
            assert_eq!(KeyText::parse(text), None, "{text:?}");
        }
    }
}
