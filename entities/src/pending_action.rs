//! Actions that wait for approval (docs/rules.md 6). Each is decided once.

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::staff_action::{self, ActionType};
use crate::{ActionId, ChatId, Conn, GuildId, Page, PendingId, Result, Timestamp, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pending_action")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub pending_id: PendingId,
    pub guild_id: GuildId,
    pub action_id: ActionId,
    pub staff_id: ChatId,
    pub action_type: ActionType,
    pub state: State,
    pub submitted_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    pub decided_by: Option<ChatId>,
}

no_relations!();

by_id!(PendingId: find, newest);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PendingState)]
pub enum State {
    Pending,
    Approved,
    Rejected,
}

/// Inserts a pending action.
pub(crate) async fn add(conn: &impl Conn, action: &staff_action::Model, now: Timestamp) -> Result<PendingId> {
    let row = ActiveModel {
        guild_id: Set(action.guild_id),
        action_id: Set(action.action_id),
        staff_id: Set(action.staff_id),
        action_type: Set(action.action_type),
        state: Set(State::Pending),
        submitted_at: Set(now),
        ..Default::default()
    };
    Ok(row.insert(conn).await?.pending_id)
}

/// Pending actions of a guild, newest first.
pub async fn list(conn: &impl Conn, guild: GuildId, page: Page<PendingId>) -> Result<Vec<Model>> {
    // A literal: an index of these rows alone does not serve a bound value on SQLite.
    newest(guild, page).filter(Expr::cust("state = 'pending'")).all(conn).await
}

/// What was undone is not decided about.
pub(crate) async fn drop_open(conn: &impl Conn, guild: GuildId, actions: Vec<ActionId>) -> Result<()> {
    if actions.is_empty() {
        return Ok(());
    }
    Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::State.eq(State::Pending))
        .filter(lists::any_of(conn, Column::ActionId, actions))
        .exec(conn)
        .await?;
    Ok(())
}

/// The decision on a pending action.
#[derive(Debug, Clone, Copy)]
pub struct Verdict {
    pub approve: bool,
    pub by: ChatId,
    pub at: Timestamp,
}

/// Writes the decision; `None` if the action is unknown or already decided.
pub(crate) async fn close(
    conn: &impl Conn,
    guild: GuildId,
    pending: PendingId,
    verdict: Verdict,
) -> Result<Option<Model>> {
    let state = if verdict.approve { State::Approved } else { State::Rejected };
    let closed = Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::DecidedAt, Expr::value(verdict.at))
        .col_expr(Column::DecidedBy, Expr::value(verdict.by))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::PendingId.eq(pending))
        .filter(Column::State.eq(State::Pending))
        .exec_with_returning(conn)
        .await?;
    Ok(closed.into_iter().next())
}
