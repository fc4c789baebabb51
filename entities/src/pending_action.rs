//! Actions that wait for approval before they count (docs/rules.md 6). Decided once.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QueryOrder, QuerySelect, TransactionTrait};
use serde::{Deserialize, Serialize};

use crate::staff_action::{self, ActionType};
use crate::{ActionId, ChatId, GuildId, PendingId, Timestamp};

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

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "approved")]
    Approved,
    #[sea_orm(string_value = "rejected")]
    Rejected,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Made(Model),
    /// Somebody decided before.
    Already(Model),
    Unknown,
}

pub(crate) async fn submit<C: ConnectionTrait>(
    conn: &C,
    action: &staff_action::Model,
    now: Timestamp,
) -> Result<PendingId, DbErr> {
    let row = ActiveModel {
        pending_id: NotSet,
        guild_id: Set(action.guild_id),
        action_id: Set(action.action_id),
        staff_id: Set(action.staff_id),
        action_type: Set(action.action_type),
        state: Set(State::Pending),
        submitted_at: Set(now),
        decided_at: Set(None),
        decided_by: Set(None),
    };
    Ok(row.insert(conn).await?.pending_id)
}

pub async fn find<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    pending: PendingId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(pending).filter(Column::GuildId.eq(guild)).one(conn).await
}

/// Actions of a guild that wait, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (cursor, limit): (Option<PendingId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let wanted = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add(Column::State.eq(State::Pending))
        .add_option(cursor.map(|cursor| Column::PendingId.lt(cursor)));
    Entity::find().filter(wanted).order_by_desc(Column::PendingId).limit(limit).all(conn).await
}

/// Approves or rejects. Needs a transaction: an approved action counts from the same commit on.
pub async fn decide<C: ConnectionTrait + TransactionTrait>(
    conn: &C,
    (guild, pending): (GuildId, PendingId),
    approve: bool,
    by: ChatId,
    now: Timestamp,
) -> Result<Decision, DbErr> {
    let state = if approve { State::Approved } else { State::Rejected };
    let decided = Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::DecidedAt, Expr::value(now))
        .col_expr(Column::DecidedBy, Expr::value(by))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::PendingId.eq(pending))
        .filter(Column::State.eq(State::Pending))
        .exec_with_returning(conn)
        .await?;
    let Some(decided) = decided.into_iter().next() else {
        let found = find(conn, guild, pending).await?;
        return Ok(found.map_or(Decision::Unknown, Decision::Already));
    };
    if approve {
        let of = (guild, decided.staff_id, decided.action_type);
        staff_action::let_count(conn, of, decided.action_id, now).await?;
    }
    Ok(Decision::Made(decided))
}
