//! The nickname defined by a guild's template (docs/rules.md 5).

use crate::MAX_NICK_CHARS;
use entities::PlayId;

/// The template filled in, trimmed and cut to the platform's length. `None`: the guild sets no nicknames.
///
/// `{play_username}` and `{play_id}` are replaced in one pass, so a name that looks like a placeholder stays a name;
/// other braces are text.
pub fn nickname(template: &str, name: &str, id: PlayId) -> Option<String> {
    let mut filled = String::with_capacity(template.len() + name.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{play_username}") {
            filled.push_str(name);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{play_id}") {
            filled.push_str(&id.to_string());
            rest = after;
        } else {
            filled.push('{');
            rest = &rest[1..];
        }
    }
    filled.push_str(rest);
    let cut: String = filled.trim().chars().take(MAX_NICK_CHARS).collect();
    let cut = cut.trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(template: &str, name: &str) -> Option<String> {
        nickname(template, name, PlayId::try_from(156).unwrap())
    }

    #[test]
    fn placeholders_are_filled_once_and_other_text_stays() {
        assert_eq!(of("{play_username}", "builder").unwrap(), "builder");
        assert_eq!(of("[{play_id}] {play_username}", "builder").unwrap(), "[156] builder");
        assert_eq!(of("{play_username}{play_username}", "ab").unwrap(), "abab");
        assert_eq!(of("{{play_id}} {rank} {", "x").unwrap(), "{156} {rank} {");
        assert_eq!(of("{play_username}", "{play_id}").unwrap(), "{play_id}");
    }

    #[test]
    fn names_are_cut_at_32_characters_not_bytes() {
        let long = "é".repeat(40);
        let cut = of("{play_username}", &long).unwrap();
        assert_eq!((cut.chars().count(), cut.len()), (32, 64));
        assert_eq!(of("{play_username}", &"x".repeat(32)).unwrap().len(), 32);
        assert_eq!(of("a{play_username}", "👩‍🚀").unwrap(), "a👩‍🚀");
    }

    #[test]
    fn surrounding_space_is_trimmed_also_after_the_cut() {
        assert_eq!(of("  {play_username} ", "builder").unwrap(), "builder");
        let cut = of("{play_username} | Trainee", &"x".repeat(31)).unwrap();
        assert_eq!(cut, "x".repeat(31));
    }

    #[test]
    fn an_empty_template_or_result_sets_no_nickname() {
        for (template, name) in
            [("", "builder"), ("   ", "builder"), ("{play_username}", ""), ("{play_username}", "  ")]
        {
            assert_eq!(of(template, name), None, "{template:?} {name:?}");
        }
    }
}
