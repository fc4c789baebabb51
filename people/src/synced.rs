//! The result of a sync in words.

use serde_json::Value;

/// `done`: the data of the API's answer, or of a job. `role` and `text` put ids of roles and words of others into the form of
/// the page or message.
pub fn synced(
    member: &str,
    done: &Value,
    role: impl Fn(&str) -> String,
    text: impl Fn(&str) -> String,
) -> String {
    let named = |id: &Value| role(id.as_str().unwrap_or("?"));
    let list = |field: &str| -> Vec<String> {
        done[field].as_array().map(|ids| ids.iter().map(named).collect()).unwrap_or_default()
    };
    let (added, removed) = (list("added_roles"), list("removed_roles"));
    let mut parts = Vec::new();
    if !added.is_empty() {
        parts.push(format!("gave {}", added.join(", ")));
    }
    if !removed.is_empty() {
        parts.push(format!("removed {}", removed.join(", ")));
    }
    if done["nickname_updated"] == true {
        parts.push("set the nickname".to_owned());
    }
    for failed in done["failed_roles"].as_array().into_iter().flatten() {
        let why = failed["reason"].as_str().unwrap_or("Discord refused it");
        parts.push(format!("could not change {}: {}", named(&failed["role_id"]), text(why)));
    }
    if let Some(why) = done["nickname_error"].as_str() {
        parts.push(format!("left the nickname: {}", text(why)));
    }
    let what = if parts.is_empty() { "nothing had to change".to_owned() } else { parts.join("; ") };
    format!("Synced {member}: {what}.")
}
