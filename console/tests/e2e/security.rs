//! Tests of every page of the console (docs/rules.md 10): access, tokens of forms, links and sessions,
//! headers, and escaping of a guild's texts.

mod bodies;
mod crawl;
mod forms;
mod headers;
mod key_powers;
mod links;
mod matrix;
mod operators;
mod powers;
mod rights;
mod routes;
mod sessions;
mod sign_in;
mod strangers;
mod texts;

pub(super) use crawl::{crawl, populate};
pub(super) use routes::{Row, Who, permissions, rows};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, Value};
use testkit::Deployment;

/// Runs a statement on the deployment's database, for states that take hours to arise; `?` stand for the values.
pub(super) async fn sql(deployment: &Deployment, text: &str, values: Vec<Value>) -> u64 {
    let connection: DatabaseConnection = deployment.connect().await;
    let backend = connection.get_database_backend();
    let mut text = text.to_owned();
    if backend == DbBackend::Postgres {
        for number in 1..=values.len() {
            text = text.replacen('?', &format!("${number}"), 1);
        }
    }
    let statement = Statement::from_sql_and_values(backend, &text, values);
    let done = connection.execute_raw(statement).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    connection.close().await.unwrap();
    done.rows_affected()
}

/// The chat permissions of the role of members 1 to 3.
pub(super) async fn set_permissions(deployment: &Deployment, permissions: &[&str]) {
    let (guild, json) = (deployment.guild(), serde_json::to_string(permissions).unwrap());
    let change = format!(
        "UPDATE staff_role SET permissions = '{json}' WHERE guild_id = {} AND role_id = {}",
        guild.id, guild.roles[3]
    );
    assert_eq!(sql(deployment, &change, vec![]).await, 1);
}
