//! The addresses in a reason: shown as links beside it, the reason itself stays text.

/// Addresses of the web in a text, in order, each once.
pub(super) fn links(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`'));
    let mut links: Vec<String> = Vec::new();
    for word in words {
        let start = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min();
        let Some(link) = start.map(|start| &word[start..]) else { continue };
        let link = link.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '_']);
        let host = link.split_once("://").map_or("", |(_, rest)| rest);
        let named = host.starts_with(|c: char| c.is_alphanumeric() || c == '[');
        let hidden = link.chars().any(char::is_control);
        if named && !hidden && !links.iter().any(|known| known == link) {
            links.push(link.to_owned());
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        let text = "exploiting (https://a.example/v?t=1). Also <http://b.example/x>, https://a.example/v?t=1";
        assert_eq!(links(text), ["https://a.example/v?t=1", "http://b.example/x"]);
        for none in [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://",
            "https:// x",
            "ftp://a.example",
            "//a.example",
        ] {
            assert!(links(none).is_empty(), "{none}");
        }
        assert_eq!(links("javascript://https://a.example"), ["https://a.example"]);
    }
}
