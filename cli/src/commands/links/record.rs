//! A link as audit entries have it; `entities::link_history` reads it.

use entities::link;
use serde_json::{Value, json};

use crate::output;

pub(super) fn described(link: &link::Model) -> Value {
    json!({
        "play_id": link.play_id,
        "play_username": link.play_username,
        "verified_at": output::time(link.verified_at),
    })
}
