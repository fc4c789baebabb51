//! Leaves of absence (docs/rules.md 6). Active ones of one person never overlap.
//!
//! No index can enforce that, so [`add`] and [`find_for_update`] lock the guild before they read; this
//! serializes changes, also those of a former member.

use std::collections::HashMap;

use chrono::{NaiveDate, TimeDelta};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::audit_entry::NewEntry;
use crate::by_id::{by_id, no_relations};
use crate::guild::Settings;
use crate::period::{self, Span};
use crate::sweep::{self, Due};
use crate::{ChatId, Conn, GuildId, LoaId, Page, Result, Timestamp, guild, staff_member};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "loa")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub loa_id: LoaId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub reason: String,
    pub status: Status,
    pub created_at: Timestamp,
    /// When it was ended before its time.
    pub ended_at: Option<Timestamp>,
}

no_relations!();

by_id!(LoaId: find, delete, newest);

impl Model {
    /// The status at a time: a leave whose end has passed is expired, whether or not the sweep has run.
    pub fn status_at(&self, now: Timestamp) -> Status {
        if self.ends_at <= now { Status::Expired } else { self.status }
    }

    /// An older build leaves the time where it lets a leave go on.
    fn ended_early(&self) -> Option<Timestamp> {
        self.ended_at.filter(|_| self.status == Status::Expired)
    }

    /// Its last moment.
    pub fn until(&self) -> Timestamp {
        self.ended_early().map_or(self.ends_at, |at| at.min(self.ends_at))
    }

    /// Whether it was ended before it began.
    pub fn is_cancelled(&self) -> bool {
        self.until() <= self.starts_at
    }

    /// Ends it now, or lets it go on until the end that it keeps.
    pub fn set_status(&mut self, status: Status, now: Timestamp) {
        self.ended_at = match status {
            Status::Active => None,
            Status::Expired => self.ended_early().or((self.ends_at > now).then_some(now)),
        };
        self.status = status;
    }
}

/// Active leaves that have not ended.
fn active(now: Timestamp) -> Condition {
    Condition::all().add(Column::Status.eq(Status::Active)).add(Column::EndsAt.gt(now))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LoaStatus)]
pub enum Status {
    Active,
    Expired,
}

/// A leave to insert.
#[derive(Debug, Clone, DeriveIntoActiveModel)]
pub struct NewLoa {
    pub staff_id: ChatId,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub reason: String,
}

/// The result of writing a leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    Done(Model),
    /// This active leave of the same person overlaps; no row was written.
    Overlaps(LoaId),
    NotStaff,
}

/// Adds an active leave. Needs a transaction.
pub async fn add(conn: &impl Conn, guild: GuildId, new: NewLoa, now: Timestamp) -> Result<Written> {
    if staff_member::find_for_update(conn, guild, new.staff_id).await?.is_none() {
        return Ok(Written::NotStaff);
    }
    guild::find_for_update(conn, guild).await?;
    let wanted = Wanted { guild, staff: new.staff_id, starts_at: new.starts_at, ends_at: new.ends_at };
    if let Some(other) = overlapping(conn, wanted, None, now).await? {
        return Ok(Written::Overlaps(other));
    }
    let row = ActiveModel {
        guild_id: Set(guild),
        status: Set(Status::Active),
        created_at: Set(now),
        ..new.into_active_model()
    };
    Ok(Written::Done(row.insert(conn).await?))
}

/// Writes the fields that a guild may change. Needs the transaction in which [`find_for_update`] read the leave.
pub async fn save(conn: &impl Conn, loa: &Model, now: Timestamp) -> Result<Written> {
    let wanted =
        Wanted { guild: loa.guild_id, staff: loa.staff_id, starts_at: loa.starts_at, ends_at: loa.ends_at };
    if loa.status_at(now) == Status::Active
        && let Some(other) = overlapping(conn, wanted, Some(loa.loa_id), now).await?
    {
        return Ok(Written::Overlaps(other));
    }
    let change = Entity::update(ActiveModel::from(loa.clone()).reset_all()).validate()?;
    Ok(Written::Done(change.filter(Column::GuildId.eq(loa.guild_id)).exec(conn).await?))
}

struct Wanted {
    guild: GuildId,
    staff: ChatId,
    starts_at: Timestamp,
    ends_at: Timestamp,
}

