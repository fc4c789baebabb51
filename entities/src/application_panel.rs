//! Application panels (docs/rules.md 7): what a submission applies for, what it answers, and the category of its ticket.

mod question;

use std::collections::HashSet;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect};

use crate::by_id::{by_id, no_relations};
use crate::{
    ChannelId, Conn, GuildId, PanelId, Result, RoleId, RoleList, Timestamp, application_submission,
    staff_role,
};

pub use question::{
    FORM_QUESTIONS, LABEL_MAX, Misfit, OPTION_MAX, OPTIONS, QUESTIONS_MAX, Question, QuestionKind, Questions,
};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "application_panel")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub panel_id: PanelId,
    pub name: String,
    /// The chat channel category under which tickets open.
    pub category_id: Option<ChannelId>,
    /// Roles whose holders see the tickets. `None`: all staff roles.
    pub staff_role_ids: Option<RoleList>,
    pub created_at: Timestamp,
    pub questions: Questions,
    /// The chat role that an acceptance gives.
    pub accept_role_id: Option<RoleId>,
    /// Takes submissions.
    pub is_open: bool,
    /// Kept for its submissions only.
    pub removed_at: Option<Timestamp>,
}

no_relations!();

by_id!(PanelId: find, find_for_update, save, next_id);

/// A panel as its guild describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPanel {
    /// `None`: the service assigns the number.
    pub id: Option<PanelId>,
    pub name: String,
    pub category: Option<ChannelId>,
    pub staff_roles: Option<Vec<RoleId>>,
    pub questions: Questions,
    pub accept_role: Option<RoleId>,
    pub is_open: bool,
}

impl NewPanel {
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            id: None,
            name: name.into(),
            category: None,
            staff_roles: None,
            questions: Questions::default(),
            accept_role: None,
            is_open: true,
        }
    }
}

/// Adds a panel; `None` if the guild already has, or had, a panel with this id. Needs a transaction.
pub async fn add(conn: &impl Conn, guild: GuildId, panel: NewPanel, now: Timestamp) -> Result<Option<Model>> {
    let id = match panel.id {
        Some(id) => id,
        None => next_id(conn, guild).await?,
    };
    let row = ActiveModel {
        guild_id: Set(guild),
        panel_id: Set(id),
        name: Set(panel.name),
        category_id: Set(panel.category),
        staff_role_ids: Set(panel.staff_roles.map(RoleList)),
        created_at: Set(now),
        questions: Set(panel.questions),
        accept_role_id: Set(panel.accept_role),
        is_open: Set(panel.is_open),
        removed_at: Set(None),
    };
    let taken = OnConflict::columns([Column::GuildId, Column::PanelId]).do_nothing().to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

/// Removes a panel that was read for update in the same transaction. With submissions its row stays.
pub async fn remove(conn: &impl Conn, row: Model, now: Timestamp) -> Result<()> {
    if application_submission::has_panel(conn, row.guild_id, row.panel_id).await? {
        return save(conn, &Model { removed_at: Some(now), is_open: false, ..row }).await.map(drop);
    }
    let own = Entity::delete_many().filter(Column::GuildId.eq(row.guild_id));
    own.filter(Column::PanelId.eq(row.panel_id)).exec(conn).await.map(drop)
}

impl Model {
    /// `None`: it was removed.
    pub fn present(self) -> Option<Self> {
        self.removed_at.is_none().then_some(self)
    }

    /// The roles whose holders see the panel's tickets.
    pub async fn staff_roles(&self, conn: &impl Conn) -> Result<Vec<RoleId>> {
        if let Some(RoleList(own)) = &self.staff_role_ids {
            return Ok(own.clone());
        }
        let all = staff_role::list(conn, self.guild_id).await?;
        Ok(all.into_iter().map(|role| role.role_id).collect())
    }
}

pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    let present = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::RemovedAt.is_null());
    present.order_by_asc(Column::PanelId).all(conn).await
}

/// Those of these guilds in which people can apply now.
pub async fn guilds_with_open(conn: &impl Conn, guilds: &[GuildId]) -> Result<HashSet<GuildId>> {
    let open = Entity::find().select_only().column(Column::GuildId).distinct();
    let open = open.filter(Column::GuildId.is_in(guilds.iter().copied())).filter(Column::IsOpen.eq(true));
    Ok(open.into_tuple().all(conn).await?.into_iter().collect())
}

/// With those that were removed.
pub async fn list_all(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::PanelId).all(conn).await
}
