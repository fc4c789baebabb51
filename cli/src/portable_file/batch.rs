//! Rows of one table on their way into a database, each with its line of the file.

use std::slice::from_ref;

use entities::Conn;
use entities::portable::Table;
use sea_orm::{DbErr, Value};

/// Rows in one transaction.
const ROWS: usize = 1_000;

#[derive(Default)]
pub(crate) struct Batch {
    lines: Vec<usize>,
    rows: Vec<Vec<Value>>,
}

impl Batch {
    pub(crate) fn push(&mut self, line: usize, row: Vec<Value>) {
        self.lines.push(line);
        self.rows.push(row);
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() == ROWS
    }

    pub(crate) async fn insert(&self, conn: &impl Conn, table: &Table) -> Result<(), DbErr> {
        if self.rows.is_empty() { Ok(()) } else { table.insert(conn, &self.rows).await }
    }

    /// The line of the first row that the database refuses, and why, after an insert of all of them failed with this
    /// error. `conn` is a transaction that is not committed.
    pub(crate) async fn refused(&self, conn: &impl Conn, table: &Table, error: DbErr) -> (usize, DbErr) {
        for (line, row) in self.lines.iter().zip(&self.rows) {
            if let Err(error) = table.insert(conn, from_ref(row)).await {
                return (*line, error);
            }
        }
        (self.lines.first().copied().unwrap_or_default(), error)
    }
}
