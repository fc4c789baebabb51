//! GET /guilds/:guildId/audit-logs (docs/rules.md 8)

use entities::audit_entry::{self, Filter, Model, Source};
use entities::{AuditId, KeyId};
use serde_json::Value;

use crate::endpoints::guilds::audit_logs::action::ActionOrArea;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct AuditQuery {
        /// Only entries with this action, or with all actions of an area, such as `moderation`.
        action: Option<ActionOrArea>,
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

answer! {
    pub(crate) struct AuditEntry from row: Model {
        id: AuditId = row.audit_id,
        #[schema(example = "bindings.add")]
        action: String,
        /// `custom`: a client appended the entry, and nothing in it is checked.
        source: Source,
        /// The chat user who acted; `0` where the service acted by itself.
        #[schema(example = "812345678901234567")]
        actor_id: String = row.actor_id.to_string(),
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
    let action = action.as_ref().map(|action| action.0.as_str());
    let filter = Filter { action, source, ..Filter::default() };
    let rows = audit_entry::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    page.reply(rows, |row| row.audit_id, |entries, next_cursor| AuditEntries { entries, next_cursor })
}
