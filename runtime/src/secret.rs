//! A text that must not be logged: tokens, and URLs with passwords. `Debug` hides it; there is no `Display`.

use std::fmt;
use std::path::Path;

use clap::builder::{TypedValueParser, ValueParser};

use crate::error::StartError;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the code that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Secret {
    /// The text of an environment variable; an empty one counts as unset, because Compose files and systemd units mean that.
    pub fn of_variable(name: &str) -> Option<Self> {
        let text = std::env::var_os(name)?.to_string_lossy().into_owned();
        (!text.trim().is_empty()).then_some(Self(text))
    }
}

/// Reads a setting that names the file of a secret. The secret itself is not a flag: the list of processes
/// shows flags.
pub(crate) fn secret_file() -> ValueParser {
    clap::builder::OsStringValueParser::new().try_map(|path| read(Path::new(&path))).into()
}

/// An empty name counts as unset.
fn read(path: &Path) -> Result<Secret, String> {
    if path.as_os_str().is_empty() {
        return Ok(Secret(String::new()));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("the file {} cannot be read: {error}", path.display()))?;
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("the file {} is empty", path.display()));
    }
    Ok(text.into())
}

/// The secret of a variable or of its file, whichever is set.
pub(crate) fn either<'s>(
    variable: &'static str,
    text: Option<&'s Secret>,
    file: Option<&'s Secret>,
) -> Result<Option<&'s Secret>, StartError> {
    let is_set = |secret: &&Secret| !secret.expose().trim().is_empty();
    match (text.filter(is_set), file.filter(is_set)) {
        (Some(_), Some(_)) => Err(StartError::setting(
            variable,
            "is set in two ways, as a text and as the name of a file: keep one",
        )),
        (text, file) => Ok(text.or(file)),
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_hides_the_text() {
        let secret = Secret::from("hunter2");
        assert_eq!(format!("{:?}", Some(&secret)), "Some((hidden))");
        assert_eq!(secret.expose(), "hunter2");
    }
}
