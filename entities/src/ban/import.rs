//! Many bans at once, from a file. What is there already, in force or not, is left as it is: a second time changes
//! nothing, and a ban that was lifted since does not come back.

use std::collections::HashSet;

use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QuerySelect};

use super::change::{self, NewBan};
use super::{ActiveModel, Column, Entity, MirrorState};
use crate::moderation_revision::Change;
use crate::{ChatId, PlaceId, PlayId, Subject, Timestamp};

/// Rows a statement: well under the databases' limits of bound values.
const ROWS_A_STATEMENT: usize = 500;

/// What tells two bans of a file apart.
type Identity = (Subject, Option<PlaceId>, Timestamp);

/// Whether a ban with this identifier, place and time is there.
#[derive(Debug, Default)]
pub struct Known(HashSet<Identity>);

impl Known {
    pub async fn read<C: ConnectionTrait>(conn: &C, guild: crate::GuildId) -> Result<Self, DbErr> {
        type Row = (Option<ChatId>, Option<PlayId>, Option<PlaceId>, Timestamp);
        let rows: Vec<Row> = Entity::find()
            .select_only()
            .columns([Column::ChatId, Column::PlayId, Column::PlaceId, Column::CreatedAt])
            .filter(Column::GuildId.eq(guild))
            .into_tuple()
            .all(conn)
            .await?;
        let identity = |(chat, play, place, created_at): Row| {
            let subject = chat.map(Subject::Chat).or(play.map(Subject::Play))?;
            Some((subject, place, created_at))
        };
        Ok(Self(rows.into_iter().filter_map(identity).collect()))
    }

    /// Those that are not there, each once.
    pub fn leave_new(mut self, bans: Vec<NewBan>) -> Vec<NewBan> {
        bans.into_iter().filter(|ban| self.0.insert((ban.subject, ban.place, ban.created_at))).collect()
    }
}

/// Writes bans that are not there. Of one identifier and place the later one supersedes the earlier.
pub async fn add_many<C: ConnectionTrait>(conn: &C, change: &Change, bans: Vec<NewBan>) -> Result<(), DbErr> {
    let mut open = open_places(conn, change).await?;
    let (alone, superseding): (Vec<_>, Vec<_>) =
        bans.into_iter().partition(|ban| open.insert((ban.subject, ban.place)));
    for rows in alone.chunks(ROWS_A_STATEMENT) {
        let rows = rows.iter().map(|ban| row(change, ban));
        Entity::insert_many(rows).exec_without_returning(conn).await?;
    }
    for ban in superseding {
        change::add(conn, change, ban).await?;
    }
    Ok(())
}

async fn open_places<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
) -> Result<HashSet<(Subject, Option<PlaceId>)>, DbErr> {
    type Row = (Option<ChatId>, Option<PlayId>, Option<PlaceId>);
    let rows: Vec<Row> = Entity::find()
        .select_only()
        .columns([Column::ChatId, Column::PlayId, Column::PlaceId])
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
        .into_tuple()
        .all(conn)
        .await?;
    let open = |(chat, play, place): Row| Some((chat.map(Subject::Chat).or(play.map(Subject::Play))?, place));
    Ok(rows.into_iter().filter_map(open).collect())
}

/// Every column is set, so that all rows of a statement have the same ones.
fn row(change: &Change, ban: &NewBan) -> ActiveModel {
    ActiveModel {
        ban_id: NotSet,
        guild_id: Set(change.guild),
        chat_id: Set(ban.subject.chat()),
        play_id: Set(ban.subject.play()),
        place_id: Set(ban.place),
        reason: Set(ban.reason.clone()),
        moderator_id: Set(ban.moderator),
        created_at: Set(ban.created_at),
        expires_at: Set(ban.expires_at),
        lifted_at: Set(None),
        lifted_how: Set(None),
        lifted_by: Set(None),
        mirror_state: Set(MirrorState::None),
        mirror_chat_id: Set(None),
        mirror_job_id: Set(None),
        mirror_error: Set(None),
        revision: Set(change.revision),
    }
}
