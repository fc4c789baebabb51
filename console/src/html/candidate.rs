//! A person who may be meant by what was typed in a field, as lists of suggestions and forms show them.

#[derive(Debug)]
pub(crate) struct Candidate {
    /// An id that names the person alone.
    pub(crate) id: String,
    /// What the field takes when the person is chosen while typing: a name where it names nobody else.
    pub(crate) value: String,
    pub(crate) name: String,
    pub(crate) initials: String,
    /// The class of the colour.
    pub(crate) tone: &'static str,
    /// Other names, and both ids.
    pub(crate) about: String,
    pub(crate) is_banned: bool,
}

/// Why a typed text names no person, with those who may be meant.
#[derive(Debug, Default)]
pub(crate) struct Unresolved {
    pub(crate) text: String,
    pub(crate) candidates: Vec<Candidate>,
}

impl From<&str> for Unresolved {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Unresolved {
    fn from(text: String) -> Self {
        Self { text, candidates: Vec::new() }
    }
}
