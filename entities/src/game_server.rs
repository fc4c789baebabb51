//! Game servers, known by their heartbeats (docs/rules.md 7).
//!
//! A server is live while its last heartbeat is recent, whether or not the sweep has run; the sweep marks stale servers
//! as offline.

pub mod present;

use std::collections::HashMap;

use chrono::Duration;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Func, InsertStatement, OnConflict, Query};
use sea_orm::{Condition, DatabaseBackend, Order, QueryOrder, QuerySelect};

use crate::by_id::{ROWS_PER_STATEMENT, no_relations};
use crate::{
    Conn, GuildId, Page, PlaceId, PlayId, Result, Sorted, Timestamp, UniverseId, guild, lists, sweep,
};

/// A server without a heartbeat for this long is offline (docs/rules.md 7).
pub const STALE_AFTER: Duration = Duration::seconds(90);

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "game_server")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub server_id: String,
    pub place_id: PlaceId,
    pub universe_id: UniverseId,
    pub player_count: i32,
    pub first_seen_at: Timestamp,
    pub last_heartbeat_at: Timestamp,
    /// When the sweep marked it offline.
    pub offline_at: Option<Timestamp>,
}

no_relations!();

impl Model {
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.last_heartbeat_at > now - STALE_AFTER
    }

    /// The studio's server has no id.
    pub fn is_studio(&self) -> bool {
        self.server_id.is_empty()
    }
}

/// The heartbeat of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    pub guild: GuildId,
    pub server: String,
    pub place: PlaceId,
    pub universe: UniverseId,
    pub player_count: i32,
    /// Who is there; `None`: it does not say, and the last list stays.
    pub players: Option<Vec<PlayId>>,
    pub at: Timestamp,
}

/// Columns that only [`present`] reads: a list may be long.
const PLAYERS: &str = "players";
const PLAYERS_AT: &str = "players_at";

/// Writes heartbeats of any guilds; unknown servers are inserted. A heartbeat older than the stored one is
/// ignored, and so are those of a guild that is removed or being removed: no guild makes writes of others
/// fail or wait.
pub async fn heartbeat(conn: &impl Conn, heartbeats: &[Heartbeat]) -> Result<()> {
    let rows = newest_of_each(heartbeats);
    for rows in rows.chunks(ROWS_PER_STATEMENT) {
        conn.execute(&insert(conn, rows)).await?;
    }
    Ok(())
}

/// A statement must not touch a row twice.
fn newest_of_each(heartbeats: &[Heartbeat]) -> Vec<&Heartbeat> {
    let mut newest: HashMap<(GuildId, &str), &Heartbeat> = HashMap::new();
    for heartbeat in heartbeats {
        let known = newest.entry((heartbeat.guild, &heartbeat.server)).or_insert(heartbeat);
        if heartbeat.at >= known.at {
            *known = heartbeat;
        }
    }
    newest.into_values().collect()
}

fn insert(conn: &impl Conn, heartbeats: &[&Heartbeat]) -> InsertStatement {
    let rows = heartbeats.iter().map(|heartbeat| -> [Value; 7] {
        let list = heartbeat.players.as_ref().and_then(|players| serde_json::to_string(players).ok());
        [
            heartbeat.guild.into(),
            heartbeat.server.clone().into(),
            heartbeat.place.into(),
            heartbeat.universe.into(),
            heartbeat.player_count.into(),
            heartbeat.at.into(),
            // A list of parameters has no nulls.
            list.unwrap_or_default().into(),
        ]
    });
    let mut rows_of = Query::select();
    rows_of.from_subquery(lists::exactly(conn, rows.collect()), "given");
    for column in ["column1", "column2", "column3", "column4", "column5", "column6", "column6"] {
        rows_of.column(("given", column));
    }
    let is_typed = conn.get_database_backend() == DatabaseBackend::Postgres;
    let list = Expr::cust("NULLIF(given.column7, '')");
    rows_of.expr(if is_typed { list.cast_as("jsonb") } else { list });
    rows_of.expr(Expr::cust("CASE WHEN given.column7 <> '' THEN given.column6 END"));
    guild::only_standing(&mut rows_of, ("given", "column1"));
    // Two processes lock rows in the same order.
    rows_of.order_by(("given", "column1"), Order::Asc).order_by(("given", "column2"), Order::Asc);
    let columns = [
        Column::GuildId,
        Column::ServerId,
        Column::PlaceId,
        Column::UniverseId,
        Column::PlayerCount,
        Column::FirstSeenAt,
        Column::LastHeartbeatAt,
    ];
    let columns = columns.map(|column| column.as_str()).into_iter().chain([PLAYERS, PLAYERS_AT]);
    let mut insert = Query::insert();
    insert.into_table(Entity).columns(columns).on_conflict(newer());
    // Fails only where the numbers of columns differ.
    drop(insert.select_from(rows_of));
    insert
}

fn newer() -> OnConflict {
    let or_kept =
        |column: &'static str| Func::coalesce([Expr::col(("excluded", column)), Expr::col((Entity, column))]);
    OnConflict::columns([Column::GuildId, Column::ServerId])
        .update_columns([
            Column::PlaceId,
            Column::UniverseId,
            Column::PlayerCount,
            Column::LastHeartbeatAt,
            Column::OfflineAt,
        ])
        .value(PLAYERS, or_kept(PLAYERS))
        .value(PLAYERS_AT, or_kept(PLAYERS_AT))
        .action_and_where(
            Expr::col(("excluded", Column::LastHeartbeatAt)).gt(Expr::col((Entity, Column::LastHeartbeatAt))),
        )
        .to_owned()
}

