//! The tags of a page, as a browser's parser finds them.

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// All opening tags.
pub(super) fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        if rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            let (tag, after) = tag(rest);
            tags.push(tag);
            rest = after;
        }
    }
    tags
}

fn tag(text: &str) -> (Tag, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut tag = Tag { name: name.to_ascii_lowercase(), attributes: Vec::new() };
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            return (tag, rest.trim_start_matches('>'));
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len()).max(1);
        let (name, after) = rest.split_at(end);
        rest = after.trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = attribute(after.trim_start());
        }
        tag.attributes.push((name.to_ascii_lowercase(), value.to_owned()));
    }
}

/// The value at the start of the text, and what follows it.
fn attribute(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.split_once(quote).unwrap_or((inner, ""));
        }
    }
    text.split_at(text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len()))
}

#[test]
fn what_a_browser_would_run_is_found() {
    let html = r#"<a href="/x">1 < 2</a><IMG src=x OnError='f()'/><b title="<i on=1>"><script >"#;
    let found = tags(html);
    let names: Vec<_> = found.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(names, ["a", "img", "b", "script"]);
    assert_eq!((found[1].value("onerror"), found[0].value("href")), (Some("f()"), Some("/x")));
    assert_eq!(found[2].value("title"), Some("<i on=1>"));
}
