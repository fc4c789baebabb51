//! `/guilds/:guildId/application-panels`.

use serde_json::json;

use super::{Applying, staff_roles};
use testkit::{Deployment, both_modes, in_turn};

both_modes!(panels_are_created_and_listed,);

in_turn!(the_staff_roles_of_a_panel_are_checked,);

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
