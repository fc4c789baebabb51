//! `/guilds/:guildId/application-submissions`.

use serde_json::{Value, json};

use super::Applying;
use testkit::{Deployment, both_modes, in_turn};

both_modes!(submissions_are_created_and_listed, a_person_has_one_open_application_for_a_panel);

in_turn!(answers_fit_the_questions_of_the_panel,);

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

async fn a_person_has_one_open_application_for_a_panel(deployment: &Deployment) {
    let (api, members) = (deployment.api(), &deployment.guild().members);
    let (panel, other) = (deployment.panel(json!({})).await, deployment.panel(json!({})).await);
    let first = deployment.applied(&panel, &members[3].chat).await;
    assert_eq!((&first["state"], &first["decided_at"]), (&json!("open"), &Value::Null), "{first}");
    let answers = json!({ "Why?": "again", "Team": "Blue", "Rules read?": true });
    let again = json!({ "panel_id": panel, "chat_id": members[3].chat, "answers": answers });
    let submissions = deployment.applications("submissions");
    let calls = (0..4).map(|_| api.post(&submissions, again.clone()));
    for refused in futures_util::future::join_all(calls).await {
        let named = format!("number {}", first["submission_id"]);
        assert_eq!(refused.refused(409, &[&named]).error(), "application_open");
    }
    deployment.applied(&panel, &members[4].chat).await;
    deployment.applied(&other, &members[3].chat).await;
    let refuse = deployment.applications(&format!("submissions/{}/refuse", first["submission_id"]));
    api.post(&refuse, json!({ "reason": "too young" })).await.ok();
    api.post(&submissions, again).await.ok();
    let numbers = async |query: &str| {
        let data = api.get(&format!("{submissions}?{query}")).await.ok();
        data["submissions"].as_array().unwrap().len()
    };
    assert_eq!((numbers("state=open").await, numbers("state=refused").await), (3, 1));
    assert_eq!(numbers(&format!("chat_id={}&state=open", members[3].chat)).await, 2);
    api.get(&format!("{submissions}?state=new")).await.refused(400, &["state"]);
}

async fn answers_fit_the_questions_of_the_panel(deployment: &Deployment) {
    let (api, chat) = (deployment.api(), &deployment.guild().members[3].chat);
    let panel = deployment.panel(json!({})).await;
    let good = json!({ "Name": " Bo ", "Why?": "order", "Team": "Red", "Rules read?": true });
    let submit = async |answers: Value| {
        let body = json!({ "panel_id": panel, "chat_id": chat, "answers": answers });
        api.post(&deployment.applications("submissions"), body).await
    };
    for (label, bad, why) in [
        ("Why?", Value::Null, "\"Why?\" needs an answer"),
        ("Why?", json!("x".repeat(1_001)), "\"Why?\" takes at most 1000"),
        ("Name", json!("x".repeat(201)), "\"Name\" takes at most 200"),
        ("Name", json!(7), "\"Name\" takes a text"),
        ("Team", json!("Green"), "\"Team\" takes one of its options: Red, Blue"),
        ("Rules read?", json!(false), "\"Rules read?\" must be agreed to"),
        ("Rules read?", json!("yes"), "\"Rules read?\" takes true or false"),
        ("Age", json!("20"), "does not ask \"Age\""),
    ] {
        let mut answers = good.clone();
        answers[label] = bad;
        let refused = submit(answers).await;
        assert_eq!(refused.refused(422, &["`answers`", why]).error(), "answer_refused", "{label}");
    }
    submit(Value::Null).await.refused(422, &["needs an answer"]);
    let kept = submit(good).await.ok();
    let expected = json!({ "Name": "Bo", "Why?": "order", "Team": "Red", "Rules read?": true });
    assert_eq!(kept["answers"], expected);
}
