//! Texts of times, durations and counts in the console.

use std::fmt;

use chrono::{SubsecRound, TimeDelta};
use entities::Timestamp;

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
    fn words(self) -> String {
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

/// "22 Nov 2026, 12:00 UTC": for texts that have no element for the time.
pub(crate) fn exact(at: Timestamp) -> String {
    at.format("%-d %b %Y, %H:%M UTC").to_string()
}

/// A length of time in its largest unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length(pub(crate) TimeDelta);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.num_seconds().max(0);
        match seconds {
            0..60 => write!(f, "{seconds} s"),
            60..3_600 => write!(f, "{} min", (seconds + 30) / 60),
            3_600..86_400 => write!(f, "{} h", (seconds + 1_800) / 3_600),
            _ => write!(f, "{}", Count((seconds + 43_200) / 86_400, "day")),
        }
    }
}

/// "1 member", "1,204 members".
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count<N>(pub(crate) N, pub(crate) &'static str);

impl<N: Copy + fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == N::from(1) { "" } else { "s" };
        write!(f, "{} {}{plural}", Number(self.0), self.1)
    }
}

/// 1,204,000
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number<N>(pub(crate) N);

impl<N: fmt::Display> fmt::Display for Number<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let (sign, digits) = text.split_at(text.len() - text.trim_start_matches('-').len());
        f.write_str(sign)?;
        for (digit, left) in digits.chars().zip((0..digits.len()).rev()) {
            write!(f, "{digit}")?;
            if left > 0 && left.is_multiple_of(3) {
                f.write_str(",")?;
            }
        }
        Ok(())
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
    fn numbers_have_groups_and_names_initials() {
        assert_eq!(
            [0, 999, 1_204, 1_000_000, -1_204].map(|n| Number(n).to_string()),
            ["0", "999", "1,204", "1,000,000", "-1,204"]
        );
        assert_eq!(
            (Count(1, "member").to_string(), Count(1_204, "member").to_string()),
            ("1 member".to_owned(), "1,204 members".to_owned())
        );
        assert_eq!(["ada lovelace", "Bob_99", "", "…"].map(initials), ["AL", "B9", "?", "?"]);
    }
}
