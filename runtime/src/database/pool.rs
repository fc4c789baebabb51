//! The handles passed to queries: a pool, and a transaction of it. Every statement and commit of both is bounded.

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    Statement, TransactionOptions, TransactionTrait,
};

use super::bound::Bound;

#[derive(Clone, Debug)]
pub struct Pool {
    inner: DatabaseConnection,
    bound: Bound,
}

/// Dropped without commit it rolls back.
#[derive(Debug)]
pub struct Transaction {
    inner: DatabaseTransaction,
    bound: Bound,
}

impl Pool {
    pub(super) fn new(inner: DatabaseConnection, bound: Bound) -> Self {
        Self { inner, bound }
    }

    pub(super) fn guarded(self) -> Self {
        Self { bound: self.bound.guarded(), ..self }
    }

    pub(super) async fn begin(&self, options: TransactionOptions) -> Result<Transaction, DbErr> {
        let inner = self.bound.run(self.inner.begin_with_options(options)).await?;
        Ok(Transaction { inner, bound: self.bound.clone() })
    }

    pub(super) async fn close(self) -> Result<(), DbErr> {
        self.inner.close().await
    }

    /// Without any bound, for migrations.
    pub fn unbounded(&self) -> &DatabaseConnection {
        &self.inner
    }
}

impl Transaction {
    /// After an error the outcome is unknown.
    pub async fn commit(self) -> Result<(), DbErr> {
        self.bound.run(self.inner.commit()).await
    }

    pub async fn rollback(self) -> Result<(), DbErr> {
        self.bound.run(self.inner.rollback()).await
    }
}

macro_rules! bounded {
    ($handle:ty) => {
        #[async_trait]
        impl ConnectionTrait for $handle {
            fn get_database_backend(&self) -> DbBackend {
                self.inner.get_database_backend()
            }

            async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
                self.bound.run(self.inner.execute_raw(statement)).await
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                self.bound.run(self.inner.execute_unprepared(sql)).await
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                self.bound.run(self.inner.query_one_raw(statement)).await
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                self.bound.run(self.inner.query_all_raw(statement)).await
            }
        }
    };
}

bounded!(Pool);
bounded!(Transaction);
