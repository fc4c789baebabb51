//! A moderator's act on a target: the staff action and the audit entry, both by the moderator.

use entities::audit_entry::Actor;
use entities::staff_action::{ActionType, NewAction};
use entities::{ChatId, Subject, approval};
use runtime::ModerationVerb;
use serde_json::Value;

use crate::endpoints::prelude::*;

pub(crate) struct StaffAct {
    pub(crate) verb: ModerationVerb,
    pub(crate) moderator: ChatId,
    pub(crate) target: Subject,
    pub(crate) details: Value,
}

pub(crate) async fn record(call: &Call, work: &UnitOfWork<'_>, act: StaffAct) -> Result<(), ApiError> {
    let (action_type, action) = match act.verb {
        ModerationVerb::Ban => (ActionType::Ban, "moderation.ban"),
        ModerationVerb::Unban => (ActionType::Unban, "moderation.unban"),
        ModerationVerb::Mute => (ActionType::Mute, "moderation.mute"),
        ModerationVerb::Unmute => (ActionType::Unmute, "moderation.unmute"),
    };
    let done = NewAction {
        guild: call.guild(),
        staff: act.moderator,
        action_type,
        target: act.target.to_string(),
        details: act.details.clone(),
        session: None,
    };
    approval::record(work.tx(), done, work.now()).await?;
    work.audit_as(&moderator(call, act.moderator), action, act.target, act.details).await
}

/// The audit log names the acting staff member and the key (docs/rules.md 6).
pub(crate) fn moderator(call: &Call, moderator: ChatId) -> Actor {
    Actor { actor_id: moderator.get(), ..call.actor() }
}
