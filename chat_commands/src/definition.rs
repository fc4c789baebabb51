//! How a command is described to the platform.

use serde::Serialize;

/// Only in guilds.
const CONTEXTS: [u8; 1] = [0];
/// `CHAT_INPUT`.
const TYPED: u8 = 1;
/// Manage Server, as the platform writes a set of permissions.
pub(crate) const MANAGE_SERVER: &str = "32";

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Definition {
    #[serde(rename = "type")]
    kind: u8,
    name: &'static str,
    description: &'static str,
    options: Vec<Parameter>,
    contexts: [u8; 1],
    /// Who sees it, unless the guild's admins choose others; what a person may do is decided here.
    default_member_permissions: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(into = "u8")]
pub(crate) enum Kind {
    Subcommand,
    Text,
    Whole,
    User,
}

impl From<Kind> for u8 {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Subcommand => 1,
            Kind::Text => 3,
            Kind::Whole => 4,
            Kind::User => 6,
        }
    }
}

/// What the platform calls an option of a command; also a subcommand.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Parameter {
    #[serde(rename = "type")]
    kind: Kind,
    name: &'static str,
    description: &'static str,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u16>,
}

impl Definition {
    pub(crate) fn new(name: &'static str, description: &'static str) -> Self {
        let options = Vec::new();
        Self { kind: TYPED, name, description, options, contexts: CONTEXTS, default_member_permissions: None }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn option(mut self, option: Parameter) -> Self {
        self.options.push(option);
        self
    }

    pub(crate) fn shown_to(self, permissions: &'static str) -> Self {
        Self { default_member_permissions: Some(permissions), ..self }
    }
}

impl Parameter {
    pub(crate) fn new(kind: Kind, name: &'static str, description: &'static str) -> Self {
        Self { kind, name, description, required: false, min_value: None, max_value: None, max_length: None }
    }

    pub(crate) fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(crate) fn within(self, min: i64, max: i64) -> Self {
        Self { min_value: Some(min), max_value: Some(max), ..self }
    }

    pub(crate) fn at_most(self, letters: u16) -> Self {
        Self { max_length: Some(letters), ..self }
    }
}
