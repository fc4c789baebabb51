//! How guilds follow the game platform (docs/rules.md 5): when the next pass over a guild's members is due, and how the last
//! one ended. The pass itself is a job.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{Condition, IntoActiveModel, QueryOrder, QuerySelect, Statement, UpdateMany};

use crate::by_id::no_relations;
use crate::hidden::not_hidden;
use crate::{Conn, GuildId, JobId, Result, Timestamp, guild, job_pause, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "follow")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    /// `None`: as often as the budget allows; 0: never.
    pub every_minutes: Option<i32>,
    /// A pass that would take roles from a larger part of the members stops.
    pub brake_percent: i32,
    pub due_at: Timestamp,
    /// Of the pass that is under way.
    pub job_id: Option<JobId>,
    pub ended_at: Option<Timestamp>,
    /// Members whom the last pass that succeeded changed.
    pub changed: i64,
    /// Passes in a row that changed nobody.
    pub quiet: i32,
    /// Passes in a row that failed.
    pub failures: i32,
    /// Why the last pass stopped: no other one starts until a person lets it go on.
    pub stopped: Option<String>,
    /// A person has seen why: the next pass has no brake.
    pub unbraked: bool,
    /// When a sync or a preview last looked at all members.
    pub looked_at: Option<Timestamp>,
    /// When the last pass that succeeded ended, or since when one can be expected. `None`: a program that does not know it
    /// made the row.
    pub age_from: Option<Timestamp>,
}

no_relations!();

const BRAKE_PERCENT: i32 = 10;

impl Model {
    /// Of a guild that has set nothing.
    pub fn usual(guild_id: GuildId, now: Timestamp) -> Self {
        Self {
            guild_id,
            every_minutes: None,
            brake_percent: BRAKE_PERCENT,
            due_at: now,
            job_id: None,
            ended_at: None,
            changed: 0,
            quiet: 0,
            failures: 0,
            stopped: None,
            unbraked: false,
            looked_at: None,
            age_from: Some(now),
        }
    }

    pub fn is_off(&self) -> bool {
        self.every_minutes == Some(0)
    }

    /// Neither switched off, nor waiting for a person.
    pub fn goes_on(&self) -> bool {
        !self.is_off() && self.stopped.is_none()
    }

    /// The largest part of the members from which the next pass may take roles; `None`: all of them.
    pub fn brake(&self) -> Option<i32> {
        (!self.unbraked).then_some(self.brake_percent)
    }
}

/// Gives guilds that have links, and no row yet, one that is due now.
pub async fn add_missing(conn: &impl Conn, now: Timestamp) -> Result<u64> {
    let missing = "INSERT INTO follow (guild_id, brake_percent, due_at, age_from, changed, quiet, failures, unbraked) \
        SELECT guild_id, $1, $2, $3, 0, 0, 0, false FROM guild WHERE removing_since IS NULL \
        AND EXISTS (SELECT 1 FROM link WHERE link.guild_id = guild.guild_id) \
        AND NOT EXISTS (SELECT 1 FROM follow WHERE follow.guild_id = guild.guild_id) ON CONFLICT DO NOTHING";
    let values = [BRAKE_PERCENT.into(), now.into(), now.into()];
    let statement = Statement::from_sql_and_values(conn.get_database_backend(), missing, values);
    Ok(conn.execute_raw(statement).await?.rows_affected())
}

/// As it is, or as it will be when the guild's first pass starts.
pub async fn read(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Model> {
    let found = Entity::find_by_id(guild).one(conn).await?;
    Ok(found.unwrap_or_else(|| Model::usual(guild, now)))
}

/// Notes that all members were looked at.
pub async fn looked(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<()> {
    let row = Model { looked_at: Some(now), ..Model::usual(guild, now) }.into_active_model();
    let newer = OnConflict::column(Column::GuildId).update_column(Column::LookedAt).to_owned();
    Entity::insert(row).on_conflict(newer).exec_without_returning(conn).await?;
    Ok(())
}

/// The row, which is made when it is missing. The guild stays locked until the transaction ends.
pub async fn lock(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Model> {
    guild::find_for_update(conn, guild).await?;
    let usual = Model::usual(guild, now).into_active_model();
    let present = OnConflict::column(Column::GuildId).do_nothing().to_owned();
    Entity::insert(usual).on_conflict(present).exec_without_returning(conn).await?;
    let row = Entity::find_by_id(guild).lock_exclusive().one(conn).await?;
    row.ok_or(DbErr::RecordNotFound(guild.to_string()))
}

pub async fn save(conn: &impl Conn, row: Model) -> Result<Model> {
    Entity::update(row.into_active_model().reset_all()).exec(conn).await
}

/// Makes the next pass due now.
pub async fn hasten(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<()> {
    due_at_latest(now).filter(Column::GuildId.eq(guild)).exec(conn).await?;
    Ok(())
}

/// The same in those of the guilds whose last pass failed.
pub async fn hasten_failed(conn: &impl Conn, guilds: &[GuildId], now: Timestamp) -> Result<()> {
    if !guilds.is_empty() {
        let these = lists::any_of(conn, Column::GuildId, guilds.iter().copied());
        due_at_latest(now).filter(these).filter(Column::Failures.gt(0)).exec(conn).await?;
    }
    Ok(())
}

fn due_at_latest(now: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many().col_expr(Column::DueAt, Expr::value(now)).filter(Column::DueAt.gt(now))
}

/// Guilds whose next pass is due, those that have waited longest first. The pass of a paused one would only take the place of
/// another.
pub async fn due(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<Vec<GuildId>> {
    let on = Condition::any().add(Column::EveryMinutes.is_null()).add(Column::EveryMinutes.gt(0));
    let due = Entity::find().select_only().column(Column::GuildId).filter(Column::DueAt.lte(now));
    let due = due.filter(not_hidden(Column::GuildId));
    let due = due.filter(job_pause::covers_guild((Entity, Column::GuildId)).not());
    let idle = due.filter(on).filter(Column::JobId.is_null()).filter(Column::Stopped.is_null());
    idle.order_by_asc(Column::DueAt).limit(limit).into_tuple().all(conn).await
}

/// The passes under way.
pub async fn running(conn: &impl Conn) -> Result<Vec<(GuildId, JobId)>> {
    let rows = Entity::find().select_only().columns([Column::GuildId, Column::JobId]);
    rows.filter(Column::JobId.is_not_null()).into_tuple().all(conn).await
}

/// From when on the last pass of each guild that follows ages, but for those that wait for a person.
pub async fn ages_from(conn: &impl Conn) -> Result<Vec<Timestamp>> {
    let on = Condition::any().add(Column::EveryMinutes.is_null()).add(Column::EveryMinutes.gt(0));
    let rows = Entity::find().select_only().columns([Column::AgeFrom, Column::EndedAt]);
    let rows = rows.filter(on).filter(Column::Stopped.is_null()).filter(not_hidden(Column::GuildId));
    let rows: Vec<(Option<Timestamp>, Option<Timestamp>)> = rows.into_tuple().all(conn).await?;
    Ok(rows.into_iter().filter_map(|(from, ended)| from.or(ended)).collect())
}

/// How many guilds wait for a person.
pub async fn count_stopped(conn: &impl Conn) -> Result<u64> {
    Entity::find().filter(Column::Stopped.is_not_null()).filter(not_hidden(Column::GuildId)).count(conn).await
}
