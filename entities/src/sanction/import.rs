//! Imports many sanctions from a file. Existing rows, in force or not, stay unchanged: a second import changes nothing,
//! and a lifted sanction is not restored.

use std::collections::HashSet;

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;

use super::change::{self, NewSanction};
use super::model::{Column, Entity, Slot};
use crate::moderation_revision::Change;
use crate::{GuildId, Person, Timestamp};

/// Rows per statement, well under the databases' limits on bound values and on nested conditions.
const ROWS_PER_STATEMENT: usize = 250;

/// The existing sanctions of a guild.
#[derive(Debug, Default)]
pub struct Existing(HashSet<(Slot, Timestamp)>);

impl Existing {
    pub async fn read<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Self, DbErr> {
        let columns = [Column::Kind, Column::ChatId, Column::PlayId, Column::PlaceId, Column::CreatedAt];
        let rows = Entity::find().select_only().columns(columns).filter(Column::GuildId.eq(guild));
        let rows: Vec<(_, _, _, _, _)> = rows.into_tuple().all(conn).await?;
        let slots = rows.into_iter();
        Ok(Self(slots.map(|(kind, chat, play, place, at)| (Slot { kind, chat, play, place }, at)).collect()))
    }

    /// Those that do not exist, without duplicates.
    pub fn leave_new(mut self, sanctions: Vec<NewSanction>) -> Vec<NewSanction> {
        sanctions.into_iter().filter(|new| self.0.insert((new.slot(), new.created_at))).collect()
    }
}

/// Writes new sanctions like [`change::create`], with the links as they are.
pub async fn create_many<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    sanctions: Vec<NewSanction>,
) -> Result<(), DbErr> {
    for chunk in sanctions.chunks(ROWS_PER_STATEMENT) {
        let mut chunk = chunk.to_vec();
        let subjects: Vec<_> = chunk.iter().map(|new| new.subject).collect();
        let people = Person::resolve_all(conn, change.guild, &subjects).await?;
        chunk.iter_mut().zip(people).for_each(|(new, person)| new.person = person);
        change::create(conn, change, chunk).await?;
    }
    Ok(())
}
