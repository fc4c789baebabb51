//! Fields of a query or form, by name, as the person gave them.

use std::borrow::Cow;
use std::str::FromStr;

use http::StatusCode;
use serde_json::{Map, Value};

use crate::response::body::Unread;

/// The fields that give the begin of a part of a list.
const PART_FIELDS: [&str; 4] = ["before", "after", "cursor", "skip"];

/// Fields of a form: more than the largest page has.
pub const MOST_FIELDS: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Refuses more than any page has.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Unread> {
        let mut fields = Vec::new();
        for (name, value) in form_urlencoded::parse(text) {
            if fields.len() == MOST_FIELDS {
                let text = "this form has more fields than any page of this console".to_owned();
                return Err(Unread { status: StatusCode::PAYLOAD_TOO_LARGE, text });
            }
            fields.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(fields))
    }

    /// Refuses a NUL, which Postgres does not store.
    pub(crate) fn check_texts(&self) -> Result<(), Unread> {
        let with_nul = self.0.iter().find(|(name, value)| name.contains('\0') || value.contains('\0'));
        with_nul.map_or(Ok(()), |(name, _)| {
            let text =
                format!("the field \u{201c}{}\u{201d} has a NUL (%00) in it", name.replace('\0', "%00"));
            Err(Unread { status: StatusCode::UNPROCESSABLE_ENTITY, text })
        })
    }

    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    /// The trimmed text of a field; empty where it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
    }

    /// All texts of a field that may be given several times.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(field, _)| field == name).map(|(_, value)| value.trim()).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }

    /// Who was chosen of those whom the form offered for this text: `<id> <text>` in a field of its own.
    pub(crate) fn choice(&self, name: &str) -> Option<&str> {
        let choice = self.text(&format!("{name}_is"));
        choice.split_once(' ').filter(|(_, text)| *text == self.text(name)).map(|_| choice)
    }

    /// `None`: absent or malformed.
    pub(crate) fn read<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).parse().ok()
    }

    /// These fields as texts of a JSON body; absent ones are left out, so that the API names them.
    pub(crate) fn json(&self, names: &[&str]) -> Map<String, Value> {
        let given = names.iter().filter(|name| self.has(name));
        given.map(|name| ((*name).to_owned(), Value::from(self.text(name)))).collect()
    }

    /// The query of the first part of a list; `None`: these fields ask for it already.
    pub(crate) fn start(&self) -> Option<Self> {
        let is_of_part = |name: &str| PART_FIELDS.contains(&name);
        let kept = Self(self.0.iter().filter(|(name, _)| !is_of_part(name)).cloned().collect());
        (kept.0.len() < self.0.len()).then_some(kept)
    }

    /// These fields with one more.
    pub(crate) fn and(&self, name: &str, value: &str) -> Self {
        let kept = self.0.iter().filter(|(field, _)| field != name).cloned();
        Self(kept.chain([(name.to_owned(), value.to_owned())]).collect())
    }

    /// Without the fields of these names.
    pub(crate) fn without(&self, names: &[String]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !names.contains(name)).cloned().collect())
    }

    /// Only the fields of these names.
    pub(crate) fn only(&self, names: &[String]) -> Self {
        Self(self.0.iter().filter(|(name, _)| names.contains(name)).cloned().collect())
    }

    /// These fields and those.
    pub(crate) fn joined(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// These fields with this before their names.
    pub(crate) fn prefixed(&self, prefix: &str) -> Self {
        Self(self.0.iter().map(|(name, value)| (format!("{prefix}{name}"), value.clone())).collect())
    }

    /// The fields whose names begin with this, by the rest of their names.
    pub(crate) fn behind(&self, prefix: &str) -> Self {
        let rest =
            |(name, value): &(String, String)| Some((name.strip_prefix(prefix)?.to_owned(), value.clone()));
        Self(self.0.iter().filter_map(rest).collect())
    }

    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// The query of an address with one field set; an empty value removes it.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let kept = self.0.iter().filter(|(field, text)| field != name && !text.is_empty());
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(kept);
        if !value.is_empty() {
            query.append_pair(name, value);
        }
        query.finish()
    }
}

/// One part of a path, percent-encoded.
pub(crate) fn segment(text: &str) -> Cow<'_, str> {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_trimmed_and_an_address_keeps_the_others() {
        let parse = |text: &[u8]| Fields::parse(text).unwrap();
        let fields = parse(b"q=+a%26b+&page=2&role=1&role=2&empty=");
        assert_eq!((fields.text("q"), fields.text("none"), fields.all("role")), ("a&b", "", vec!["1", "2"]));
        assert_eq!(fields.with("page", ""), "q=+a%26b+&role=1&role=2");
        assert_eq!(fields.with("page", "3"), "q=+a%26b+&role=1&role=2&page=3");
        assert!(fields.start().is_none());
        assert_eq!(parse(b"q=a&before=7").start().unwrap().with("", ""), "q=a");
        assert_eq!(fields.and("page", "3").all("page"), ["3"]);
        assert_eq!(fields.json(&["q", "none"]).len(), 1);
        assert_eq!(segment("a/b?"), "a%2Fb%3F");
    }

    #[test]
    fn fields_are_counted_while_they_are_read() {
        assert!(Fields::parse(&b"a&".repeat(MOST_FIELDS)).is_ok());
        assert!(Fields::parse(&b"a&".repeat(MOST_FIELDS + 1)).is_err());
    }
}
