//! GET /guilds/:guildId/audit-logs (docs/rules.md 8)

use entities::audit_entry::{self, Filter, Model, Source};
use entities::{AuditId, KeyId};
use serde_json::Value;

use crate::endpoints::guilds::audit_logs::action::Action;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct AuditQuery {
        /// Only entries with this action.
        action: Option<Action>,
        /// Only entries that the service wrote, or only those that clients appended.
        source: Option<Source>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEntries {
    entries: Vec<AuditEntry>,
    #[schema(required)]
    next_cursor: Option<AuditId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEntry {
    id: AuditId,
    #[schema(example = "bindings.add")]
    action: String,
    /// `custom`: a client appended the entry, and nothing in it is checked.
    source: Source,
    /// The chat user who acted; `0` where the service acted by itself.
    #[schema(example = "812345678901234567")]
    actor_id: String,
    #[schema(example = "17")]
    target_id: String,
    #[schema(value_type = Object, example = json!({ "after": { "rank": 100 } }))]
    metadata: Value,
    created_at: Seconds,
    /// The key that was used.
    #[schema(required)]
    key_id: Option<KeyId>,
    #[schema(required, example = "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e")]
    request_id: Option<String>,
}

impl From<Model> for AuditEntry {
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

pub(crate) fn operation() -> Operation {
    Operation::new("listAuditEntries", "Audit entries, newest first")
        .paged::<AuditId>()
        .query::<AuditQuery>()
        .data::<AuditEntries>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<AuditId>()?;
    let AuditQuery { action, source } = call.query()?;
    let filter = Filter { action: action.as_ref().map(|action| action.0.as_str()), source };
    let mut rows = audit_entry::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.audit_id);
    Reply::data(&AuditEntries { entries: rows.into_iter().map(AuditEntry::from).collect(), next_cursor })
}
