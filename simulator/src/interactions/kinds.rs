//! Types of interactions, and of what people press.

use serde_json::Value;

use crate::message::components::{BUTTON, TEXT_SELECT};

pub(super) const PING: u64 = 1;
pub(super) const COMMAND: u64 = 2;
pub(super) const COMPONENT: u64 = 3;
pub(super) const MODAL: u64 = 5;

/// Whether a component is one that people press, not fill with values.
pub(super) fn is_button(component: &Value) -> bool {
    component["type"] == BUTTON
}

pub(super) fn is_text_select(component: &Value) -> bool {
    component["type"] == TEXT_SELECT
}
