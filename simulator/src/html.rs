//! Text on pages.

pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// An option of a `<select>`.
pub(crate) fn option(value: &str, label: &str, is_chosen: bool) -> String {
    let chosen = if is_chosen { " selected" } else { "" };
    format!("<option value=\"{}\"{chosen}>{}</option>", escaped(value), escaped(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_on_the_page() {
        assert_eq!(escaped("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
