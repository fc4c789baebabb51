//! Bans (docs/rules.md 4): at most one in force for a guild, identifier and place.
//!
//! Modules: [`change`] what a transaction does to them, [`active`] who is banned now and what changed since,
//! [`expiry`] what lapsed, [`history`] all of them, [`import`] many at once from a file, [`mirror`] their copy on the
//! chat platform.

pub mod active;
pub mod change;
pub mod expiry;
pub mod history;
pub mod import;
pub mod mirror;

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{BanId, ChatId, GuildId, JobId, Lifted, Person, PlaceId, PlayId, Subject, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ban")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub ban_id: BanId,
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
    /// When it was closed. A lapsed ban is not in force although this is empty until the sweep.
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub lifted_by: Option<ChatId>,
    pub mirror_state: MirrorState,
    /// The chat user whom the mirror bans.
    pub mirror_chat_id: Option<ChatId>,
    /// The newest mirror job: an older one no longer writes here.
    pub mirror_job_id: Option<JobId>,
    pub mirror_error: Option<String>,
    /// Of the guild's moderation, at the last change of this row.
    pub revision: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Whether the chat platform has what this ban calls for: a ban while it is in force, none after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum MirrorState {
    /// Not mirrored: switched off, bound to a place, or no chat user known.
    #[sea_orm(string_value = "none")]
    None,
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "done")]
    Done,
    /// Somebody else has banned the user there: nothing was done, and nothing will be lifted.
    #[sea_orm(string_value = "already_banned")]
    AlreadyBanned,
    #[sea_orm(string_value = "failed")]
    Failed,
}

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
