//! Attempts of members to link (docs/rules.md 11). Each belongs to one chat user and one guild, lives fifteen minutes and ends
//! once.

use chrono::TimeDelta;
use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{Condition, QuerySelect};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::account::Way;
use crate::by_id::{by_id, no_relations};
use crate::{AttemptId, ChatId, Conn, GuildId, Page, PlayId, Result, Timestamp};

pub const LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How long staff may take to decide.
pub const HELD_FOR: TimeDelta = TimeDelta::days(30);
/// Ended attempts are kept this long.
const KEPT_FOR: TimeDelta = TimeDelta::days(30);
/// Players who may try one code before it is dead.
pub const TRIES: i32 = 5;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_attempt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub attempt_id: AttemptId,
    pub guild_id: GuildId,
    pub chat_id: ChatId,
    pub chat_name: String,
    pub state: State,
    pub code_hash: Vec<u8>,
    /// For the text of a profile.
    pub words: String,
    /// Other players who typed the code.
    pub tries: i32,
    pub way: Option<Way>,
    /// Of an open attempt: the player who typed the code, and was asked.
    pub play_id: Option<PlayId>,
    pub play_username: Option<String>,
    /// Why staff must decide.
    pub held_for: Option<String>,
    pub outcome: Option<Outcome>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub decided_by: Option<ChatId>,
    /// The code was confirmed by a trusted key.
    pub trusted: bool,
}

no_relations!();

by_id!(AttemptId: find, find_for_update, save, newest);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LinkAttemptState)]
pub enum State {
    /// The member has not proven a game account yet.
    Open,
    /// The member has to agree.
    Proven,
    /// Staff decide.
    Held,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LinkAttemptOutcome)]
pub enum Outcome {
    Linked,
    /// By the guild's rules, or by staff.
    Rejected,
    /// By the member.
    Cancelled,
    /// The member began anew, or somebody else has proven the game account since.
    Replaced,
    /// Too many players typed its code.
    Locked,
}

impl Model {
    /// Whether the proof counts in all guilds. Whoever holds a key that is not trusted could name any player.
    pub fn proves_everywhere(&self) -> bool {
        self.trusted || self.way.is_some_and(|way| way != Way::Code)
    }

    pub fn is_live(&self, now: Timestamp) -> bool {
        self.state != State::Ended && self.expires_at > now
    }

    pub fn end(&mut self, outcome: Outcome, now: Timestamp) {
        self.state = State::Ended;
        self.outcome = Some(outcome);
        self.ended_at = Some(now);
    }
}

/// An attempt to begin.
#[derive(Debug, Clone)]
pub struct NewAttempt {
    pub id: AttemptId,
    pub guild: GuildId,
    pub chat: ChatId,
    pub chat_name: String,
    pub code_hash: Vec<u8>,
    pub words: String,
}

/// Begins an attempt, in place of an earlier one of the chat user.
pub async fn begin(conn: &impl Conn, new: NewAttempt, now: Timestamp) -> Result<Model> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Ended))
        .col_expr(Column::Outcome, Expr::value(Outcome::Replaced))
        .col_expr(Column::EndedAt, Expr::value(now))
        .filter(Column::GuildId.eq(new.guild))
        .filter(Column::ChatId.eq(new.chat))
        .filter(Column::State.ne(State::Ended))
        .exec(conn)
        .await?;
    let row = ActiveModel {
        attempt_id: Set(new.id),
        guild_id: Set(new.guild),
        chat_id: Set(new.chat),
        chat_name: Set(new.chat_name),
        state: Set(State::Open),
        code_hash: Set(new.code_hash),
        words: Set(new.words),
        tries: Set(0),
        way: Set(None),
        play_id: Set(None),
        play_username: Set(None),
        held_for: Set(None),
        outcome: Set(None),
        created_at: Set(now),
        expires_at: Set(now + LIFETIME),
        ended_at: Set(None),
        decided_by: Set(None),
        trusted: Set(false),
    };
    row.insert(conn).await
}

/// Ends attempts in all guilds that rest on an older proof of this game account, by other chat users.
pub async fn end_older(conn: &impl Conn, play: PlayId, winner: ChatId, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Ended))
        .col_expr(Column::Outcome, Expr::value(Outcome::Replaced))
        .col_expr(Column::EndedAt, Expr::value(now))
        .filter(Column::PlayId.eq(play))
        .filter(Column::ChatId.ne(winner))
        .filter(Column::State.is_in([State::Proven, State::Held]))
        .filter(Condition::any().add(Column::Way.ne(Way::Code)).add(Column::Trusted.eq(true)))
        .exec(conn)
        .await?;
    Ok(())
}

/// The attempt of a chat user that has not ended.
pub async fn of_chat(
    conn: &impl Conn,
    guild: GuildId,
    chat: ChatId,
    now: Timestamp,
) -> Result<Option<Model>> {
    let own = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ChatId.eq(chat));
    own.filter(Column::State.ne(State::Ended)).filter(Column::ExpiresAt.gt(now)).one(conn).await
}

/// Whether a chat user has an attempt that has not ended, also one that is over its time.
pub async fn has_unfinished(conn: &impl Conn, guild: GuildId, chat: ChatId) -> Result<bool> {
    let own = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ChatId.eq(chat));
    Ok(own.filter(Column::State.ne(State::Ended)).one(conn).await?.is_some())
}

/// The attempt that waits for this code, locked until the transaction ends.
pub async fn by_code(
    conn: &impl Conn,
    guild: GuildId,
    code_hash: &[u8],
    now: Timestamp,
) -> Result<Option<Model>> {
    let waiting = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add(Column::CodeHash.eq(code_hash))
        .add(Column::State.is_in([State::Open, State::Proven]))
        .add(Column::ExpiresAt.gt(now));
    Entity::find().filter(waiting).lock_exclusive().one(conn).await
}

/// Attempts of a guild, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    state: Option<State>,
    page: Page<AttemptId>,
) -> Result<Vec<Model>> {
    let shown = Condition::all().add_option(state.map(|state| Column::State.eq(state)));
    newest(guild, page).filter(shown).all(conn).await
}

/// Deletes attempts that ended or expired long ago.
pub async fn prune(conn: &impl Conn, now: Timestamp) -> Result<u64> {
    let old = Entity::delete_many().filter(Column::ExpiresAt.lte(now - KEPT_FOR));
    Ok(old.exec(conn).await?.rows_affected)
}
