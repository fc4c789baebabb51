//! The parameters of a path, decoded.

use percent_encoding::percent_decode_str;

use crate::request::parts::{Sent, Source};
use crate::response::error::ApiError;

#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn decode<'p>(found: impl Iterator<Item = (&'p str, &'p str)>) -> Result<Self, ApiError> {
        let decode = |(name, raw): (&str, &str)| {
            let text = percent_decode_str(raw).decode_utf8().ok().filter(|text| !text.contains('\0'));
            let text = text.ok_or_else(|| ApiError::field(name, &raw.into(), "valid UTF-8 without NUL"))?;
            Ok((name.to_owned(), text.into_owned()))
        };
        found.map(decode).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Source for Params {
    /// A missing parameter is the empty id of a server.
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        Some(Sent::Text(self.get(name).unwrap_or_default()))
    }
}
