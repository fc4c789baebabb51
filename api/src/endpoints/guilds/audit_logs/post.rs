//! POST /guilds/:guildId/audit-logs (docs/rules.md 8): an entry of the client's own.

use entities::AuditId;
use entities::audit_chain;
use entities::audit_entry::{Content, MEMBER_SYNCED, Source};
use serde_json::Value;

use crate::endpoints::guilds::audit_logs::action::Action;
use crate::endpoints::prelude::*;
use crate::request::values::SizedObject;

/// Bytes of an entry's metadata as JSON.
const METADATA_MAX: usize = 16 * 1024;
const OF_SYNCS: &str = "action_of_syncs";

request! {
    pub(crate) struct NewAuditEntry {
        /// `<area>.<verb>`, not `sync.member`, whose entries have a chain of their own.
        action: Action,
        #[example(json!({ "event": "training" }))]
        metadata: Option<SizedObject<METADATA_MAX>>,
        #[example("812345678901234567")]
        target_id: Option<Text<100>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createAuditEntry", "Append an entry of your own")
        .body::<NewAuditEntry>()
        .data::<Created<AuditId>>()
        .refuses(422, &["too_many", OF_SYNCS])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let NewAuditEntry { action, metadata, target_id } = call.body()?;
    if action.0 == MEMBER_SYNCED {
        let message = format!("`action` may not be {MEMBER_SYNCED}: only syncs write such entries");
        return Err(ApiError::rule(OF_SYNCS, message));
    }
    let target = target_id.map(|text| text.0).unwrap_or_default();
    let metadata = Value::Object(metadata.unwrap_or_default().0);
    call.room_for(call.read(), Cap::CustomEntries, 1).await?;
    let work = UnitOfWork::begin(&call).await?;
    let entry = Content {
        guild: call.guild(),
        action: action.0,
        source: Source::Custom,
        actor: call.actor(),
        target,
        metadata,
        created_at: work.now(),
    };
    let id = audit_chain::write_custom(work.tx(), entry).await?;
    work.commit(Reply::data(&Created { id })?).await
}