/// Another active leave that overlaps; one may end when the next starts.
async fn overlapping(
    conn: &impl Conn,
    wanted: Wanted,
    except: Option<LoaId>,
    now: Timestamp,
) -> Result<Option<LoaId>> {
    let others = active(now)
        .add(Column::GuildId.eq(wanted.guild))
        .add(Column::StaffId.eq(wanted.staff))
        .add(Column::StartsAt.lt(wanted.ends_at))
        .add(Column::EndsAt.gt(wanted.starts_at))
        .add_option(except.map(|own| Column::LoaId.ne(own)));
    Entity::find()
        .select_only()
        .column(Column::LoaId)
        .filter(others)
        .order_by_asc(Column::LoaId)
        .limit(1)
        .into_tuple()
        .one(conn)
        .await
}

/// Like [`find`], after locking the guild, so that no other leave of the same person changes meanwhile.
pub async fn find_for_update(conn: &impl Conn, guild: GuildId, loa: LoaId) -> Result<Option<Model>> {
    guild::find_for_update(conn, guild).await?;
    Entity::find_by_id(loa).filter(Column::GuildId.eq(guild)).lock_exclusive().one(conn).await
}

/// Filter of a list of leaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub staff: Option<ChatId>,
    pub status: Option<Status>,
}

/// The current active leave of a person, otherwise the next one.
pub async fn open_of(
    conn: &impl Conn,
    guild: GuildId,
    staff: ChatId,
    now: Timestamp,
) -> Result<Option<Model>> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::StaffId.eq(staff))
        .filter(active(now))
        .order_by_asc(Column::EndsAt)
        .one(conn)
        .await
}

/// Leaves of a guild, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<LoaId>,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let with = |status| match status {
        Status::Active => active(now),
        Status::Expired => active(now).not(),
    };
    let shown = Condition::all()
        .add_option(filter.staff.map(|staff| Column::StaffId.eq(staff)))
        .add_option(filter.status.map(with));
    newest(guild, page).filter(shown).all(conn).await
}

/// On how many days of the span, up to now, each member was on leave: days of the guild's time zone that a leave touches.
pub async fn days(
    conn: &impl Conn,
    guild: GuildId,
    span: Span,
    settings: &Settings,
    now: Timestamp,
) -> Result<HashMap<ChatId, i64>> {
    let until = span.until.map_or(now, |until| until.min(now));
    let during = Condition::all()
        .add(Column::StartsAt.lt(until))
        .add_option(span.since.map(|since| Column::EndsAt.gt(since)));
    let rows = Entity::find().filter(Column::GuildId.eq(guild)).filter(during);
    let rows = rows.order_by_asc(Column::StartsAt).all(conn).await?;
    let zone = period::zone(settings);
    let day = |moment: Timestamp| moment.with_timezone(&zone).date_naive();
    // The days, and the last of them that is counted.
    let mut counted: HashMap<ChatId, (i64, Option<NaiveDate>)> = HashMap::new();
    for row in rows.iter().filter(|row| !row.is_cancelled()) {
        let first = day(span.since.map_or(row.starts_at, |since| since.max(row.starts_at)));
        let last = day(row.until().min(until) - TimeDelta::microseconds(1));
        let (days, reached) = counted.entry(row.staff_id).or_default();
        let first = reached.and_then(|day| day.succ_opt()).map_or(first, |next| next.max(first));
        if first <= last {
            *days += (last - first).num_days() + 1;
            *reached = Some(last);
        }
    }
    Ok(counted.into_iter().map(|(staff, (days, _))| (staff, days)).collect())
}

/// Marks up to `limit` active leaves past their end as expired, of one guild or of all (their audit
/// entries: [`expiry_entry`]).
pub async fn sweep(
    conn: &impl Conn,
    guild: Option<GuildId>,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    let over = Condition::all()
        .add(Column::Status.eq(Status::Active))
        .add(Column::EndsAt.lte(now))
        .add_option(guild.map(|guild| Column::GuildId.eq(guild)));
    let expire = Entity::update_many()
        .col_expr(Column::Status, Expr::value(Status::Expired))
        .col_expr(Column::EndedAt, Expr::value(Option::<Timestamp>::None));
    let due = Due { rows: over, id: Column::LoaId, since: Column::EndsAt };
    sweep::close(conn, expire, due, limit).await
}

/// The audit entry of a row that the sweep has closed.
pub fn expiry_entry(loa: &Model) -> NewEntry {
    NewEntry {
        guild: loa.guild_id,
        action: "loa.expire",
        target: loa.loa_id.to_string(),
        metadata: json!({
            "before": { "status": Status::Active },
            "after": { "status": Status::Expired, "staff_id": loa.staff_id },
        }),
    }
}
