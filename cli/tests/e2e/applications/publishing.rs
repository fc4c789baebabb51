//! `POST /guilds/:guildId/application-panels/:panelId/publish`.

use serde_json::{Value, json};

use super::Applying;
use testkit::{Deployment, both_modes, in_turn};

both_modes!(a_panel_is_posted_with_its_button, a_message_whose_answer_was_lost_is_posted_once);

in_turn!(a_panel_is_posted_only_where_the_bot_may_post,);

const POST: &str = "POST /channels/:channel/messages";

fn path(deployment: &Deployment, panel: &Value) -> String {
    deployment.applications(&format!("panels/{panel}/publish"))
}

/// The messages with a button of the first guild's first channel, which has the guild's id.
async fn posted(deployment: &Deployment) -> Vec<Value> {
    let mut messages = deployment.simulator.messages_in(&deployment.guild().id).await;
    messages.retain(|message| message["components"][0]["components"][0]["label"] == "Apply");
    messages
}

async fn a_panel_is_posted_with_its_button(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let panel = deployment.panel(json!({ "name": "Events *team*" })).await;
    let answer = api.post(&path(deployment, &panel), json!({ "channel_id": guild.id })).await;
    assert_eq!(answer.message(), "panel posted");
    let messages = posted(deployment).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0]["content"].as_str().unwrap().contains("Events \\*team\\*"), "{messages:?}");
    let button = &messages[0]["components"][0]["components"][0];
    assert!(button["custom_id"].as_str().unwrap().starts_with(&format!("apply:{panel}:")), "{button}");
    let audit = deployment.audit("application_panels.publish").await;
    assert_eq!(audit[0]["metadata"], json!({ "name": "Events *team*", "channel_id": guild.id }));
    assert_eq!(deployment.audit("application_panels.publish_requested").await.len(), 1);
}

async fn a_message_whose_answer_was_lost_is_posted_once(deployment: &Deployment) {
    let guild = deployment.guild();
    let panel = deployment.panel(json!({})).await;
    deployment.fault(json!({ "route": POST, "status": 500, "served": true, "count": 1 })).await;
    let api = deployment.api().header("prefer", "wait=30");
    api.post(&path(deployment, &panel), json!({ "channel_id": guild.id })).await.ok();
    assert_eq!(posted(deployment).await.len(), 1);
}

async fn a_panel_is_posted_only_where_the_bot_may_post(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let panel = deployment.panel(json!({})).await;
    let publish = path(deployment, &panel);
    for bad in [json!({}), json!({ "channel_id": 7 }), json!({ "channel_id": "x" })] {
        api.post(&publish, bad).await.refused(400, &["channel_id"]);
    }
    let here = json!({ "channel_id": guild.id });
    let elsewhere = json!({ "channel_id": deployment.other_guild().id });
    let refused = api.post(&publish, elsewhere).await;
    assert_eq!(refused.refused(422, &["`channel_id`"]).error(), "channel_refused");
    api.key(&deployment.new_key("staff").await).post(&publish, here.clone()).await.refused(403, &["admin"]);
    api.post(&path(deployment, &json!(987)), here.clone()).await.refused(404, &["panel"]);
    let theirs = publish.replace(&guild.id, &deployment.other_guild().id);
    api.key(&deployment.other_guild().admin_key).post(&theirs, here.clone()).await.refused(404, &["panel"]);
    api.delete(&deployment.applications(&format!("panels/{panel}"))).await.ok();
    api.post(&publish, here).await.refused(404, &["panel"]);
    assert_eq!(posted(deployment).await, [Value::Null; 0]);
}
