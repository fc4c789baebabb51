//! The marks in a message's text, as the chat platform's clients show them.

use std::fmt::Write as _;

use chrono::DateTime;

use crate::html::escaped;

/// Marks that begin and end with the same letters, and their elements.
const MARKS: [(&str, &str); 3] = [("**", "b"), ("*", "i"), ("`", "code")];

/// `named`: the name behind what a mention has between `<@` and `>`.
pub(super) fn html(text: &str, named: impl Fn(&str) -> Option<String>) -> String {
    let (mut html, mut open, mut rest) = (String::with_capacity(text.len()), Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        if let Some((shown, after)) = in_brackets(rest, &named) {
            html.push_str(&shown);
            rest = after;
        } else if let Some((mark, element)) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)) {
            if open.last() == Some(element) {
                open.pop();
                _ = write!(html, "</{element}>");
            } else {
                open.push(*element);
                _ = write!(html, "<{element}>");
            }
            rest = &rest[mark.len()..];
        } else {
            let after = &rest[first.len_utf8()..];
            let literal = after.chars().next().filter(|next| first == '\\' && next.is_ascii_punctuation());
            let shown = literal.unwrap_or(first);
            html.push_str(&escaped(&shown.to_string()));
            rest = literal.map_or(after, |literal| &after[literal.len_utf8()..]);
        }
    }
    for element in open.iter().rev() {
        _ = write!(html, "</{element}>");
    }
    html
}

/// A mention or a time, and what follows it.
fn in_brackets<'t>(text: &'t str, named: &impl Fn(&str) -> Option<String>) -> Option<(String, &'t str)> {
    let (inner, after) = text.strip_prefix('<')?.split_once('>')?;
    if let Some(mention) = inner.strip_prefix('@') {
        return Some((format!("<b>@{}</b>", escaped(&named(mention)?)), after));
    }
    let seconds = inner.strip_prefix("t:")?.split(':').next()?.parse().ok()?;
    let time = DateTime::from_timestamp(seconds, 0)?;
    Some((time.format("<time>%-d %B %Y</time>").to_string(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_elements_and_all_else_is_text() {
        let named = |mention: &str| (mention == "7").then(|| "A<b".to_owned());
        let shown = |text: &str| html(text, named);
        assert_eq!(shown("**a** *b* `c`"), "<b>a</b> <i>b</i> <code>c</code>");
        assert_eq!(shown(r"a\_b \*c\* d\e"), r"a_b *c* d\e");
        assert_eq!(shown("hi <@7>, <@8>"), "hi <b>@A&lt;b</b>, &lt;@8&gt;");
        assert_eq!(shown("since <t:0:D>"), "since <time>1 January 1970</time>");
        assert_eq!(shown("<script> ** x"), "&lt;script&gt; <b> x</b>");
    }
}
