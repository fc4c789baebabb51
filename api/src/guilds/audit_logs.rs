//! GET and POST /guilds/:guildId/audit-logs (docs/rules.md 8)

use entities::audit_entry::{self, CustomEntry, Filter, Model, Source};
use entities::{AuditId, KeyId};
use serde::Serialize;
use serde_json::Value;

use crate::call::Call;
use crate::fields::{Field, Object, Text};
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

const ACTION_MAX: usize = 100;
const ACTION_ALLOWED: &str = "`<area>.<verb>` of lower-case letters, digits and `_`, at most 100 characters";
/// Bytes of an entry's metadata as JSON.
const METADATA_MAX: usize = 16 * 1024;

#[derive(Serialize)]
struct Entries {
    entries: Vec<Entry>,
    next_cursor: Option<AuditId>,
}

#[derive(Serialize)]
struct Entry {
    id: AuditId,
    action: String,
    source: Source,
    /// A chat user; `0` where the service itself acted.
    actor_id: String,
    target_id: String,
    metadata: Value,
    created_at: Seconds,
    key_id: Option<KeyId>,
    request_id: Option<String>,
}

impl From<Model> for Entry {
    fn from(row: Model) -> Self {
        Self {
            id: row.audit_id,
            action: row.action,
            source: row.source,
            actor_id: row.actor_id.to_string(),
            target_id: row.target_id,
            metadata: row.metadata,
            created_at: Seconds(row.created_at),
            key_id: row.key_id,
            request_id: row.request_id,
        }
    }
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<AuditId>::of(&call, "the `id` of an entry")?;
    let action = call.query.text("action");
    if let Some(action) = action.filter(|action| !is_action(action)) {
        return Err(ApiError::field("action", &action.into(), ACTION_ALLOWED));
    }
    let filter = Filter { action, source: call.query.text("source").map(source).transpose()? };
    let mut rows = audit_entry::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.audit_id);
    Reply::data(&Entries { entries: rows.into_iter().map(Entry::from).collect(), next_cursor })
}

fn source(text: &str) -> Result<Source, ApiError> {
    let found = Source::ALL.iter().copied().find(|source| source.name() == text);
    found.ok_or_else(|| ApiError::field("source", &text.into(), "service or custom"))
}

#[derive(Serialize)]
struct Added {
    id: AuditId,
}

pub(crate) async fn add(call: Call) -> Result<Reply, ApiError> {
    let Action(action) = call.fields.required("action")?;
    let Object(metadata) = call.fields.optional("metadata")?.unwrap_or(Object(serde_json::Map::new()));
    let target = call.fields.optional::<Text<100>>("target_id")?.map(|text| text.0).unwrap_or_default();
    let metadata = Value::Object(metadata);
    let size = metadata.to_string().len();
    if size > METADATA_MAX {
        let sent = format!("{size} bytes");
        return Err(ApiError::field(
            "metadata",
            &sent.into(),
            &format!("an object of at most {METADATA_MAX} bytes"),
        ));
    }
    let transaction = call.begin().await?;
    let entry = CustomEntry { guild: call.guild(), action, target, metadata };
    let id = audit_entry::write_custom(&transaction, &call.actor(), entry, call.now()).await?;
    call.commit(transaction, Reply::data(&Added { id })?).await
}

/// The name of a custom action.
struct Action(String);

impl Field for Action {
    fn allowed() -> std::borrow::Cow<'static, str> {
        ACTION_ALLOWED.into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str().filter(|text| is_action(text)).map(|text| Self(text.to_owned()))
    }
}

fn is_action(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    text.len() <= ACTION_MAX && text.contains('.') && text.split('.').all(word)
}

#[cfg(test)]
mod tests {
    use super::is_action;

    #[test]
    fn actions_are_dotted_words() {
        for fine in ["a.b", "staff.note_add", "area1.sub.verb"] {
            assert!(is_action(fine), "{fine}");
        }
        let long = format!("a.{}", "b".repeat(99));
        for bad in ["", "a", ".", "a.", ".b", "a..b", "A.b", "a b.c", "ä.b", &long] {
            assert!(!is_action(bad), "{bad}");
        }
    }
}
