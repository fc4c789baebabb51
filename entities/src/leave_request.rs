//! Requests of staff for leave (docs/rules.md 6). Each is decided once; an approval adds the leave.

use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, LeaveRequestId, LoaId, Page, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "leave_request")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub leave_request_id: LeaveRequestId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub reason: String,
    pub state: State,
    pub created_at: Timestamp,
    /// Also of a withdrawal.
    pub decided_at: Option<Timestamp>,
    pub decided_by: Option<ChatId>,
    /// The leave that the approval added.
    pub loa_id: Option<LoaId>,
}

no_relations!();

by_id!(LeaveRequestId: find, find_for_update, save, newest);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LeaveRequestState)]
pub enum State {
    Requested,
    Approved,
    Rejected,
    /// By the staff member who asked.
    Withdrawn,
}

/// A request to insert.
#[derive(Debug, Clone, DeriveIntoActiveModel)]
pub struct NewRequest {
    pub staff_id: ChatId,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub reason: String,
}

pub async fn add(conn: &impl Conn, guild: GuildId, new: NewRequest, now: Timestamp) -> Result<Model> {
    let row = new.into_active_model();
    let row = ActiveModel { guild_id: Set(guild), state: Set(State::Requested), created_at: Set(now), ..row };
    row.insert(conn).await
}

/// Filter of a list of requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub staff: Option<ChatId>,
    pub state: Option<State>,
}

/// Requests of a guild, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<LeaveRequestId>,
) -> Result<Vec<Model>> {
    let shown = Condition::all()
        .add_option(filter.staff.map(|staff| Column::StaffId.eq(staff)))
        .add_option(filter.state.map(|state| Column::State.eq(state)));
    newest(guild, page).filter(shown).all(conn).await
}
