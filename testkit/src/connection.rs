//! Single connections outside the product's pool, for a test's own database statements.

use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection};

pub(crate) async fn connect(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.min_connections(1).max_connections(1).sqlx_logging(false);
    sea_orm::Database::connect(options).await.unwrap()
}

pub(crate) async fn execute_on(url: &str, sql: &str) {
    let connection = connect(url).await;
    execute(&connection, sql).await;
    connection.close().await.unwrap();
}

pub(crate) async fn execute(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}
