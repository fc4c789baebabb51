//! `/guilds/:guildId/application-panels`.

use serde_json::{Value, json};

use super::{Applying, staff_roles};
use testkit::{Deployment, both_modes, in_turn};

both_modes!(
    panels_are_created_and_listed,
    a_panel_is_changed_and_closed,
    a_removed_panel_leaves_its_submissions,
);

in_turn!(the_staff_roles_of_a_panel_are_checked, what_is_wrong_with_a_question_is_named,);

async fn panels_are_created_and_listed(deployment: &Deployment) {
    let (api, panels) = (deployment.api(), deployment.applications("panels"));
    let panel = api.post(&panels, json!({ "name": "Staff", "category_id": "77" })).await.ok();
    assert_eq!((&panel["panel_id"], &panel["category_id"]), (&json!(1), &json!("77")), "{panel}");
    api.post(&panels, json!({ "panel_id": 7, "name": "Seven" })).await.ok();
    api.post(&panels, json!({ "panel_id": 7, "name": "Seven" })).await.refused(409, &["panel_id"]);
    assert_eq!(api.post(&panels, json!({ "name": "Eight" })).await.ok()["panel_id"], 8);
    let listed = api.get(&panels).await.ok();
    let ids: Vec<_> = listed["panels"].as_array().unwrap().iter().map(|panel| &panel["panel_id"]).collect();
    assert_eq!(ids, [1, 7, 8]);
    assert_eq!(listed["panels"][0], panel);
    for (bad, field) in [
        (json!({}), "name"),
        (json!({ "name": "x".repeat(101) }), "name"),
        (json!({ "name": "x", "category_id": 77 }), "category_id"),
    ] {
        api.post(&panels, bad).await.refused(400, &[field]);
    }
    let staff = api.key(&deployment.guild().game_key);
    staff.post(&panels, json!({ "name": "x" })).await.refused(403, &["admin"]);
    staff.get(&panels).await.ok();
    assert_eq!(deployment.audit("application_panels.add").await.len(), 3);
}

async fn the_staff_roles_of_a_panel_are_checked(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), &deployment.guild().id);
    let panels = deployment.applications("panels");
    let role = &staff_roles(deployment).await[1];
    let add = ["panels", "add", "--guild", guild, "--name", "Cli", "--staff-role", role];
    deployment.command(&add).await.succeeded();
    let listed = deployment.command(&["panels", "list", "--guild", guild]).await.succeeded();
    assert!(listed.contains(role), "{listed}");
    assert_eq!(api.get(&panels).await.ok()["panels"][0]["staff_role_ids"], json!([role]));
    let unknown = ["panels", "add", "--guild", guild, "--name", "Cli", "--staff-role", "4242"];
    assert!(deployment.command(&unknown).await.refused().contains("4242"));
    let unknown = json!({ "name": "x", "staff_role_ids": [role, "4242"] });
    api.post(&panels, unknown).await.refused(422, &["`staff_role_ids`", "4242"]);
    for bad in [json!("x"), json!([1]), json!({})] {
        let answer = api.post(&panels, json!({ "name": "x", "staff_role_ids": bad })).await;
        answer.refused(400, &["staff_role_ids"]);
    }
}

async fn a_panel_is_changed_and_closed(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let panel = deployment.panel(json!({ "category_id": "77", "accept_role_id": guild.roles[0] })).await;
    let path = deployment.applications(&format!("panels/{panel}"));
    let listed = api.get(&deployment.applications("panels")).await.ok()["panels"][0].clone();
    assert_eq!(
        (&listed["open"], &listed["accept_role_id"]),
        (&json!(true), &json!(guild.roles[0])),
        "{listed}"
    );
    assert_eq!(
        listed["questions"][2],
        json!({ "label": "Team", "kind": "choice", "options": ["Red", "Blue"], "required": true })
    );
    let staff = &staff_roles(deployment).await[1];
    let change = json!({ "name": "Events", "open": false, "category_id": null, "accept_role_id": null,
                         "staff_role_ids": [staff], "questions": [{ "label": "Why?", "kind": "text" }] });
    let changed = api.patch(&path, change.clone()).await.ok();
    for (name, value) in change.as_object().unwrap() {
        if name != "questions" {
            assert_eq!(&changed[name], value, "{name}");
        }
    }
    assert_eq!(changed["questions"].as_array().unwrap().len(), 1, "{changed}");
    let again = api.patch(&path, change).await;
    assert!(again.message().contains("nothing to change"), "{again}");
    let closed = json!({ "panel_id": panel, "chat_id": guild.members[3].chat, "answers": { "Why?": "x" } });
    let refused = api.post(&deployment.applications("submissions"), closed.clone()).await;
    assert_eq!(refused.refused(409, &["at the moment"]).error(), "panel_closed");
    api.patch(&path, json!({ "open": true })).await.ok();
    api.post(&deployment.applications("submissions"), closed).await.ok();
    let audit = deployment.audit("application_panels.update").await;
    assert_eq!(audit.len(), 2);
    assert_eq!(audit[0]["metadata"], json!({ "before": { "open": false }, "after": { "open": true } }));
    for (bad, field) in [
        (json!({ "name": "" }), "name"),
        (json!({ "open": null }), "open"),
        (json!({ "questions": null }), "questions"),
        (json!({ "accept_role_id": 7 }), "accept_role_id"),
        (json!({}), "name"),
    ] {
        api.patch(&path, bad).await.refused(400, &[field]);
    }
    api.patch(&path, json!({ "staff_role_ids": ["4242"] })).await.refused(422, &["`staff_role_ids`", "4242"]);
    let other = api.key(&deployment.other_guild().admin_key);
    other.patch(&path, json!({ "open": false })).await.refused(403, &[]);
    let theirs = path.replace(&guild.id, &deployment.other_guild().id);
    other.patch(&theirs, json!({ "open": false })).await.refused(404, &["panel"]);
    api.key(&deployment.new_key("staff").await)
        .patch(&path, json!({ "open": false }))
        .await
        .refused(403, &["admin"]);
}

