//! The sanctions in force, and what changed since a revision.

use std::cmp::Reverse;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Select};

use super::change::Target;
use super::model::{self, Column, Entity, Lifted, Model, Places, SanctionKind, in_force, of_accounts};
use crate::{ChatId, GuildId, Page, Person, PlaceId, PlayId, SanctionId, Subject, Timestamp, link, lists};

/// Accounts of one platform.
#[derive(Debug, Clone, Copy)]
pub enum Against {
    Chats,
    Plays,
}

impl Against {
    fn account(self) -> Column {
        match self {
            Self::Chats => Column::ChatId,
            Self::Plays => Column::PlayId,
        }
    }

    /// [`InForce`], of both kinds and in any place, in the order of an index.
    fn in_force(self, now: Timestamp) -> Select<Entity> {
        let columns = [
            Column::GuildId,
            Column::SanctionId,
            Column::Kind,
            Column::ChatId,
            Column::PlayId,
            Column::PlaceId,
            Column::Reason,
            Column::ModeratorId,
            Column::CreatedAt,
            Column::ExpiresAt,
        ];
        let rows = Entity::find().filter(self.account().is_not_null()).filter(in_force(now));
        rows.select_only().columns(columns).order_by_asc(Column::GuildId).order_by_asc(self.account())
    }
}

/// What a check needs of a sanction.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct InForce {
    pub guild_id: GuildId,
    pub sanction_id: SanctionId,
    pub kind: SanctionKind,
    pub chat_id: Option<ChatId>,
    pub play_id: Option<PlayId>,
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub moderator_id: ChatId,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

impl InForce {
    /// The account that the moderator named.
    pub fn subject(&self) -> Option<Subject> {
        self.chat_id.map(Subject::Chat).or(self.play_id.map(Subject::Play))
    }
}

impl From<Model> for InForce {
    fn from(row: Model) -> Self {
        let Model { guild_id, sanction_id, kind, chat_id, play_id, place_id, .. } = row;
        let Model { reason, moderator_id, created_at, expires_at, .. } = row;
        Self {
            guild_id,
            sanction_id,
            kind,
            chat_id,
            play_id,
            place_id,
            reason,
            moderator_id,
            created_at,
            expires_at,
        }
    }
}

/// The sanctions of these guilds that are in force, at most `limit` of each guild, or on SQLite on average.
pub async fn of_guilds<C: ConnectionTrait>(
    conn: &C,
    guilds: &[GuildId],
    against: Against,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<InForce>, DbErr> {
    lists::of_guilds(conn, Column::GuildId, guilds, limit, against.in_force(now).into_query()).await
}

/// The sanctions of the guild that are in force, from the one after `after` on.
pub async fn of_guild<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    against: Against,
    now: Timestamp,
    after: Option<&InForce>,
    limit: u64,
) -> Result<Vec<InForce>, DbErr> {
    let key = [against.account().into_expr(), Column::SanctionId.into_expr()];
    let later = |last: &InForce| {
        let account = last.chat_id.map(ChatId::get).or(last.play_id.map(PlayId::get));
        let last = [Expr::value(account), Expr::value(last.sanction_id)];
        Expr::tuple(key).gt(Expr::tuple(last))
    };
    let later = Condition::all().add_option(after.map(later));
    let rows = against.in_force(now).filter(Column::GuildId.eq(guild)).filter(later);
    rows.order_by_asc(Column::SanctionId).limit(limit).into_model().all(conn).await
}

/// The sanctions in force against a person, of both kinds and in any place; the one that ends last comes first.
pub async fn of_person<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    person: Person,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    of_people(conn, guild, &[person], now).await
}

/// The same against any of these people.
pub async fn of_people<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    people: &[Person],
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let of_people = Entity::find().filter(model::of_people(guild, people));
    let mut found = of_people.filter(in_force(now)).all(conn).await?;
    found.sort_by_key(|row| Reverse(row.end_order()));
    Ok(found)
}

/// The sanctions in force against whoever has this account, of both kinds and in any place; in one query.
pub async fn of_subject<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    subject: Subject,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let linked = |wanted: link::Column, known: Expr| {
        Query::select()
            .column(wanted)
            .from(link::Entity)
            .and_where(Expr::col((link::Entity, link::Column::GuildId)).eq(guild))
            .and_where(known)
            .take()
    };
    let accounts = match subject {
        Subject::Chat(chat) => [
            Column::ChatId.eq(chat),
            Expr::col((Entity, Column::PlayId))
                .eq(linked(link::Column::PlayId, Expr::col((link::Entity, link::Column::ChatId)).eq(chat))),
        ],
        Subject::Play(play) => [
            Column::PlayId.eq(play),
            Expr::col((Entity, Column::ChatId))
                .eq(linked(link::Column::ChatId, Expr::col((link::Entity, link::Column::PlayId)).eq(play))),
        ],
    };
    Entity::find().filter(of_accounts(guild, accounts)).filter(in_force(now)).all(conn).await
}

