//! `/guilds/:guildId/application-submissions`.

use serde_json::{Value, json};

use super::Applying;
use testkit::{Deployment, both_modes};

both_modes!(submissions_are_created_and_listed);

async fn submissions_are_created_and_listed(deployment: &Deployment) {
    let (api, chat) = (deployment.api(), &deployment.guild().members[0].chat);
    let (panels, submissions) = (deployment.applications("panels"), deployment.applications("submissions"));
    for panel in [1, 7] {
        api.post(&panels, json!({ "panel_id": panel, "name": "Staff" })).await.ok();
    }
    let body = |panel: i64| json!({ "panel_id": panel, "chat_id": chat, "answers": { "age": 20 } });
    let first = api.post(&submissions, body(1)).await.ok();
    assert_eq!((&first["submission_id"], &first["answers"]), (&json!(1), &json!({ "age": 20 })), "{first}");
    let mut numbered = body(7);
    numbered["submission_id"] = json!(5);
    api.post(&submissions, numbered.clone()).await.ok();
    api.post(&submissions, numbered).await.refused(409, &["submission_id"]);
    api.post(&submissions, body(99)).await.refused(404, &["panel"]);
    let numbers = async |query: &str| -> (Vec<i64>, Value) {
        let data = api.get(&format!("{submissions}?{query}")).await.ok();
        let rows = data["submissions"].as_array().unwrap();
        (rows.iter().map(|row| row["submission_id"].as_i64().unwrap()).collect(), data["next_cursor"].clone())
    };
    assert_eq!(numbers("").await, (vec![5, 1], Value::Null));
    assert_eq!(numbers("limit=1").await, (vec![5], json!(5)));
    assert_eq!(numbers("limit=1&cursor=5").await, (vec![1], Value::Null));
    assert_eq!(numbers("panel_id=1").await, (vec![1], Value::Null));
    for (bad, field) in [
        (json!({ "panel_id": 1 }), "chat_id"),
        (json!({ "panel_id": 1, "chat_id": chat, "answers": [1] }), "answers"),
    ] {
        api.post(&submissions, bad).await.refused(400, &[field]);
    }
    let staff = api.key(&deployment.guild().game_key);
    staff.post(&submissions, body(1)).await.refused(403, &["admin"]);
    assert_eq!(deployment.audit("application_submissions.add").await.len(), 2);
}
