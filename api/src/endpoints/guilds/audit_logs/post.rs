//! POST /guilds/:guildId/audit-logs (docs/rules.md 8): an entry of the client's own.

use entities::audit_entry::{Content, Source};
use entities::{AuditId, audit_action, audit_chain};
use serde_json::Value;

use crate::endpoints::guilds::audit_logs::action::Action;
use crate::endpoints::prelude::*;
use crate::request::values::SizedObject;

/// Bytes of an entry's metadata as JSON.
const METADATA_MAX: usize = 16 * 1024;
const ACTION_OF_SERVICE: &str = "action_of_service";

request! {
    pub(crate) struct NewAuditEntry {
        /// `<area>.<verb>`, none of the service's own actions.
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
        .refuses(422, &["too_many", ACTION_OF_SERVICE])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let NewAuditEntry { action, metadata, target_id } = call.body()?;
    if audit_action::is_known(&action.0) {
        let message = format!("`action` may be no action that the service itself logs; sent: {}", action.0);
        return Err(ApiError::rule(ACTION_OF_SERVICE, message));
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
