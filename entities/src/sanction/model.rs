//! A row of the table `sanction`, and the conditions that its queries share.
//!
//! In force means neither lifted nor expired: `expires_at` decides to the second, whether or not the sweep has run
//! (docs/rules.md 4).

use sea_orm::Condition;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::SimpleExpr;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    ChatId, Conn, GuildId, JobId, KeyId, Person, PlaceId, PlayId, SanctionId, Subject, Timestamp, lists,
};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sanction")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub sanction_id: SanctionId,
    pub guild_id: GuildId,
    /// For people: of all bans, or all mutes, of the guild. One that replaces another keeps its number.
    pub number: i64,
    pub kind: SanctionKind,
    /// Either this or `play_id`: the account that the moderator named.
    pub chat_id: Option<ChatId>,
    pub play_id: Option<PlayId>,
    /// `None`: every game of the guild.
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub moderator_id: ChatId,
    /// The key that named the moderator; `None`: a person who was signed in, or a file of an operator.
    pub key_id: Option<KeyId>,
    pub created_at: Timestamp,
    /// `None`: permanent.
    pub expires_at: Option<Timestamp>,
    /// When it was closed. An expired row is not in force although this stays empty until the sweep.
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub lifted_by: Option<ChatId>,
    /// Why a moderator lifted it.
    pub lift_reason: Option<String>,
    /// Mutes are never mirrored.
    pub mirror_state: MirrorState,
    /// The chat user whom the mirror bans.
    pub mirror_chat_id: Option<ChatId>,
    /// The newest mirror job: an older one no longer updates this row.
    pub mirror_job_id: Option<JobId>,
    pub mirror_error: Option<String>,
    /// The guild's moderation revision at the last change of this row.
    pub revision: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    strum::IntoStaticStr,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SanctionKind {
    /// May not join.
    Ban,
    /// May not chat.
    Mute,
}

/// How a sanction was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Lifted {
    /// By a moderator.
    Lifted,
    /// By a newer one of the same kind, person and place.
    Superseded,
    Expired,
}

/// Whether the chat platform matches this ban: a ban while it is in force, no ban after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MirrorState {
    /// Not mirrored: a mute, switched off, bound to a place, or no chat user known.
    None,
    /// Not mirrored until it is allowed: its key has used up its hour.
    Held,
    Pending,
    Done,
    /// Banned there by others: Guildhall did not ban the user and does not lift it.
    AlreadyBanned,
    /// Not banned there: the owner, an admin, staff or a bot.
    Protected,
    Failed,
}

/// At most one sanction is open in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot {
    pub(super) kind: SanctionKind,
    /// Either this or `play`.
    pub(super) chat: Option<ChatId>,
    pub(super) play: Option<PlayId>,
    pub(super) place: Option<PlaceId>,
}

impl Slot {
    pub(super) fn rows(self, guild: GuildId) -> Condition {
        Condition::all()
            .add(Column::GuildId.eq(guild))
            .add(Column::Kind.eq(self.kind))
            .add_option(self.chat.map(|chat| Column::ChatId.eq(chat)))
            .add_option(self.play.map(|play| Column::PlayId.eq(play)))
            .add(self.place.map_or_else(|| Column::PlaceId.is_null(), |place| Column::PlaceId.eq(place)))
    }
}

impl Model {
    pub(super) fn slot(&self) -> Slot {
        Slot { kind: self.kind, chat: self.chat_id, play: self.play_id, place: self.place_id }
    }

    pub fn in_force(&self, now: Timestamp) -> bool {
        self.lifted_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }

    /// Sort key of a person's sanctions: the greatest ends last.
    pub fn end_order(&self) -> impl Ord + use<> {
        (self.expires_at.is_none(), self.expires_at, self.sanction_id)
    }

    /// The account that the moderator named. The schema requires exactly one.
    pub fn subject(&self) -> Option<Subject> {
        self.chat_id.map(Subject::Chat).or(self.play_id.map(Subject::Play))
    }
}

/// Filter of a list of sanctions by the place they count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Places {
    /// Only sanctions that count in every game.
    Everywhere,
    /// Sanctions that count in this place: its own and those that count in every game.
    In(PlaceId),
    All,
}

impl Places {
    pub(super) fn condition(self) -> Condition {
        match self {
            Self::Everywhere => Condition::all().add(Column::PlaceId.is_null()),
            Self::In(place) => Condition::any().add(Column::PlaceId.is_null()).add(Column::PlaceId.eq(place)),
            Self::All => Condition::all(),
        }
    }
}

/// The guild's sanctions against a person. A person without accounts matches no row.
pub(super) fn of_person(guild: GuildId, person: Person) -> Condition {
    of_people(guild, &[person])
}

/// SQLite refuses a statement of a thousand, and rendering it may overflow the stack.
pub(super) const ALTERNATIVES_PER_STATEMENT: usize = 128;

/// Of a few: each account is an alternative.
pub(super) fn of_people(guild: GuildId, people: &[Person]) -> Condition {
    let accounts = people.iter().flat_map(|person| {
        [person.chat.map(|chat| Column::ChatId.eq(chat)), person.play.map(|play| Column::PlayId.eq(play))]
    });
    of_accounts(guild, accounts.flatten())
}

/// The same of any number of people, in one statement for all numbers.
pub(super) fn of_many(conn: &impl Conn, guild: GuildId, people: &[Person]) -> Condition {
    let chats: Vec<_> = people.iter().filter_map(|person| person.chat).collect();
    let plays: Vec<_> = people.iter().filter_map(|person| person.play).collect();
    // An alternative without an account would be searched among all rows of the guild.
    let by_chat = (!chats.is_empty()).then(|| lists::any_of(conn, Column::ChatId, chats));
    let by_play = (!plays.is_empty()).then(|| lists::any_of(conn, Column::PlayId, plays));
    of_accounts(guild, by_chat.into_iter().chain(by_play))
}

/// The guild is repeated in each alternative: otherwise SQLite reads all rows of the guild.
pub(super) fn of_accounts(guild: GuildId, accounts: impl IntoIterator<Item = SimpleExpr>) -> Condition {
    let of_guild = |account| Condition::all().add(Column::GuildId.eq(guild)).add(account);
    let mut rows = accounts.into_iter().map(of_guild);
    // An empty `any` would match every row.
    let Some(first) = rows.next() else { return Condition::all().add(Expr::value(false)) };
    rows.fold(Condition::any().add(first), Condition::add)
}

pub(super) fn in_force(now: Timestamp) -> Condition {
    Condition::all()
        .add(Column::LiftedAt.is_null())
        .add(Condition::any().add(Column::ExpiresAt.is_null()).add(Column::ExpiresAt.gt(now)))
}

/// No longer in force, but not closed yet.
pub(super) fn expired(now: Timestamp) -> Condition {
    Condition::all().add(Column::LiftedAt.is_null()).add(Column::ExpiresAt.lte(now))
}

/// The `lifted_how` of a row that is being closed: `Expired` if it had expired before, else `how`.
pub(super) fn expired_or(how: Lifted, now: Timestamp) -> SimpleExpr {
    Expr::case(Column::ExpiresAt.lte(now), Expr::value(Lifted::Expired)).finally(Expr::value(how)).into()
}
