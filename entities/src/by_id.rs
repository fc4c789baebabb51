//! Rows of a guild by their id. Each accessor takes the guild, so no caller can reach a row of another guild.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::InsertStatement;
use sea_orm::{Order, QueryOrder, QuerySelect, QueryTrait};

/// Part of a list: the rows after the one with the id `cursor`, at most `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<Id> {
    pub cursor: Option<Id>,
    pub limit: u64,
}

/// What a list is sorted by, and in which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorted<Key> {
    pub by: Key,
    pub descending: bool,
}

impl<Key> Sorted<Key> {
    pub fn ascending(by: Key) -> Self {
        Self { by, descending: false }
    }

    pub(crate) fn order(&self) -> Order {
        if self.descending { Order::Desc } else { Order::Asc }
    }
}

impl<Id> Page<Id> {
    /// From the first row of the list.
    pub fn first(limit: u64) -> Self {
        Self { cursor: None, limit }
    }
}

impl<Id: Into<Value>> Page<Id> {
    /// Newest first: by descending id.
    pub(crate) fn of<E: EntityTrait>(self, rows: Select<E>, id: E::Column) -> Select<E> {
        let rows = rows.order_by_desc(id).limit(self.limit);
        match self.cursor {
            Some(cursor) => rows.filter(id.lt(cursor)),
            None => rows,
        }
    }
}

/// Rows per statement, well under the databases' limits on bound values.
pub(crate) const ROWS_PER_STATEMENT: usize = 1_000;

/// The statements that insert the rows.
pub(crate) fn inserts_of<E: EntityTrait>(
    rows: impl IntoIterator<Item = impl ActiveModelTrait<Entity = E>>,
) -> Vec<InsertStatement> {
    let (mut rows, mut inserts) = (rows.into_iter().peekable(), Vec::new());
    while rows.peek().is_some() {
        inserts.push(E::insert_many(rows.by_ref().take(ROWS_PER_STATEMENT)).into_query());
    }
    inserts
}

/// Traits that sea-orm requires of every table: no query follows a relation, and no write has hooks.
macro_rules! no_relations {
    () => {
        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    };
}
pub(crate) use no_relations;

/// Declares accessors of a table with a column `guild_id`: `by_id!(LoaId: find, delete);` where `LoaId` is the type of
/// the id and the name of its column.
macro_rules! by_id {
    ($id:ident: $($accessor:ident),+) => {
        $($crate::by_id::by_id!(@$accessor $id);)+
    };
    (@find $id:ident) => {
        pub async fn find(
            conn: &impl $crate::Conn,
            guild: $crate::GuildId,
            id: $crate::$id,
        ) -> $crate::Result<Option<Model>> {
            Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::$id.eq(id)).one(conn).await
        }
    };
    (@find_for_update $id:ident) => {
        /// The row, locked until the transaction ends.
        pub async fn find_for_update(
            conn: &impl $crate::Conn,
            guild: $crate::GuildId,
            id: $crate::$id,
        ) -> $crate::Result<Option<Model>> {
            let row = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::$id.eq(id));
            sea_orm::QuerySelect::lock_exclusive(row).one(conn).await
        }
    };
    (@delete $id:ident) => {
        /// Deletes the row and returns it; `None` if it does not exist.
        pub async fn delete(
            conn: &impl $crate::Conn,
            guild: $crate::GuildId,
            id: $crate::$id,
        ) -> $crate::Result<Option<Model>> {
            let row = Entity::delete_many().filter(Column::GuildId.eq(guild)).filter(Column::$id.eq(id));
            Ok(row.exec_with_returning(conn).await?.into_iter().next())
        }
    };
    (@save $id:ident) => {
        /// Writes all fields of a row that was read for update in the same transaction.
        pub async fn save(conn: &impl $crate::Conn, row: &Model) -> $crate::Result<Model> {
            let change = Entity::update(ActiveModel::from(row.clone()).reset_all()).validate()?;
            change.filter(Column::GuildId.eq(row.guild_id)).exec(conn).await
        }
    };
    (@newest $id:ident) => {
        /// A page of the guild's rows, newest first.
        fn newest(guild: $crate::GuildId, page: $crate::Page<$crate::$id>) -> sea_orm::Select<Entity> {
            page.of(Entity::find().filter(Column::GuildId.eq(guild)), Column::$id)
        }
    };
    (@list $id:ident) => {
        $crate::by_id::by_id!(@newest $id);

        /// The guild's rows, newest first.
        pub async fn list(
            conn: &impl $crate::Conn,
            guild: $crate::GuildId,
            page: $crate::Page<$crate::$id>,
        ) -> $crate::Result<Vec<Model>> {
            newest(guild, page).all(conn).await
        }
    };
    (@next_id $id:ident) => {
        /// One more than the guild's largest id. Locks the guild, so that two transactions never get the same id.
        async fn next_id(conn: &impl $crate::Conn, guild: $crate::GuildId) -> $crate::Result<$crate::$id> {
            use sea_orm::QuerySelect as _;

            $crate::guild::find_for_update(conn, guild).await?;
            let last: Option<Option<$crate::$id>> = Entity::find()
                .filter(Column::GuildId.eq(guild))
                .select_only()
                .column_as(Column::$id.max(), "last")
                .into_tuple()
                .one(conn)
                .await?;
            let next = last.flatten().map_or(1, |id| id.get().saturating_add(1));
            $crate::$id::try_from(next).map_err(|error| DbErr::Custom(error.to_string()))
        }
    };
}
pub(crate) use by_id;
