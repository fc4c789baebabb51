//! The audit log as a file for spreadsheets, from the console.

use serde_json::json;

use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(no_cell_of_an_export_is_a_formula);

async fn no_cell_of_an_export_is_a_formula(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let targets = ["=1+1", "+1", "-1", "@sum(1)", "\t=1", "\r=1", "\n=1"];
    for target in targets {
        let entry = json!({ "action": "events.hosted", "target_id": target });
        deployment.api().post(&format!("/guilds/{}/audit-logs", guild.id), entry).await.ok();
    }
    let export = format!("/console/guilds/{}/audit/export?format=csv&action=events.hosted", guild.id);
    let file = owner.get(&export).await;
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    for target in targets {
        assert!(file.html.contains(&format!(",\"'{target}\",")), "{target:?} in {}", file.html);
    }
}
