//! An empty database in which the rows of a file are tried: it has the rules of the schema that no model knows.

use anyhow::Context as _;
use entities::portable::Table;
use runtime::{Database, DatabaseOptions, Transaction};
use sea_orm::DbErr;
use tempfile::TempDir;

use super::batch::Batch;

pub(super) struct Scratch {
    transaction: Transaction,
    database: Database,
    _folder: TempDir,
}

impl Scratch {
    pub(super) async fn open() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder for temporary files")?;
        let url = format!("sqlite://{}", folder.path().join("scratch.db").display());
        let options = DatabaseOptions { max_connections: 1, readers: 1, ..Default::default() };
        let database = Database::connect(&url, &options).await?;
        migrations::apply(database.write().unbounded()).await.context("cannot make a scratch database")?;
        let transaction = database.begin().await?;
        Ok(Self { transaction, database, _folder: folder })
    }

    /// The error names the line of the row.
    pub(super) async fn insert(&self, table: &Table, batch: &Batch) -> Result<(), (usize, DbErr)> {
        match batch.insert(&self.transaction, table).await {
            Ok(()) => Ok(()),
            Err(error) => Err(batch.refused(&self.transaction, table, error).await),
        }
    }

    pub(super) async fn close(self) {
        // If that fails, its rows go with the folder all the same.
        let _ = self.transaction.rollback().await;
        self.database.close().await;
    }
}