/// The sanctions in force that cover the target; the one that ends last comes first. Without a place the target is every
/// game.
pub async fn covering<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    target: Target,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let mut rows = of_person(conn, guild, target.person, now).await?;
    rows.retain(|row| target.is_covered_by(row));
    Ok(rows)
}

/// One of the lists that game servers keep.
#[derive(Debug, Clone, Copy)]
pub struct List {
    pub guild: GuildId,
    pub kind: SanctionKind,
    pub places: Places,
}

/// The number of rows in force. Between two changes it only falls.
pub async fn count<C: ConnectionTrait>(conn: &C, list: List, now: Timestamp) -> Result<u64, DbErr> {
    of_list(list).filter(in_force(now)).count(conn).await
}

/// A sanction as game servers keep it.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Listed {
    pub sanction_id: SanctionId,
    pub chat_id: Option<ChatId>,
    /// The game id, known directly or by a link.
    pub play_id: Option<PlayId>,
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub expires_at: Option<Timestamp>,
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub revision: i64,
}

impl Listed {
    /// The game id where it is known, so that a game server can match players with it.
    pub fn identifier(&self) -> Option<Subject> {
        self.play_id.map(Subject::Play).or(self.chat_id.map(Subject::Chat))
    }

    pub fn in_force(&self, now: Timestamp) -> bool {
        self.lifted_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// The rows of the list that are in force, oldest first: at most `limit`, from the one after `after` on.
pub async fn range<C: ConnectionTrait>(
    conn: &C,
    list: List,
    now: Timestamp,
    after: Option<SanctionId>,
    limit: u64,
) -> Result<Vec<Listed>, DbErr> {
    let after = Condition::all().add_option(after.map(|after| Column::SanctionId.gt(after)));
    let range = of_list(list).filter(in_force(now)).filter(after);
    listed(range.order_by_asc(Column::SanctionId).limit(limit)).into_model().all(conn).await
}

/// The same rows in pages, newest first.
pub async fn page<C: ConnectionTrait>(
    conn: &C,
    list: List,
    now: Timestamp,
    page: Page<SanctionId>,
) -> Result<Vec<Listed>, DbErr> {
    let rows = page.of(of_list(list).filter(in_force(now)), Column::SanctionId);
    listed(rows).into_model().all(conn).await
}

/// Rows of the list, in force or not, that changed after `revision`, in the order of change.
///
/// An expiry is no change: game servers see it in `expires_at`. With more than `limit` changes read the whole list
/// instead. A row never changes its kind or place, so the changes of one list lead from its old state to its new one.
pub async fn changed_since<C: ConnectionTrait>(
    conn: &C,
    list: List,
    revision: i64,
    limit: u64,
) -> Result<Vec<Listed>, DbErr> {
    let changed = of_list(list)
        .filter(Column::Revision.gt(revision))
        .order_by_asc(Column::Revision)
        .order_by_asc(Column::SanctionId)
        .limit(limit);
    listed(changed).into_model().all(conn).await
}

fn of_list(list: List) -> Select<Entity> {
    Entity::find()
        .filter(Column::GuildId.eq(list.guild))
        .filter(Column::Kind.eq(list.kind))
        .filter(list.places.condition())
}

/// Selects the columns of [`Listed`].
fn listed(rows: Select<Entity>) -> Select<Entity> {
    let linked = Query::select()
        .column(link::Column::PlayId)
        .from(link::Entity)
        .and_where(Expr::col((link::Entity, link::Column::GuildId)).eq(Expr::col((Entity, Column::GuildId))))
        .and_where(Expr::col((link::Entity, link::Column::ChatId)).eq(Expr::col((Entity, Column::ChatId))))
        .to_owned();
    rows.select_only()
        .columns([
            Column::SanctionId,
            Column::ChatId,
            Column::PlaceId,
            Column::Reason,
            Column::ExpiresAt,
            Column::LiftedAt,
            Column::LiftedHow,
            Column::Revision,
        ])
        .column_as(Column::PlayId.into_expr().if_null(linked), "play_id")
}
