//! A process whose calls use all its connections to the database.

use serde_json::json;

use crate::fixture::Fixture;
use crate::people::crowd;
use crate::sync_all::everybody;

#[tokio::test]
async fn a_sync_ends_although_its_calls_hold_every_connection() {
    let people = crowd(500);
    let fixture = Fixture::on_postgres(&people).await;
    let process = fixture.process().await;
    let result = process.succeed(&everybody()).await;
    assert_eq!((&result["updated"], &result["failed"]), (&json!(200), &json!(0)));
}
