//! Secrets of sessions and links: 256 random bits, of which only a SHA-256 is stored.

use rand::RngExt;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const LEN: usize = 64;

/// Never in `Debug`, logs or the database.
#[derive(Clone)]
pub struct ConsoleSecret(String);

impl ConsoleSecret {
    pub fn generate() -> Self {
        let random: [u8; LEN / 2] = rand::rng().random();
        Self(hex(&random))
    }

    /// `None`: not a secret's form.
    pub fn parse(text: &str) -> Option<Self> {
        let fits =
            text.len() == LEN && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        fits.then(|| Self(text.to_owned()))
    }

    /// The stored form.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The text for a cookie or link.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The token that forms of this session carry.
    pub(crate) fn form_token(&self) -> String {
        hex(&Sha256::digest(format!("form {}", self.0)))
    }

    pub(crate) fn allows_form(&self, token: &str) -> bool {
        self.form_token().as_bytes().ct_eq(token.as_bytes()).into()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_back_and_allows_its_own_forms_only() {
        let (one, other) = (ConsoleSecret::generate(), ConsoleSecret::generate());
        let read = ConsoleSecret::parse(one.reveal()).unwrap();
        assert_eq!(read.hash(), one.hash());
        assert!(read.allows_form(&one.form_token()));
        assert!(
            !one.allows_form(&other.form_token()) && !one.allows_form("") && !one.allows_form(one.reveal())
        );
        for wrong in ["", "a", &one.reveal().to_uppercase(), &"g".repeat(LEN)] {
            assert!(ConsoleSecret::parse(wrong).is_none() || wrong.chars().all(|c| c.is_ascii_digit()));
        }
    }
}
