//! Mutes (docs/rules.md 4): the rules of bans, without a mirror on the chat platform.

mod active;
pub mod expiry;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QuerySelect, UpdateMany};

use crate::moderation_revision::Change;
use crate::{
    ChatId, GuildId, Lifted, MuteId, Person, PlaceId, PlayId, Subject, Timestamp, due, lists, sanction,
};

pub use active::{Listed, changed_since, count, list, of_person, remaining};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mute")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub mute_id: MuteId,
    pub guild_id: GuildId,
    /// Either this or `play_id`: what the moderator named.
    pub chat_id: Option<ChatId>,
    pub play_id: Option<PlayId>,
    /// None: every game of the guild.
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub moderator_id: ChatId,
    pub created_at: Timestamp,
    /// None: permanent.
    pub expires_at: Option<Timestamp>,
    /// When it was closed. A lapsed mute is not in force although this is empty until the sweep.
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub lifted_by: Option<ChatId>,
    pub revision: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub fn in_force(&self, now: Timestamp) -> bool {
        self.lifted_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }

    pub fn person(&self) -> Person {
        Person { chat: self.chat_id, play: self.play_id }
    }

    pub fn applies_in(&self, place: PlaceId) -> bool {
        self.place_id.is_none_or(|own| own == place)
    }

    /// What the moderator named. A row has always one; the schema sees to it.
    pub fn subject(&self) -> Option<Subject> {
        self.chat_id.map(Subject::Chat).or(self.play_id.map(Subject::Play))
    }
}

/// A mute to be written.
#[derive(Debug, Clone)]
pub struct NewMute {
    pub subject: Subject,
    pub place: Option<PlaceId>,
    pub reason: String,
    pub moderator: ChatId,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct Added {
    pub mute: Model,
    /// The older ones it took the place of, closed now. `lifted_how` tells those that had lapsed unnoticed.
    pub closed: Vec<Model>,
}

/// Mutes, in place of any mute of the same identifier and place.
pub async fn add<C: ConnectionTrait>(conn: &C, change: &Change, mute: NewMute) -> Result<Added, DbErr> {
    let same_place = match mute.place {
        Some(place) => Column::PlaceId.eq(place),
        None => Column::PlaceId.is_null(),
    };
    let closed = closing(change, Lifted::Superseded, Some(mute.moderator))
        .filter(Person::from(mute.subject).matches(Column::ChatId, Column::PlayId))
        .filter(same_place)
        .exec_with_returning(conn)
        .await?;
    let row = ActiveModel {
        mute_id: NotSet,
        guild_id: Set(change.guild),
        chat_id: Set(mute.subject.chat()),
        play_id: Set(mute.subject.play()),
        place_id: Set(mute.place),
        reason: Set(mute.reason),
        moderator_id: Set(mute.moderator),
        created_at: Set(mute.created_at),
        expires_at: Set(mute.expires_at),
        revision: Set(change.revision),
        ..Default::default()
    };
    Ok(Added { mute: row.insert(conn).await?, closed })
}

/// Lifts every mute of a person, or with a place only those of that place. Returns what was open, closed now:
/// `lifted_how` tells those that were in force from those that had lapsed unnoticed.
pub async fn lift<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    (person, place): (Person, Option<PlaceId>),
    by: ChatId,
) -> Result<Vec<Model>, DbErr> {
    closing(change, Lifted::Lifted, Some(by))
        .filter(person.matches(Column::ChatId, Column::PlayId))
        .filter(Condition::all().add_option(place.map(|place| Column::PlaceId.eq(place))))
        .exec_with_returning(conn)
        .await
}

/// Guilds with a mute that has lapsed and is not closed.
pub async fn guilds_with_lapsed<C: ConnectionTrait>(
    conn: &C,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<GuildId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::GuildId)
        .distinct()
        .filter(sanction::lapsed(Column::LiftedAt, Column::ExpiresAt, now))
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await
}

/// Closes up to `limit` mutes of the guild that have lapsed.
pub async fn close_lapsed<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let lapsed = sanction::lapsed(Column::LiftedAt, Column::ExpiresAt, change.now)
        .add(Column::GuildId.eq(change.guild));
    let close = closing(change, Lifted::Expired, None);
    due::change(conn, close, lapsed, (Column::MuteId, Column::ExpiresAt), limit).await
}

/// Gives the open mutes of these chat users this revision: they were linked anew.
pub async fn relinked<C: ConnectionTrait>(conn: &C, change: &Change, chats: &[ChatId]) -> Result<u64, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
        .filter(lists::any_of(conn, Column::ChatId, chats.iter().copied()))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}

/// The update that closes open mutes of the guild.
fn closing(change: &Change, how: Lifted, by: Option<ChatId>) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::LiftedAt, Expr::value(change.now))
        .col_expr(Column::LiftedHow, sanction::lapsed_or(Column::ExpiresAt, how, change.now))
        .col_expr(Column::LiftedBy, Expr::value(by))
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
}
