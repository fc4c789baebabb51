//! Texts of times, durations and counts in the console.

use std::fmt;

use chrono::{SubsecRound, TimeDelta};
use entities::Timestamp;
pub(crate) use people::format::{Count, Length, Number, exact};

/// A relative time, with the exact one in the element: scripts add the viewer's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct When {
    pub(crate) at: Timestamp,
    pub(crate) now: Timestamp,
}

/// It writes digits and fixed words only.
impl askama::filters::HtmlSafe for When {}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (machine, exact) = (self.at.format("%Y-%m-%dT%H:%M:%SZ"), exact(self.at));
        write!(f, r#"<time datetime="{machine}" title="{exact}">{}</time>"#, self.words())
    }
}

impl When {
    pub(crate) fn words(self) -> String {
        // Of the second that the page names, as the script in the browser counts it.
        let distance = self.now - self.at.trunc_subsecs(0);
        match distance.abs() {
            near if near < TimeDelta::seconds(45) => "just now".to_owned(),
            far if far > TimeDelta::days(30) => self.at.format("%-d %b %Y").to_string(),
            length if distance < TimeDelta::zero() => format!("in {}", Length(length)),
            length => format!("{} ago", Length(length)),
        }
    }
}

/// The first letters of a text, with an ellipsis where it goes on.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The first letters of a name, for the round picture.
pub(crate) fn initials(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.chars().next());
    let letters: String = words.take(2).flat_map(char::to_uppercase).collect();
    if letters.is_empty() { "?".to_owned() } else { letters }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let said = |seconds| When { at: now - TimeDelta::seconds(seconds), now }.words();
        assert_eq!(
            [3, 180, 7_200, 86_400, 3 * 86_400].map(said),
            ["just now", "3 min ago", "2 h ago", "1 day ago", "3 days ago"]
        );
        assert_eq!([-180, 40 * 86_400].map(said), ["in 3 min", "13 Oct 2026"]);
        let element = When { at: now, now }.to_string();
        assert!(
            element.starts_with(r#"<time datetime="2026-11-22T12:00:00Z" title="22 Nov 2026, 12:00 UTC">"#),
            "{element}"
        );
    }

    #[test]
    fn names_have_initials() {
        assert_eq!(["ada lovelace", "Bob_99", "", "…"].map(initials), ["AL", "B9", "?", "?"]);
    }
}
