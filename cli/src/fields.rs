//! Parsers of single values, shared by the command line, CSV files and fixtures. Each error says what the value must be.

use chrono::SubsecRound;
use entities::application_panel::Questions;
use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSION_MAX, is_play_permission};
use entities::{JobId, Timestamp};

/// Names and other short texts (docs/rules.md 3), characters.
const MAX_TEXT: usize = 1_000;
/// The precision both databases store.
const SUBSECOND_DIGITS: u16 = 6;

/// A text of 1 to 1,000 characters without control characters.
pub(crate) fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT || text.chars().any(char::is_control) {
        return Err(format!("must be a text of 1 to {MAX_TEXT} characters without control characters"));
    }
    Ok(text.to_owned())
}

/// The questions of an application panel, as JSON.
pub(crate) fn questions(text: &str) -> Result<Questions, String> {
    let sent = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    Questions::read(&sent).map_err(|misfit| format!("questions{} must be {}", misfit.place, misfit.rule))
}

/// Any RFC 3339 time, to the microsecond.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    chrono::DateTime::parse_from_rfc3339(text)
        .map(|at| at.to_utc().trunc_subsecs(SUBSECOND_DIGITS))
        .map_err(|_| format!("is {text:?}, expected a time such as 2026-04-12T18:33:21Z"))
}

pub(crate) fn job_id(text: &str) -> Result<JobId, String> {
    let whole = "must be the whole id of a job, a UUID of 36 characters; `guildhall jobs list` shows them";
    // No command prints other forms of a UUID.
    text.parse().ok().filter(|_| text.len() == 36).ok_or_else(|| whole.to_owned())
}

/// One of the known words of a kind, such as the classes of jobs.
pub(crate) fn one_of<'a>(
    word: &str,
    what: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> Result<&'a str, String> {
    let all = known.clone();
    known
        .find(|name| *name == word)
        .ok_or_else(|| format!("{what} are {}", all.collect::<Vec<_>>().join(", ")))
}

/// Names of permissions, separated by commas on the command line; an empty text is an empty list.
#[derive(Debug, Clone)]
pub(crate) struct Permissions(pub(crate) Vec<String>);

pub(crate) fn chat_permissions(text: &str) -> Result<Permissions, String> {
    in_chat(separated(text)).map(Permissions)
}

pub(crate) fn play_permissions(text: &str) -> Result<Permissions, String> {
    in_games(separated(text)).map(Permissions)
}

/// Permissions on the chat side: known names.
pub(crate) fn in_chat(names: Vec<String>) -> Result<Vec<String>, String> {
    match names.iter().find(|name| !CHAT_PERMISSIONS.contains(&name.as_str())) {
        Some(name) => Err(format!("{name:?} is not one of {}", CHAT_PERMISSIONS.join(", "))),
        None => Ok(names),
    }
}

/// Permissions in games: any words.
pub(crate) fn in_games(names: Vec<String>) -> Result<Vec<String>, String> {
    match names.iter().find(|name| !is_play_permission(name)) {
        Some(name) => {
            Err(format!("{name:?} is not 1 to {PLAY_PERMISSION_MAX} lower-case letters, digits and `_.:-`"))
        }
        None => Ok(names),
    }
}

fn separated(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_job_id_is_explained_without_the_parser_s_words() {
        for wrong in ["not-an-id", "01900000", "01900000-0000-7000-8000-00000000000"] {
            assert!(
                job_id(wrong).unwrap_err().starts_with("must be the whole id of a job, a UUID"),
                "{wrong}"
            );
        }
        assert!(job_id("01900000-0000-7000-8000-000000000000").is_ok());
    }
}
