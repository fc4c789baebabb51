//! A connection that prints the plan of every query it runs.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement};

pub(super) struct Explained<'a>(pub(super) &'a DatabaseConnection);

impl Explained<'_> {
    async fn explain(&self, statement: &Statement) -> Result<(), DbErr> {
        let mut plan = statement.clone();
        plan.sql = format!("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) {}", plan.sql);
        println!("  {}", statement.sql.split_whitespace().collect::<Vec<_>>().join(" "));
        for row in self.0.query_all_raw(plan).await? {
            println!("    {}", row.try_get_by_index::<String>(0)?);
        }
        Ok(())
    }
}

#[async_trait]
impl ConnectionTrait for Explained<'_> {
    fn get_database_backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.0.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.0.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.explain(&statement).await?;
        self.0.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.explain(&statement).await?;
        self.0.query_all_raw(statement).await
    }
}
