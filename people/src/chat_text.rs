//! Text of people in messages of the chat platform.

/// As it is: without formatting, mentions and links, in one line, and nothing in it that is not seen.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | '\'' | '!' | '?') {
            safe.push('\\');
        }
        safe.push(if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    }
    safe
}

/// Without a glyph of its own: it hides text, turns its direction, or makes two names look alike.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The first letters, with an ellipsis where the text goes on.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.saturating_sub(1)) {
        Some((end, _)) if text.chars().nth(most).is_some() => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_people_stays_text() {
        assert_eq!(plain("a_b*c"), "a\\_b\\*c");
        assert_eq!(
            plain("<@1> @everyone [x](https://e)"),
            "\\<\\@1\\> \\@everyone \\[x\\]\\(https\\:\\/\\/e\\)"
        );
        assert_eq!(plain("Don't. Really?\n# no\u{2028}> x"), "Don't. Really? \\# no \\> x");
    }

    #[test]
    fn what_is_not_seen_is_left_out() {
        assert_eq!(plain("\u{202e}zqx\u{2066}\u{200f}"), "zqx");
        assert_eq!(plain("@\u{200b}everyone\u{e0041} é 日 👍🏽"), "\\@everyone é 日 👍🏽");
    }

    #[test]
    fn long_text_is_cut_between_letters() {
        assert_eq!([cut("äöü", 3), cut("äöüß", 3), cut("", 3)], ["äöü", "äö…", ""]);
    }
}
