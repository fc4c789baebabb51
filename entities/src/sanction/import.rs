//! Imports many sanctions from a file. Existing rows, in force or not, stay unchanged: a second import changes nothing,
//! and a lifted sanction is not restored.

use std::collections::HashSet;

use sea_orm::entity::prelude::*;
use sea_orm::{FromQueryResult, QuerySelect, Select};

use super::change::{self, NewSanction};
use super::model::{Column, Entity, SanctionKind};
use crate::moderation_revision::Change;
use crate::{ChatId, GuildId, PlaceId, PlayId, Subject, Timestamp};

/// Rows per statement, well under the databases' limits on bound values.
const ROWS_A_STATEMENT: usize = 500;

#[derive(Debug, FromQueryResult)]
struct Row {
    kind: SanctionKind,
    chat_id: Option<ChatId>,
    play_id: Option<PlayId>,
    place_id: Option<PlaceId>,
    created_at: Timestamp,
}

/// The unique key of an open sanction.
type Slot = (SanctionKind, Subject, Option<PlaceId>);

impl Row {
    fn slot(&self) -> Option<Slot> {
        let subject = self.chat_id.map(Subject::Chat).or(self.play_id.map(Subject::Play))?;
        Some((self.kind, subject, self.place_id))
    }
}

impl NewSanction {
    fn slot(&self) -> Slot {
        (self.kind, self.subject, self.place)
    }
}

/// The existing sanctions of a guild.
#[derive(Debug, Default)]
pub struct Existing(HashSet<(Slot, Timestamp)>);

impl Existing {
    pub async fn read<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Self, DbErr> {
        let rows = rows(guild).into_model::<Row>().all(conn).await?;
        Ok(Self(rows.iter().filter_map(|row| Some((row.slot()?, row.created_at))).collect()))
    }

    /// Those that do not exist, without duplicates.
    pub fn leave_new(mut self, sanctions: Vec<NewSanction>) -> Vec<NewSanction> {
        sanctions.into_iter().filter(|new| self.0.insert((new.slot(), new.created_at))).collect()
    }
}

/// Writes new sanctions. Of one kind, identifier and place the later one supersedes the earlier.
pub async fn create_many<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    sanctions: Vec<NewSanction>,
) -> Result<(), DbErr> {
    let open = rows(change.guild).filter(Column::LiftedAt.is_null()).into_model::<Row>().all(conn).await?;
    let mut taken: HashSet<Slot> = open.iter().filter_map(Row::slot).collect();
    let (alone, superseding): (Vec<_>, Vec<_>) =
        sanctions.into_iter().partition(|new| taken.insert(new.slot()));
    for chunk in alone.chunks(ROWS_A_STATEMENT) {
        let rows = chunk.iter().cloned().map(|new| change::row(change, new));
        Entity::insert_many(rows).exec_without_returning(conn).await?;
    }
    for new in superseding {
        change::create(conn, change, new).await?;
    }
    Ok(())
}

fn rows(guild: GuildId) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Kind, Column::ChatId, Column::PlayId, Column::PlaceId, Column::CreatedAt])
        .filter(Column::GuildId.eq(guild))
}
