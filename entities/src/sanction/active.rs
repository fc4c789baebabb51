//! The sanctions in force.

use std::cmp::Reverse;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Select};

use super::change::Target;
use super::model::{
    self, ALTERNATIVES_PER_STATEMENT, Column, Entity, Model, SanctionKind, in_force, of_accounts,
};
use crate::{ChatId, GuildId, Person, PlaceId, PlayId, SanctionId, Subject, Timestamp, link, lists};

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

/// The columns that a check needs.
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
    let mut found = Vec::new();
    for part in people.chunks(ALTERNATIVES_PER_STATEMENT / 2) {
        let of_people = Entity::find().filter(model::of_people(guild, part));
        found.append(&mut of_people.filter(in_force(now)).all(conn).await?);
    }
    found.sort_by_key(|row| Reverse(row.end_order()));
    Ok(found)
}

/// The sanctions in force against the person with this account, of both kinds and in any place; in one query.
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
