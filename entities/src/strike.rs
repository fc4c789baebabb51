//! Strikes against staff members (docs/rules.md 6): active until removed or expired; a removed one is kept.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel, UpdateMany};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::audit_entry::NewEntry;
use crate::by_id::{by_id, no_relations};
use crate::sweep::{self, Due};
use crate::{ChatId, Conn, GuildId, Page, Result, StrikeId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "strike")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub strike_id: StrikeId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub reason: String,
    /// 1 to 10.
    pub severity: i32,
    pub issued_by: ChatId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub ended_how: Option<Ended>,
}

no_relations!();

by_id!(StrikeId: find, find_for_update, save, delete, newest);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = StrikeEnded)]
pub enum Ended {
    Removed,
    Expired,
}

impl Model {
    /// Neither removed nor expired, whether or not the sweep has run.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && self.expires_at > now
    }
}

fn active(now: Timestamp) -> Condition {
    Condition::all().add(Column::EndedAt.is_null()).add(Column::ExpiresAt.gt(now))
}

/// A strike to insert.
#[derive(Debug, Clone, DeriveIntoActiveModel)]
pub struct NewStrike {
    pub staff_id: ChatId,
    pub reason: String,
    pub severity: i32,
    pub issued_by: ChatId,
    pub expires_at: Timestamp,
}

pub async fn add(conn: &impl Conn, guild: GuildId, strike: NewStrike, now: Timestamp) -> Result<Model> {
    let row = strike.into_active_model();
    ActiveModel { guild_id: Set(guild), created_at: Set(now), ..row }.insert(conn).await
}

/// Filter of a list of strikes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub staff: Option<ChatId>,
    pub active: Option<bool>,
}

/// Strikes of a guild, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<StrikeId>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let shown = Condition::all()
        .add_option(filter.staff.map(|staff| Column::StaffId.eq(staff)))
        .add_option(filter.active.map(|yes| if yes { active(now) } else { active(now).not() }));
    newest(guild, page).filter(shown).all(conn).await
}

pub async fn count_active(conn: &impl Conn, guild: GuildId, staff: ChatId, now: Timestamp) -> Result<u64> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StaffId.eq(staff))
        .filter(active(now))
        .count(conn)
        .await
}

/// Removes a strike permanently, even an expired one, and keeps its record; `None` if unknown or already removed.
pub async fn remove(
    conn: &impl Conn,
    guild: GuildId,
    strike: StrikeId,
    now: Timestamp,
) -> Result<Option<Model>> {
    let removed = ending(Ended::Removed, now)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StrikeId.eq(strike))
        .filter(Condition::any().add(Column::EndedHow.is_null()).add(Column::EndedHow.ne(Ended::Removed)))
        .exec_with_returning(conn)
        .await?;
    Ok(removed.into_iter().next())
}

fn ending(how: Ended, now: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::EndedAt, Expr::value(now))
        .col_expr(Column::EndedHow, Expr::value(how))
}

/// Ends up to `limit` expired strikes, of one guild or of all (their audit entries: [`expiry_entry`]).
pub async fn sweep(
    conn: &impl Conn,
    guild: Option<GuildId>,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    let over = Condition::all()
        .add(Column::EndedAt.is_null())
        .add(Column::ExpiresAt.lte(now))
        .add_option(guild.map(|guild| Column::GuildId.eq(guild)));
    let due = Due { rows: over, id: Column::StrikeId, since: Column::ExpiresAt };
    sweep::close(conn, ending(Ended::Expired, now), due, limit).await
}

/// The audit entry of a row that the sweep has closed.
pub fn expiry_entry(strike: &Model) -> NewEntry {
    NewEntry {
        guild: strike.guild_id,
        action: "strikes.expire",
        target: strike.strike_id.to_string(),
        metadata: json!({
            "before": { "active": true },
            "after": { "active": false, "ended_how": Ended::Expired, "staff_id": strike.staff_id },
        }),
    }
}
