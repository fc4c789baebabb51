//! Actions of staff members and their approval (docs/rules.md 6): [`record`] writes an action, pending where a quota
//! demands approval; [`decide`] approves or rejects it. Both need a transaction.

use crate::pending_action::{self, Verdict};
use crate::staff_action::NewAction;
use crate::staff_action::numbering::{self, Sequence};
use crate::{ActionId, Conn, GuildId, PendingId, Result, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    pub action: ActionId,
    /// Set where a quota demands approval before the action counts.
    pub pending: Option<PendingId>,
}

/// Records actions, in any order.
pub async fn record(conn: &impl Conn, new: Vec<NewAction>, now: Timestamp) -> Result<Vec<Recorded>> {
    let (new, changes): (Vec<_>, Vec<_>) = new.into_iter().partition(|action| action.counts);
    let changes = numbering::add_uncounted(conn, changes, now).await?;
    let mut recorded: Vec<_> =
        changes.into_iter().map(|action| Recorded { action: action.action_id, pending: None }).collect();
    for action in numbering::add(conn, new, now).await? {
        let pending = match action.nth {
            None => Some(pending_action::add(conn, &action, now).await?),
            Some(_) => None,
        };
        recorded.push(Recorded { action: action.action_id, pending });
    }
    Ok(recorded)
}

/// The outcome of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Made(pending_action::Model),
    /// The action was already decided.
    Already(pending_action::Model),
    Unknown,
}

/// Approves or rejects an action; `conn` is a transaction. An approved action counts at the time it was done.
pub async fn decide(
    conn: &impl Conn,
    guild: GuildId,
    pending: PendingId,
    verdict: Verdict,
) -> Result<Decision> {
    let Some(decided) = pending_action::close(conn, guild, pending, verdict).await? else {
        let found = pending_action::find(conn, guild, pending).await?;
        return Ok(found.map_or(Decision::Unknown, Decision::Already));
    };
    if verdict.approve {
        let of = Sequence { guild, staff: decided.staff_id, action_type: decided.action_type };
        numbering::approve(conn, of, decided.action_id, decided.submitted_at).await?;
    }
    Ok(Decision::Made(decided))
}
