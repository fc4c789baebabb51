//! The public id that names a key. The text of a key is refused as an argument: arguments are in lists of processes and in
//! the history of shells. Standard input may have either.

use std::io::Read as _;

use anyhow::bail;
use entities::api_key::{self, Model};
use entities::key_text::KeyText;
use sea_orm::ConnectionTrait;

/// More than the text of a key.
const MAX_BYTES: u64 = 1_000;

#[derive(clap::Args)]
pub(crate) struct KeyArgs {
    /// Its public id, which `keys list` shows; `-` reads the public id or the whole text from standard input
    #[arg(value_name = "PUBLIC_ID")]
    key: String,
}

impl KeyArgs {
    /// Errors do not repeat a secret.
    pub(in crate::commands) fn public_id(self) -> anyhow::Result<String> {
        if self.key != "-" {
            return public_id(self.key);
        }
        let mut text = String::new();
        std::io::stdin().take(MAX_BYTES).read_to_string(&mut text)?;
        match KeyText::parse(text.trim()) {
            Some(key) => Ok(key.public_id().to_owned()),
            None => public_id(text.trim().to_owned()),
        }
    }
}

fn public_id(text: String) -> anyhow::Result<String> {
    if text.starts_with("gh_") {
        bail!(
            "PUBLIC_ID is the text of a key; give its public id, the 8 characters after `gh_`, or pass the whole text \
             to standard input with `-`"
        );
    }
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        bail!(
            "PUBLIC_ID is {:?}, but a public id has 8 characters of a-z and 0-9; `guildhall keys list` shows them",
            text.chars().take(8).collect::<String>()
        );
    }
    Ok(text)
}

/// The key, or an error that says how to find it.
pub(in crate::commands) async fn require<C: ConnectionTrait>(
    conn: &C,
    public_id: &str,
) -> anyhow::Result<Model> {
    match api_key::find_by_public_id(conn, public_id).await? {
        Some(key) => Ok(key),
        None => bail!("there is no key {public_id}; `guildhall keys list` shows the public ids"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_key_is_refused_without_its_secret() {
        let key = KeyText::generate();
        assert_eq!(public_id(key.public_id().to_owned()).unwrap(), key.public_id());
        for text in [key.reveal(), key.reveal()[..40].to_owned(), key.reveal()[3..].to_owned()] {
            let error = public_id(text.clone()).unwrap_err().to_string();
            assert!(!error.contains(&text[12..]) && error.contains("public id"), "{error}");
        }
        assert!(public_id("abc".to_owned()).unwrap_err().to_string().contains("\"abc\""));
    }
}
