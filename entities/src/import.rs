//! What imports of links and bans have made, for as long as they can be undone (docs/rules.md 11).

use std::time::Duration;

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::{FromJsonQueryResult, QueryOrder};
use serde::{Deserialize, Serialize};

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, ImportId, PlayId, Result, SanctionId, Timestamp};

/// An import can be undone for this long.
pub const UNDONE_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub import_id: ImportId,
    pub guild_id: GuildId,
    pub kind: Kind,
    pub made: Made,
    /// 0: a key.
    pub made_by: ChatId,
    pub created_at: Timestamp,
    pub undone_at: Option<Timestamp>,
}

no_relations!();

by_id!(ImportId: find_for_update, save);

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Kind {
    Links,
    Bans,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(untagged)]
pub enum Made {
    Bans(Vec<SanctionId>),
    Links(Vec<(ChatId, PlayId)>),
}

impl Made {
    fn kind(&self) -> Kind {
        match self {
            Self::Bans(_) => Kind::Bans,
            Self::Links(_) => Kind::Links,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bans(bans) => bans.len(),
            Self::Links(links) => links.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Model {
    /// Until when it can be undone.
    pub fn undone_until(&self) -> Timestamp {
        self.created_at + UNDONE_WITHIN
    }
}

pub async fn add(
    conn: &impl Conn,
    guild: GuildId,
    made_by: ChatId,
    made: Made,
    now: Timestamp,
) -> Result<Model> {
    let row = ActiveModel {
        import_id: NotSet,
        guild_id: Set(guild),
        kind: Set(made.kind()),
        made: Set(made),
        made_by: Set(made_by),
        created_at: Set(now),
        undone_at: Set(None),
    };
    row.insert(conn).await
}

/// Those that can be undone, or were, newest first.
pub async fn recent(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Vec<Model>> {
    let recent = Column::CreatedAt.gt(now - UNDONE_WITHIN);
    let rows = Entity::find().filter(Column::GuildId.eq(guild)).filter(recent);
    rows.order_by_desc(Column::ImportId).all(conn).await
}

/// Deletes those that can no longer be undone.
pub async fn prune(conn: &impl Conn, now: Timestamp) -> Result<u64> {
    let old = Entity::delete_many().filter(Column::CreatedAt.lte(now - UNDONE_WITHIN));
    Ok(old.exec(conn).await?.rows_affected)
}
