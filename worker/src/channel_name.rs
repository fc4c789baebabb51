//! Names of channels by the chat platform's rules: lower case, words joined by `-`, at most 100 characters.

const MAX_CHARS: usize = 100;
/// Longest first part, so that the second part fits.
const FIRST_PART_MAX_CHARS: usize = 60;
/// Used when both parts have no usable character.
const NAMELESS: &str = "ticket";

/// `Staff application` and `Amber_7` become `staff-application-amber_7`.
pub(crate) fn channel_name(first: &str, second: &str) -> String {
    let (first, second) = (slug(first, FIRST_PART_MAX_CHARS), slug(second, MAX_CHARS));
    let parts: Vec<&str> =
        [first.as_str(), second.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { NAMELESS.to_owned() } else { slug(&parts.join("-"), MAX_CHARS) }
}

/// Letters and digits of any script, `_`, and single `-` between them.
fn slug(text: &str, max: usize) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '_';
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !kept(c)).filter(|word| !word.is_empty()).collect();
    let cut: String = words.join("-").chars().take(max).collect();
    cut.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_panel_and_applicant() {
        for (first, second, expected) in [
            ("Staff application", "Amber_7", "staff-application-amber_7"),
            ("  Q&A — Team!! ", "1000000000000000000", "q-a-team-1000000000000000000"),
            ("Équipe ÜBER", "x", "équipe-über-x"),
            ("🎉", "🎉", "ticket"),
            ("🎉", "bob", "bob"),
        ] {
            assert_eq!(channel_name(first, second), expected);
        }
    }

    #[test]
    fn long_names_keep_a_part_of_each() {
        let name = channel_name(&"a ".repeat(500), &"é".repeat(500));
        assert_eq!(name.chars().count(), MAX_CHARS);
        assert!(name.starts_with("a-a-") && name.ends_with("é"), "{name}");
        // A cut right after a word leaves no dash at the end.
        assert_eq!(slug("ab cd", 3), "ab");
    }
}