async fn a_removed_panel_leaves_its_submissions(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (used, unused) = (deployment.panel(json!({})).await, deployment.panel(json!({})).await);
    let of = |panel: &Value| deployment.applications(&format!("panels/{panel}"));
    let submission = deployment.applied(&used, &guild.members[3].chat).await;
    for panel in [&used, &unused] {
        api.delete(&of(panel)).await.ok();
        api.delete(&of(panel)).await.refused(404, &["panel"]);
        api.patch(&of(panel), json!({ "open": true })).await.refused(404, &["panel"]);
        let late = json!({ "panel_id": panel, "chat_id": guild.members[4].chat });
        api.post(&deployment.applications("submissions"), late).await.refused(404, &["panel"]);
    }
    assert_eq!(api.get(&deployment.applications("panels")).await.ok()["panels"], json!([]));
    let kept = api.get(&deployment.applications("submissions")).await.ok();
    assert_eq!(kept["submissions"][0], submission);
    // It is decided as before.
    let id = submission["submission_id"].as_i64().unwrap();
    let ticket = json!({ "panel_id": used });
    api.post(&deployment.create_ticket(id), ticket).await.ok();
    api.post(&deployment.applications(&format!("submissions/{id}/accept")), json!({})).await.ok();
    // Its number stays its own while it has submissions; the other one is free.
    let numbered = |panel: &Value| json!({ "panel_id": panel, "name": "New" });
    api.post(&deployment.applications("panels"), numbered(&used)).await.refused(409, &["panel_id"]);
    api.post(&deployment.applications("panels"), numbered(&unused)).await.ok();
    let audit = deployment.audit("application_panels.remove").await;
    assert_eq!(audit.len(), 2);
    assert_eq!(audit[1]["metadata"]["before"]["name"], "Events team");
}

async fn what_is_wrong_with_a_question_is_named(deployment: &Deployment) {
    let (api, panels) = (deployment.api(), deployment.applications("panels"));
    let choice = |options: Value| json!({ "label": "a", "kind": "choice", "options": options });
    for (bad, place) in [
        (json!("why"), "`questions`"),
        (json!(vec![json!({ "label": "a", "kind": "text" }); 11]), "`questions`"),
        (
            json!([{ "label": "a", "kind": "text" }, { "label": "a", "kind": "agree" }]),
            "`questions[1].label`",
        ),
        (json!([{ "label": "x".repeat(46), "kind": "text" }]), "`questions[0].label`"),
        (json!([{ "kind": "text" }]), "`questions[0].label`"),
        (json!([{ "label": "a", "kind": "upload" }]), "`questions[0].kind`"),
        (json!([{ "label": "a", "kind": "text", "required": 1 }]), "`questions[0].required`"),
        (json!([choice(json!(["one"]))]), "`questions[0].options`"),
        (json!([choice(json!(["one", "one"]))]), "`questions[0].options`"),
        (json!([choice(json!(["one", "x".repeat(101)]))]), "`questions[0].options`"),
        (
            json!([choice(json!((0..26).map(|n| n.to_string()).collect::<Vec<_>>()))]),
            "`questions[0].options`",
        ),
    ] {
        api.post(&panels, json!({ "name": "x", "questions": bad })).await.refused(400, &[place]);
    }
    let guild = &deployment.guild().id;
    let add = |questions| ["panels", "add", "--guild", guild, "--name", "Cli", "--questions", questions];
    let refused = deployment.command(&add(r#"[{"label":"a","kind":"choice"}]"#)).await.refused();
    assert!(refused.contains("questions[0].options"), "{refused}");
    deployment.command(&add(r#"[{"label":"a","kind":"text"}]"#)).await.succeeded();
    let panel = api.get(&panels).await.ok()["panels"][0].clone();
    assert_eq!(
        panel["questions"],
        json!([{ "label": "a", "kind": "text", "options": [], "required": true }])
    );
    let number = panel["panel_id"].to_string();
    let chat = &deployment.guild().members[3].chat;
    let submit = ["submissions", "add", "--guild", guild, "--panel", &number, "--applicant", chat];
    let refused = deployment.command(&submit).await.refused();
    assert!(refused.contains("\"a\" needs an answer"), "{refused}");
    let answered = [&submit[..], &["--answers", r#"{"a":"b"}"#]].concat();
    deployment.command(&answered).await.succeeded();
    let refused = deployment.command(&answered).await.refused();
    assert!(refused.contains("has an open submission"), "{refused}");
}
