//! One of the entries of a list to choose from in a form.

use platforms::TextChannel;

pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) disabled: bool,
}

impl Choice {
    pub(crate) fn new(value: String, label: &str) -> Self {
        Self { value, label: label.to_owned(), disabled: false }
    }

    /// Not for choice where the bot may not post.
    pub(crate) fn of_channel(TextChannel { id, name, lacks }: &TextChannel) -> Self {
        let problem = lacks.map(|permission| format!(" (the bot lacks {permission})")).unwrap_or_default();
        Self { disabled: lacks.is_some(), ..Self::new(id.to_string(), &format!("#{name}{problem}")) }
    }

    /// What the chat platform does not show stays a choice: a save must not make none of it.
    pub(crate) fn keep(choices: &mut Vec<Self>, value: &str, label: &str) {
        if choices.iter().all(|choice| choice.value != value) {
            choices.push(Self::new(value.to_owned(), label));
        }
    }
}
