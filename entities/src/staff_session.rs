//! Staff sessions in games (docs/rules.md 6): one open session for each member, kept alive by heartbeats.
//!
//! A session is live while its last heartbeat is recent, whether or not the sweep has run, and it ends at that
//! heartbeat (docs/rules.md 6). [`totals`] sums durations and counts.

pub mod sum;
pub mod totals;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ActiveValue::Set, Condition, FromQueryResult, QueryOrder};
use serde_json::json;

use crate::audit_entry::NewEntry;
use crate::by_id::{by_id, no_relations};
use crate::sweep::{self, Due};
use crate::{
    ChatId, Conn, GuildId, PlaceId, PlayId, Result, Second, SessionId, Timestamp, guild, lists, staff_member,
};

/// Seconds without a heartbeat after which a session is stale and has ended (docs/rules.md 6).
pub const STALE_AFTER: i64 = 120;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: SessionId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub play_id: PlayId,
    pub place_id: PlaceId,
    pub server_id: String,
    pub started_second: Second,
    pub heartbeat_second: Second,
    /// The last heartbeat, once the session has ended.
    pub ended_second: Option<Second>,
}

no_relations!();

by_id!(SessionId: find);

/// The activity of one staff member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Total {
    pub staff_id: ChatId,
    /// Sessions that overlap the span.
    pub sessions: i64,
    /// Seconds of their overlap with the span.
    pub seconds: i64,
}

impl Model {
    pub fn duration_seconds(&self) -> i64 {
        self.heartbeat_second.since(self.started_second)
    }

    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended_second.is_none() && self.heartbeat_second >= oldest_heartbeat(now)
    }
}

/// The oldest heartbeat that keeps a session alive.
fn oldest_heartbeat(now: Timestamp) -> Second {
    Second::from(now).minus(STALE_AFTER)
}

pub(crate) fn live(now: Timestamp) -> Condition {
    Condition::all()
        .add(Column::EndedSecond.is_null())
        .add(Column::HeartbeatSecond.gte(oldest_heartbeat(now)))
}

/// The open one of a person, and those that ended at this time or later.
pub async fn since(conn: &impl Conn, guild: GuildId, staff: ChatId, time: Timestamp) -> Result<Vec<Model>> {
    let recent =
        Condition::any().add(Column::EndedSecond.is_null()).add(Column::EndedSecond.gte(Second::from(time)));
    let own = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::StaffId.eq(staff));
    own.filter(recent).order_by_desc(Column::StartedSecond).all(conn).await
}

/// A session to insert.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub id: SessionId,
    pub guild: GuildId,
    pub staff: ChatId,
    pub play: PlayId,
    pub place: PlaceId,
    pub server: String,
}

#[derive(Debug, Clone)]
pub struct Started {
    pub session: Model,
    /// The previously open session, ended at its last heartbeat.
    pub ended: Option<Model>,
}

/// Opens a session and ends the open one; `None`: not a staff member. Needs a transaction.
pub async fn start(conn: &impl Conn, new: NewSession, now: Timestamp) -> Result<Option<Started>> {
    if staff_member::find_for_update(conn, new.guild, new.staff).await?.is_none() {
        return Ok(None);
    }
    let ended = end_open(conn, new.guild, new.staff).await?;
    let row = ActiveModel {
        session_id: Set(new.id),
        guild_id: Set(new.guild),
        staff_id: Set(new.staff),
        play_id: Set(new.play),
        place_id: Set(new.place),
        server_id: Set(new.server),
        started_second: Set(now.into()),
        heartbeat_second: Set(now.into()),
        ended_second: Set(None),
    };
    Ok(Some(Started { session: row.insert(conn).await?, ended }))
}

/// Ends a member's open session, if any, at its last heartbeat.
pub async fn end_open(conn: &impl Conn, guild: GuildId, staff: ChatId) -> Result<Option<Model>> {
    let ended = Entity::update_many()
        .col_expr(Column::EndedSecond, Expr::col(Column::HeartbeatSecond))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StaffId.eq(staff))
        .filter(Column::EndedSecond.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(ended.into_iter().next())
}

/// Records a heartbeat for many sessions, whose guilds the caller has checked. Ended and stale sessions stay unchanged.
/// Returns the live sessions; those of a guild that is being removed are none.
pub async fn heartbeat(conn: &impl Conn, sessions: &[SessionId], at: Timestamp) -> Result<Vec<SessionId>> {
    let mut heard = Query::select();
    heard.column((Entity, Column::SessionId)).from(Entity);
    heard.and_where(lists::any_of(conn, Column::SessionId, sessions.iter().copied()));
    guild::only_standing(&mut heard, (Entity, Column::GuildId));
    let alive = Entity::update_many()
        .col_expr(Column::HeartbeatSecond, later_of(at))
        .filter(Column::SessionId.in_subquery(heard))
        .filter(live(at))
        .exec_with_returning(conn)
        .await?;
    Ok(alive.iter().map(|session| session.session_id).collect())
}

/// Heartbeats of two processes may be written out of order: the latest one stays. A stale session's stays too.
fn later_of(at: Timestamp) -> Expr {
    let moves = live(at).add(Column::HeartbeatSecond.lt(Second::from(at)));
    Expr::case(moves, Expr::value(Second::from(at))).finally(Expr::col(Column::HeartbeatSecond)).into()
}

/// The live sessions of these guilds.
pub async fn of_guilds(conn: &impl Conn, guilds: &[GuildId], now: Timestamp) -> Result<Vec<Model>> {
    let own = lists::any_of(conn, Column::GuildId, guilds.iter().copied());
    Entity::find().filter(own).filter(live(now)).all(conn).await
}

/// Ends a live session. The call counts as a heartbeat. `None`: not open, or ended because it is stale.
pub async fn end(
    conn: &impl Conn,
    guild: GuildId,
    session: SessionId,
    now: Timestamp,
) -> Result<Option<Model>> {
    let ended = Entity::update_many()
        .col_expr(Column::HeartbeatSecond, later_of(now))
        .col_expr(Column::EndedSecond, later_of(now))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::SessionId.eq(session))
        .filter(live(now))
        .exec_with_returning(conn)
        .await?;
    Ok(ended.into_iter().next())
}

/// Ends up to `limit` stale sessions at their last heartbeat (their audit entries: [`expiry_entry`]).
pub async fn sweep_stale(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<Vec<Model>> {
    let stale = Condition::all()
        .add(Column::EndedSecond.is_null())
        .add(Column::HeartbeatSecond.lt(oldest_heartbeat(now)));
    let end = Entity::update_many().col_expr(Column::EndedSecond, Expr::col(Column::HeartbeatSecond));
    let due = Due { rows: stale, id: Column::SessionId, since: Column::HeartbeatSecond };
    sweep::close(conn, end, due, limit).await
}

/// The audit entry of a row that the sweep has closed.
pub fn expiry_entry(session: &Model) -> NewEntry {
    NewEntry {
        guild: session.guild_id,
        action: "sessions.expire",
        target: session.session_id.to_string(),
        metadata: json!({ "staff_id": session.staff_id, "duration_seconds": session.duration_seconds() }),
    }
}
