//! GET /guilds/:guildId/audit-logs (docs/rules.md 8)

use entities::audit_entry::{self, Filter, Model, Source};
use entities::{AuditId, KeyId, audit_chain};
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
    /// The hash of the guild's newest entry, of those that no sync wrote, whatever the filter and the page. Keep it
    /// elsewhere: as long as it is found in the log, no earlier entry was changed or removed. `null`: there is none.
    #[schema(required, example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    newest_hash: Option<String>,
    /// The same for the entries `sync.member`, which have a chain of their own.
    #[schema(required, example = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752")]
    newest_sync_hash: Option<String>,
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
        /// The place in the guild's log, or among its entries `sync.member`: 1 for the first. `null`: an older version
        /// wrote the entry.
        #[schema(required, example = 812)]
        position: Option<i64>,
        /// SHA-256 over the entry and the hash of the one before it, in hexadecimal digits.
        #[schema(required, example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        hash: Option<String> = row.hash.as_ref().map(hex::encode),
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
    let chains = audit_chain::of_guild(call.read(), call.guild()).await?;
    let [newest_hash, newest_sync_hash] = chains.map(|chain| chain.newest_hash().map(hex::encode));
    let list = |entries, next_cursor| AuditEntries { entries, next_cursor, newest_hash, newest_sync_hash };
    page.reply(rows, |row| row.audit_id, list)
}
