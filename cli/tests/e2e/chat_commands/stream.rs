//! Commands without a public address: interactions come by the event stream (docs/rules.md 13).

use serde_json::{Value, json};
use testkit::{Deployment, Mode, Setup, both_modes, eventually};

use super::linking::{agreed, proven, unlinked, ways};
use super::{WITHIN, registered, serving, typed};
use crate::gateway::connected;

both_modes!(
    a_member_links_without_a_public_address(crate::chat_commands::stream::by_stream),
    an_interaction_that_comes_twice_is_answered_once(crate::chat_commands::stream::by_stream),
    a_slow_command_is_put_off_and_changed_later(crate::chat_commands::stream::by_stream),
    what_came_while_nobody_read_is_not_done_later(crate::chat_commands::stream::by_stream),
    commands_of_another_program_stay(crate::chat_commands::stream::by_stream),
    with_a_public_key_nothing_comes_by_the_stream(crate::gateway::reading),
);

const ANSWER: &str = "POST /interactions/:id/:token/callback";

pub(crate) fn by_stream(setup: Setup) -> Setup {
    setup.commands_by_stream()
}

/// The stream is read, and people see the commands.
async fn ready(deployment: &Deployment) {
    connected(deployment).await;
    registered(deployment).await;
}

/// How often answers were sent, by what the platform said to them.
async fn answers(deployment: &Deployment) -> Value {
    deployment.simulator.stats().await["requests"][ANSWER].clone()
}

async fn a_member_links_without_a_public_address(deployment: &Deployment) {
    ready(deployment).await;
    let guild = deployment.guild();
    ways(deployment, guild, json!(["profile"])).await;
    let member = unlinked(deployment, guild, 12).await;
    // A command, a button and a form.
    let asked = proven(deployment, guild, member).await;
    asked.says(&["Link ", &member.name.replace('_', "\\_")]);
    agreed(deployment, guild, member, &asked).await;
    typed(deployment, &member.chat, "sync", json!({})).await.says(&["Synced"]);
    let audit = deployment.audit("links.add").await;
    assert_eq!(audit[0]["actor_id"], member.chat.as_str());
    assert_eq!(answers(deployment).await, json!({ "204": 5 }));
}

async fn an_interaction_that_comes_twice_is_answered_once(deployment: &Deployment) {
    ready(deployment).await;
    let guild = deployment.guild();
    let owner = &guild.members[0].chat;
    deployment.simulator.change_stream(json!({ "double": 1 })).await;
    let ban = json!({ "member": guild.members[8].chat, "reason": "once" });
    typed(deployment, owner, "ban", ban).await.says(&["Banned"]);
    typed(deployment, owner, "banned", json!({})).await;
    assert_eq!(deployment.audit("moderation.ban").await.len(), 1);
    assert_eq!(answers(deployment).await, json!({ "204": 2 }));
}

async fn a_slow_command_is_put_off_and_changed_later(deployment: &Deployment) {
    ready(deployment).await;
    serving::a_slow_command_is_answered_in_time_and_changed_later(deployment).await;
    assert_eq!(answers(deployment).await, json!({ "204": 1 }));
}

async fn what_came_while_nobody_read_is_not_done_later(deployment: &Deployment) {
    ready(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    let owner = &guild.members[0].chat;
    simulator.change_stream(json!({ "refuse": true, "cut": true })).await;
    eventually("nobody reads", WITHIN, async || (simulator.stream().await["connected"] == 0).then_some(()))
        .await;
    let ban = json!({ "member": guild.members[8].chat, "reason": "missed" });
    let report = simulator.interact(guild, owner, "ban", ban).await;
    assert_eq!((&report["status"], &report["answer"]), (&Value::Null, &Value::Null), "{report}");
    let seen = simulator.seen(report["interaction_id"].as_str().unwrap()).await;
    assert_eq!(seen["failed"], "no answer within 3 seconds");
    simulator.change_stream(json!({ "refuse": false })).await;
    eventually("the session goes on", WITHIN, async || {
        (simulator.stream().await["resumes"] == 1).then_some(())
    })
    .await;
    typed(deployment, owner, "banned", json!({})).await.says(&["Nobody is banned"]);
    assert_eq!(answers(deployment).await, json!({ "204": 1 }));
}

async fn commands_of_another_program_stay(deployment: &Deployment) {
    ready(deployment).await;
    let simulator = &deployment.simulator;
    simulator.put_commands(json!([{ "name": "play", "description": "Music" }])).await;
    if deployment.mode() == Mode::Embedded {
        deployment.restart_serve(async |serve| serve.kill()).await;
    } else {
        deployment.roles().gateways.remove(0).process.kill();
        let gateway = deployment.spawn("gateway");
        deployment.roles().gateways.push(gateway);
    }
    let log = || {
        let roles = deployment.roles();
        let reader = roles.gateways.first().or(roles.apis.first());
        reader.unwrap().process.log()
    };
    eventually("the other program's commands are seen", WITHIN, async || {
        log().contains("commands of another program").then_some(())
    })
    .await;
    assert_eq!(simulator.commands().await.len(), 1);
    connected(deployment).await;
    // Theirs to answer.
    let report =
        simulator.interact(deployment.guild(), &deployment.guild().members[0].chat, "play", json!({})).await;
    assert_eq!(report["status"], Value::Null, "{report}");
    assert_eq!(answers(deployment).await, Value::Null);
    let said = deployment.command(&["chat", "register-commands"]).await.succeeded();
    assert_eq!(said.trim(), "registered 12 commands");
}

async fn with_a_public_key_nothing_comes_by_the_stream(deployment: &Deployment) {
    ready(deployment).await;
    let owner = &deployment.guild().members[0].chat;
    typed(deployment, owner, "banned", json!({})).await.says(&["Nobody is banned"]);
    assert_eq!(answers(deployment).await, Value::Null);
    // The platform has no address any more: the key says not to answer.
    deployment.simulator.set_interactions_endpoint("").await;
    let report = deployment.simulator.interact(deployment.guild(), owner, "banned", json!({})).await;
    assert_eq!(report["status"], Value::Null, "{report}");
    assert_eq!(answers(deployment).await, Value::Null);
}
