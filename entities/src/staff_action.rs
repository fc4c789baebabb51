//! Actions of staff members (docs/rules.md 6).
//!
//! `nth` numbers the actions of one kind by one staff member that count, without gaps, in the order of `counted_at`;
//! [`totals`] reads totals off it. [`crate::approval`] writes rows through `numbering`: an action that needs approval has no number until
//! its approval, so an action that waits or was rejected counts nowhere.

pub mod numbering;
pub mod old;
pub mod times;
pub mod totals;
pub mod withdrawal;

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{ActionId, ChatId, Conn, GuildId, Page, Result, SessionId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_action")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub action_id: ActionId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub action_type: ActionType,
    /// The action's number among the member's counted actions of this type, from 1. `None` while it waits for approval,
    /// after a rejection, of a change of what an earlier action did, and of an action that was undone. Approving an earlier
    /// action raises it, undoing one lowers it.
    pub nth: Option<i64>,
    /// The time at which it counts: when it was done. Never before that of the previous number.
    pub counted_at: Option<Timestamp>,
    pub target_id: String,
    pub details: Json,
    pub session_id: Option<SessionId>,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(ActionId: list);

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    VariantArray,
    EnumString,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionType {
    Ban,
    Unban,
    Mute,
    Unmute,
    Warn,
    Kick,
    Custom,
}

impl ActionType {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Points on the leaderboard where the guild sets none (docs/rules.md 6).
    pub fn default_points(self) -> i64 {
        match self {
            Self::Ban => 5,
            Self::Mute | Self::Kick => 3,
            Self::Warn => 2,
            Self::Unban | Self::Unmute | Self::Custom => 1,
        }
    }
}

/// Actions of one staff member, newest first.
pub async fn list_of(
    conn: &impl Conn,
    guild: GuildId,
    staff: ChatId,
    page: Page<ActionId>,
) -> Result<Vec<Model>> {
    newest(guild, page).filter(Column::StaffId.eq(staff)).all(conn).await
}

/// An action to insert.
#[derive(Debug, Clone)]
pub struct NewAction {
    pub guild: GuildId,
    pub staff: ChatId,
    pub action_type: ActionType,
    pub target: String,
    pub details: Json,
    pub session: Option<SessionId>,
    /// False: it changes what an earlier action did, and counts in no total.
    pub counts: bool,
}