pub async fn find(conn: &impl Conn, guild: GuildId, server: &str) -> Result<Option<Model>> {
    Entity::find_by_id((guild, server.to_owned())).one(conn).await
}

/// The one that reported last, of those in a place.
pub async fn newest(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    let own = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ServerId.ne(""));
    own.order_by_desc(Column::LastHeartbeatAt).one(conn).await
}

/// Filter of a list of servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub live: Option<bool>,
    pub place: Option<PlaceId>,
}

impl Filter {
    fn of(self, guild: GuildId, now: Timestamp) -> Select<Entity> {
        let last_live = now - STALE_AFTER;
        let heard = Column::LastHeartbeatAt;
        let state = |live| if live { heard.gt(last_live) } else { heard.lte(last_live) };
        let wanted = Condition::all()
            .add(Column::GuildId.eq(guild))
            .add_option(self.live.map(state))
            .add_option(self.place.map(|place| Column::PlaceId.eq(place)));
        Entity::find().filter(wanted)
    }
}

/// Servers of a guild by id, after the cursor.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<&str>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let after = Condition::all().add_option(page.cursor.map(|cursor| Column::ServerId.gt(cursor)));
    let servers = filter.of(guild, now).filter(after).order_by_asc(Column::ServerId);
    servers.limit(page.limit).all(conn).await
}

/// The live servers of players, by id, with their places: the studio's has no id.
pub async fn live(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Vec<(String, PlaceId)>> {
    let live = Filter { live: Some(true), place: None }.of(guild, now).filter(Column::ServerId.ne(""));
    let live = live.order_by_asc(Column::ServerId).select_only();
    live.columns([Column::ServerId, Column::PlaceId]).into_tuple().all(conn).await
}

/// Where the servers of a guild run, each place once.
pub async fn places(conn: &impl Conn, guild: GuildId) -> Result<Vec<(PlaceId, UniverseId)>> {
    let places = Entity::find().filter(Column::GuildId.eq(guild)).select_only().distinct();
    let places = places.columns([Column::PlaceId, Column::UniverseId]).order_by_asc(Column::PlaceId);
    places.into_tuple().all(conn).await
}

/// What servers are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Server,
    Players,
    Heard,
    FirstSeen,
}

/// Servers of a guild, `limit` of them after the first `skip`. Reads all that match: a guild has a few thousand at most
/// (`Cap::GameServers`).
pub async fn sorted(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    sorted: Sorted<Key>,
    (skip, limit): (u64, u64),
    now: Timestamp,
) -> Result<Vec<Model>> {
    let by = match sorted.by {
        Key::Server => Column::ServerId,
        Key::Players => Column::PlayerCount,
        Key::Heard => Column::LastHeartbeatAt,
        Key::FirstSeen => Column::FirstSeenAt,
    };
    let servers = filter.of(guild, now).order_by(by, sorted.order()).order_by_asc(Column::ServerId);
    servers.offset(skip).limit(limit).all(conn).await
}

/// Servers of these guilds with a heartbeat after this time, at most `limit`.
pub async fn heard_since(
    conn: &impl Conn,
    guilds: &[GuildId],
    since: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    Entity::find()
        .filter(Column::OfflineAt.is_null())
        .filter(Column::LastHeartbeatAt.gt(since))
        .filter(lists::any_of(conn, Column::GuildId, guilds.iter().copied()))
        .limit(limit)
        .all(conn)
        .await
}

/// Marks up to `limit` stale servers as offline, with nobody on them.
pub async fn sweep_offline(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<Vec<Model>> {
    let gone =
        Condition::all().add(Column::OfflineAt.is_null()).add(Column::LastHeartbeatAt.lte(now - STALE_AFTER));
    let first = sweep::keys::<Entity>(&gone, limit).order_by(Column::LastHeartbeatAt, Order::Asc).take();
    Entity::update_many()
        .col_expr(Column::OfflineAt, Expr::value(now))
        .col_expr(PLAYERS, Expr::cust("NULL"))
        .col_expr(PLAYERS_AT, Expr::cust("NULL"))
        .filter(sweep::key_in::<Entity>(first))
        .filter(gone)
        .exec_with_returning(conn)
        .await
}

/// Deletes up to `limit` servers of a guild that are offline, with their commands. Returns their ids.
pub async fn forget_offline(
    conn: &impl Conn,
    guild: GuildId,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<String>> {
    let offline =
        Condition::all().add(Column::GuildId.eq(guild)).add(Column::LastHeartbeatAt.lte(now - STALE_AFTER));
    let some = sweep::key_in::<Entity>(sweep::keys::<Entity>(&offline, limit));
    let gone = Entity::delete_many().filter(some).filter(offline).exec_with_returning(conn).await?;
    Ok(gone.into_iter().map(|server| server.server_id).collect())
}

/// Deletes a server that shuts down, with its commands.
pub async fn remove(conn: &impl Conn, guild: GuildId, server: &str) -> Result<bool> {
    let deleted = Entity::delete_by_id((guild, server.to_owned())).exec(conn).await?;
    Ok(deleted.rows_affected > 0)
}

/// Deletes up to `limit` servers, with their commands, whose last heartbeat is older than `before`. A game gives every
/// server a new id, so rows accumulate.
pub async fn forget(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    let old = Condition::all().add(Column::OfflineAt.lt(before)).add(Column::LastHeartbeatAt.lt(before));
    sweep::delete::<Entity>(conn, old, Column::OfflineAt, limit).await
}
