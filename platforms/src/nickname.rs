//! Nicknames by the templates of guilds and bindings (docs/rules.md 5).

use std::borrow::Cow;

use entities::PlayId;

use crate::MAX_NICK_CHARS;

/// Characters of a template.
pub(crate) const TEMPLATE_MAX: usize = 200;
/// The placeholders of a binding's template; those of a rank need a binding whose members have one.
pub const BINDING_WORDS: [&str; 6] =
    ["play_username", "play_display_name", "play_id", "chat_username", "rank", "rank_name"];
/// Those of a guild's template, which belongs to no group.
pub const GUILD_WORDS: &[&str] = BINDING_WORDS.split_at(4).0;

/// What is filled in. `None` and empty texts are not known.
#[derive(Debug, Clone, Copy)]
pub struct NameWords<'a> {
    pub play_username: &'a str,
    pub play_display_name: Option<&'a str>,
    pub play_id: PlayId,
    pub chat_username: &'a str,
    pub rank: Option<(i16, &'a str)>,
}

impl NameWords<'_> {
    /// In the order of [`BINDING_WORDS`].
    fn values(&self) -> [Option<Cow<'_, str>>; 6] {
        [
            Some(self.play_username.into()),
            self.play_display_name.map(Into::into),
            Some(self.play_id.to_string().into()),
            Some(self.chat_username).filter(|name| !name.is_empty()).map(Into::into),
            self.rank.map(|(rank, _)| rank.to_string().into()),
            self.rank.map(|(_, name)| name.into()),
        ]
    }
}

/// The template filled in, trimmed and cut to the platform's length. `None`: it sets no nickname, or needs a word that is
/// not known now.
///
/// All words are replaced in one pass, so a name that looks like a placeholder stays a name; other braces are text.
pub fn nickname(template: &str, words: &NameWords<'_>) -> Option<String> {
    let values = words.values();
    let mut filled = String::with_capacity(template.len() + words.play_username.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let known = BINDING_WORDS.iter().zip(&values).find_map(|(word, value)| {
            let after = rest.strip_prefix(word)?.strip_prefix('}')?;
            Some((value, after))
        });
        match known {
            Some((value, after)) => {
                filled.push_str(value.as_deref()?);
                rest = after;
            }
            None => filled.push('{'),
        }
    }
    filled.push_str(rest);
    let cut: String = filled.trim().chars().take(MAX_NICK_CHARS).collect();
    let cut = cut.trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// Whether the template names a rank.
pub fn needs_rank(template: &str) -> bool {
    BINDING_WORDS[GUILD_WORDS.len()..].iter().any(|word| template.contains(&placeholder(word)))
}

/// Whether a text is a template with no placeholders but these.
pub fn is_template(text: &str, words: &[&str]) -> bool {
    let rest = words.iter().fold(text.to_owned(), |rest, word| rest.replace(&placeholder(word), ""));
    text.chars().count() <= TEMPLATE_MAX && !rest.contains(|c: char| matches!(c, '{' | '}') || c.is_control())
}

/// Completes "must be …".
pub fn template_rule(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| placeholder(word)).collect();
    let words = match words.split_last() {
        Some((last, [_, ..])) => format!("{} and {last}", words[..words.len() - 1].join(", ")),
        _ => words.concat(),
    };
    format!("a string of at most {TEMPLATE_MAX} characters with no placeholders but {words}")
}

fn placeholder(word: &str) -> String {
    format!("{{{word}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> NameWords<'_> {
        NameWords {
            play_username: name,
            play_display_name: Some("Bob the Builder"),
            play_id: PlayId::try_from(156).unwrap(),
            chat_username: "bob",
            rank: Some((200, "Captain")),
        }
    }

    fn of(template: &str, name: &str) -> Option<String> {
        nickname(template, &words(name))
    }

    #[test]
    fn placeholders_are_filled_once_and_other_text_stays() {
        assert_eq!(of("{play_username}", "builder").unwrap(), "builder");
        assert_eq!(of("[{play_id}] {play_username}", "builder").unwrap(), "[156] builder");
        assert_eq!(of("{play_username}{play_username}", "ab").unwrap(), "abab");
        assert_eq!(of("{{play_id}} {rang} {", "x").unwrap(), "{156} {rang} {");
        assert_eq!(of("{play_username}", "{play_id}").unwrap(), "{play_id}");
        assert_eq!(of("{rank_name} {rank} {chat_username}", "x").unwrap(), "Captain 200 bob");
        assert_eq!(of("{play_display_name}", "x").unwrap(), "Bob the Builder");
    }

    #[test]
    fn a_word_that_is_not_known_sets_no_nickname() {
        let known = words("builder");
        for template in ["{play_display_name}", "a {chat_username}", "{rank}", "{rank_name} b"] {
            let unknown = NameWords { play_display_name: None, chat_username: "", rank: None, ..known };
            assert_eq!(nickname(template, &unknown), None, "{template}");
            assert!(nickname(template, &known).is_some(), "{template}");
        }
    }

    #[test]
    fn templates_know_their_words() {
        for fine in ["", "{play_username}", "[{play_id}] {chat_username} {play_display_name} x"] {
            assert!(is_template(fine, GUILD_WORDS) && is_template(fine, &BINDING_WORDS), "{fine}");
            assert!(!needs_rank(fine), "{fine}");
        }
        for ranked in ["{rank}", "{rank_name} {play_id}"] {
            assert!(!is_template(ranked, GUILD_WORDS) && is_template(ranked, &BINDING_WORDS), "{ranked}");
            assert!(needs_rank(ranked), "{ranked}");
        }
        for bad in ["{rang}", "{play_username", "}", "{}", "{ play_id }", "a\nb", &"é".repeat(201)] {
            assert!(!is_template(bad, &BINDING_WORDS), "{bad}");
        }
        let rule = template_rule(GUILD_WORDS);
        assert!(
            rule.ends_with("but {play_username}, {play_display_name}, {play_id} and {chat_username}"),
            "{rule}"
        );
    }

    #[test]
    fn names_are_cut_at_32_characters_not_bytes() {
        assert_eq!(of("{play_username}", &"é".repeat(40)).unwrap(), "é".repeat(32));
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
