//! A word of a state, with the sign of its kind.

use std::fmt::Display;

use askama::Template;
use askama::filters::HtmlSafe;

#[derive(Template)]
#[template(path = "mark.html")]
pub(crate) struct Mark<'a> {
    /// `quiet`, or an icon: `good`, `bad`, `warning`, `info`.
    kind: &'a str,
    word: &'a dyn Display,
}

impl<'a> Mark<'a> {
    pub(crate) fn new(kind: &'a str, word: &'a dyn Display) -> Self {
        Self { kind, word }
    }
}

impl HtmlSafe for Mark<'_> {}
