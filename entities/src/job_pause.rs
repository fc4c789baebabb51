//! Operators' pauses of a class or a guild: its jobs stay queued, and running ones continue.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, OnConflict, Query, SimpleExpr};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QueryOrder};

use crate::by_id::no_relations;
use crate::job::{self, Class};
use crate::{Conn, GuildId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job_pause")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub pause_id: i64,
    pub class: Option<Class>,
    pub guild_id: Option<GuildId>,
    pub paused_at: Timestamp,
    /// As the operator wrote it; empty: no reason given.
    pub reason: String,
    /// The operator's chat id; `None`: the command line.
    pub paused_by: Option<i64>,
}

no_relations!();

/// A class or a guild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Class(Class),
    Guild(GuildId),
}

impl Scope {
    fn columns(self) -> (Option<Class>, Option<GuildId>) {
        match self {
            Self::Class(class) => (Some(class), None),
            Self::Guild(guild) => (None, Some(guild)),
        }
    }
}

/// Who pauses, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    pub reason: String,
    pub by: Option<i64>,
}

/// False: it was already paused.
pub async fn create(conn: &impl Conn, scope: Scope, note: Note, now: Timestamp) -> Result<bool> {
    let (class, guild_id) = scope.columns();
    let row = ActiveModel {
        pause_id: NotSet,
        class: Set(class),
        guild_id: Set(guild_id),
        paused_at: Set(now),
        reason: Set(note.reason),
        paused_by: Set(note.by),
    };
    let conflict = OnConflict::new().do_nothing().to_owned();
    Ok(Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

/// False: it was not paused.
pub async fn delete(conn: &impl Conn, scope: Scope) -> Result<bool> {
    let which = match scope {
        Scope::Class(class) => Column::Class.eq(class),
        Scope::Guild(guild) => Column::GuildId.eq(guild),
    };
    Ok(Entity::delete_many().filter(which).exec(conn).await?.rows_affected > 0)
}

pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::PauseId).all(conn).await
}

/// Whether the job of the surrounding statement is paused.
pub(crate) fn covers_job() -> SimpleExpr {
    let same_class = Expr::col((Entity, Column::Class)).equals((job::Entity, job::Column::Class));
    let same_guild = Expr::col((Entity, Column::GuildId)).equals((job::Entity, job::Column::GuildId));
    is_there(Condition::any().add(same_class).add(same_guild))
}

/// Whether the guild in this column of the surrounding statement is paused.
pub(crate) fn covers_guild(guild: impl IntoColumnRef) -> SimpleExpr {
    is_there(Condition::all().add(Expr::col((Entity, Column::GuildId)).equals(guild)))
}

fn is_there(which: Condition) -> SimpleExpr {
    let pauses = Query::select().expr(Expr::value(1)).from(Entity).cond_where(which).to_owned();
    Expr::exists(pauses)
}
