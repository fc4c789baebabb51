//! Application panels (docs/rules.md 7): what a submission applies for, and the category of its ticket.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, QueryOrder};

use crate::by_id::{by_id, no_relations};
use crate::{ChannelId, Conn, GuildId, PanelId, Result, RoleId, RoleList, Timestamp, staff_role};

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
}

no_relations!();

by_id!(PanelId: find, next_id);

/// A panel as its guild describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPanel {
    /// `None`: the service assigns the number.
    pub id: Option<PanelId>,
    pub name: String,
    pub category: Option<ChannelId>,
    pub staff_roles: Option<Vec<RoleId>>,
}

/// Adds a panel; `None` if the guild already has a panel with this id. Needs a transaction.
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
    };
    let taken = OnConflict::columns([Column::GuildId, Column::PanelId]).do_nothing().to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

impl Model {
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
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::PanelId).all(conn).await
}
