//! The rows of a guild as JSON, for `guildhall export` and `import`: the same on both databases. Keys, jobs, sessions of the
//! console, attempts to link and live servers stay where they are.

mod ids;
mod value;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Iterable, Order, PrimaryKeyToColumn, PrimaryKeyTrait, QueryResult, Value};
use serde_json::{Map, json};

use crate::{Conn, GuildId, Result};

pub use ids::Shifts;
use value::Kind;

/// A row: the names of its columns, with their values.
pub type Row = Map<String, Json>;

/// A column and how its values are written.
type Field = (&'static str, Kind);

/// A table with rows of a guild.
pub struct Table {
    pub name: &'static str,
    columns: Vec<Field>,
    /// Of the primary key, after the guild.
    key: Vec<Field>,
    /// The column of an id that counts the rows of all guilds.
    pub serial: Option<&'static str>,
    /// The first of the columns whose value the table's model does not take.
    misfit: fn(&[Field], &[Value]) -> Option<usize>,
}

/// Columns that no query of their table reads.
const UNREAD: [(&str, &str, Kind); 1] = [("staff_action", "summed", Kind::Flag)];

/// What the instance decides, not the guild.
const LEFT_OUT: [(&str, &str); 3] =
    [("guild", "removing_since"), ("guild", "shield_writer"), ("follow", "job_id")];

/// Log channels are off after an import, whatever the file says: the channel may be another guild's, and another bot posts.
const SWITCHED_OFF: (&str, &str) = ("log_channel", "state");

/// In an order in which no row comes before those that it refers to.
pub fn tables() -> Vec<Table> {
    macro_rules! all {
        ($($module:ident $(:: $part:ident)?)+) => { vec![$(Table::of(crate::$module$(::$part)?::Entity)),+] };
    }
    all![
        guild follow staff_role staff_member binding link moderation_revision sanction chat_ban strike loa
        leave_request staff_note staff_session::sum staff_session staff_action pending_action quota registered_game
        application_panel application_submission application_comment ticket log_channel audit_chain audit_entry
    ]
}

impl Table {
    fn of<E: EntityTrait>(entity: E) -> Self {
        let name = entity.table_name();
        let column = |column: E::Column| (column.as_str(), Kind::of(column.def().get_column_type()));
        let unread = UNREAD.iter().filter(|(table, ..)| *table == name);
        let columns = E::Column::iter().map(column).chain(unread.map(|(_, column, kind)| (*column, *kind)));
        let key = E::PrimaryKey::iter().map(|key| column(key.into_column()));
        let key: Vec<_> = key.filter(|(column, _)| *column != "guild_id").collect();
        let serial = key.first().filter(|_| E::PrimaryKey::auto_increment()).map(|(column, _)| *column);
        let columns = columns.filter(|(column, _)| !LEFT_OUT.contains(&(name, column))).collect();
        Self { name, columns, key, serial, misfit: misfit::<E> }
    }

    /// The rows of the guild after this one, in the order of their keys.
    pub async fn read(
        &self,
        conn: &impl Conn,
        guild: GuildId,
        after: Option<&Row>,
        limit: u64,
    ) -> Result<Vec<Row>> {
        let mut rows = Query::select();
        rows.columns(self.columns.iter().map(|(column, _)| *column))
            .from(self.name)
            .and_where(Expr::col("guild_id").eq(guild))
            .limit(limit);
        for (column, _) in &self.key {
            rows.order_by(*column, Order::Asc);
        }
        if let (Some(after), false) = (after, self.key.is_empty()) {
            let place = self.key.iter().filter_map(|(column, kind)| kind.parse(&after[*column]));
            let place = Expr::tuple(place.map(Expr::value));
            rows.and_where(Expr::tuple(self.key.iter().map(|(column, _)| Expr::col(*column))).gt(place));
        }
        let row = |row: &QueryResult| {
            self.columns.iter().map(|(name, kind)| Ok(((*name).to_owned(), kind.read(row, name)?))).collect()
        };
        conn.query_all(&rows).await?.iter().map(row).collect()
    }

    /// What of a row another instance can have: it has neither the keys nor the jobs of this one. `None`: without its job
    /// the row means nothing.
    pub fn carried(&self, mut row: Row) -> Option<Row> {
        if self.name == "ticket" && row["state"] == "creating" {
            return None;
        }
        if self.name == SWITCHED_OFF.0 {
            row.insert(SWITCHED_OFF.1.to_owned(), json!("off"));
        }
        if self.name == "sanction" {
            row.insert("key_id".to_owned(), Json::Null);
            if row["mirror_state"] == "pending" {
                row.insert("mirror_state".to_owned(), "failed".into());
                row.insert("mirror_error".to_owned(), "exported before it was mirrored".into());
            }
        }
        Some(row)
    }

    /// The values of a row, in the order of the columns.
    pub fn values(&self, guild: GuildId, row: &Row, shifts: &Shifts) -> Result<Vec<Value>, String> {
        if let Some(name) = row.keys().find(|name| !self.columns.iter().any(|(column, _)| column == name)) {
            return Err(format!("field `{name}` is unknown"));
        }
        let off = json!("off");
        let values = self.columns.iter().map(|(column, kind)| {
            let json = row.get(*column).ok_or_else(|| format!("field `{column}` is missing"))?;
            let value = kind.parse(if (self.name, *column) == SWITCHED_OFF { &off } else { json });
            let value = value.ok_or_else(|| format!("field `{column}` must be {}", kind.name()))?;
            Ok(shifts.shifted(self, column, value))
        });
        let values = values.collect::<Result<Vec<_>, String>>()?;
        if let Some((column, _)) = (self.misfit)(&self.columns, &values).map(|at| self.columns[at]) {
            let problem = if row[column] == serde_json::Value::Null {
                "must not be null"
            } else {
                "has an unknown value"
            };
            return Err(format!("field `{column}` {problem}"));
        }
        let own = self.columns.iter().position(|(column, _)| *column == "guild_id");
        match own.and_then(|own| values.get(own)) {
            Some(Value::BigInt(Some(id))) if *id == guild.get() => Ok(values),
            _ => Err("field `guild_id` must be that of the first line".to_owned()),
        }
    }

    pub async fn insert(&self, conn: &impl Conn, rows: &[Vec<Value>]) -> Result<()> {
        let mut insert = Query::insert();
        insert.into_table(self.name).columns(self.columns.iter().map(|(column, _)| *column));
        for row in rows {
            insert
                .values(row.iter().cloned().map(Expr::value))
                .map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        conn.execute(&insert).await.map(drop)
    }
}

/// Columns that the model does not have are never null.
fn misfit<E: EntityTrait>(columns: &[Field], values: &[Value]) -> Option<usize> {
    let mut model = <E::ActiveModel as ActiveModelTrait>::default();
    columns.iter().zip(values).position(|((name, kind), value)| match name.parse::<E::Column>() {
        Ok(column) => model.try_set(column, value.clone()).is_err(),
        Err(_) => *value == kind.null(),
    })
}
