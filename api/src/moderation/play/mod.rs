//! `/moderation/:guildId/play/...`: what game servers and dashboards call to ban and mute, and the active lists.
//!
//! Every change is one transaction: the rows, the staff action of the moderator, the audit entry, the mirror job.

mod active;
mod ban;
mod bans;
mod mirror;
mod mute;
mod mutes;
mod request;
mod unban;
mod unmute;

pub(crate) use ban::ban;
pub(crate) use bans::bans;
use entities::audit_entry::{self, Actor, NewEntry};
use entities::staff_action::{ActionType, NewAction};
use entities::{ChatId, Subject, Timestamp, approval};
pub(crate) use mute::mute;
pub(crate) use mutes::mutes;
use sea_orm::DatabaseTransaction;
use serde_json::Value;
pub(crate) use unban::unban;
pub(crate) use unmute::unmute;

use crate::call::Call;
use crate::http::error::ApiError;

/// What a moderator did to whom.
struct StaffAct {
    kind: ActionType,
    /// Of the audit entry.
    action: &'static str,
    moderator: ChatId,
    target: Subject,
    details: Value,
}

/// Writes the staff action and the audit entry, both by the moderator.
async fn record(
    call: &Call,
    transaction: &DatabaseTransaction,
    act: StaffAct,
    now: Timestamp,
) -> Result<(), ApiError> {
    let target = act.target.to_string();
    let done = NewAction {
        guild: call.guild(),
        staff: act.moderator,
        action_type: act.kind,
        target: target.clone(),
        details: act.details.clone(),
        session: None,
    };
    approval::record(transaction, done, now).await?;
    let actor = moderator(call, act.moderator);
    let entry = NewEntry { guild: call.guild(), action: act.action, target, metadata: act.details };
    audit_entry::write(transaction, &actor, entry, now).await?;
    Ok(())
}

/// The audit log names the acting staff member, and the key that was used (docs/rules.md 6).
fn moderator(call: &Call, moderator: ChatId) -> Actor {
    Actor { actor_id: moderator.get(), ..call.actor() }
}
