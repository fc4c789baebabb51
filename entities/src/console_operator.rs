//! Who may see and operate the whole instance (docs/rules.md 10). `guildhall console link --operator` adds a
//! user. Each request reads the list, so that a session whose user was removed no longer sees the instance.

use sea_orm::QueryOrder;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::by_id::no_relations;
use crate::{ChatId, Conn, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "console_operator")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: ChatId,
    pub user_name: String,
    /// The operating system's user who added them.
    pub added_by: String,
    pub added_at: Timestamp,
}

no_relations!();

/// Adds a user; one who is in the list stays as they are.
pub async fn add(conn: &impl Conn, operator: Model) -> Result<()> {
    let known = OnConflict::column(Column::UserId).do_nothing().to_owned();
    let row = ActiveModel::from(operator).reset_all();
    Entity::insert(row).on_conflict(known).exec_without_returning(conn).await?;
    Ok(())
}

pub async fn is_operator(conn: &impl Conn, user: ChatId) -> Result<bool> {
    Ok(Entity::find_by_id(user).count(conn).await? == 1)
}

/// All operators, oldest first.
pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::AddedAt).order_by_asc(Column::UserId).all(conn).await
}

/// False: the user was not an operator.
pub async fn remove(conn: &impl Conn, user: ChatId) -> Result<bool> {
    Ok(Entity::delete_by_id(user).exec(conn).await?.rows_affected == 1)
}
