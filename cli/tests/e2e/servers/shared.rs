//! Game servers with several API processes, and polls without a query of the database.

use std::cell::Cell;

use testkit::FELT;

use super::tick::{SOON, held, tick};
use super::*;

distributed_only!(
    commands_and_acknowledgements_cross_processes(|setup| setup.processes(2)),
    a_ban_of_another_process_ends_a_held_tick(|setup| setup.processes(2)),
    polls_and_heartbeats_query_no_database(own),
);

async fn polls_and_heartbeats_query_no_database(deployment: &Deployment) {
    let api = deployment.api();
    for server in ["s1", "s2"] {
        heartbeat(&api, server, 1).await;
        assert!(poll(&api, server).await.is_empty());
    }
    let id = queue(&api, "s2", "9").await;
    assert_eq!(poll(&api, "s2").await.len(), 1);
    for table in ["server_command", "game_server"] {
        deployment.execute(&format!("ALTER TABLE {table} RENAME TO {table}_away")).await;
    }
    let players = Cell::new(1);
    eventually("heartbeats could not be written", MINUTE, async || {
        players.set(players.get() + 1);
        heartbeat(&api, "s1", players.get()).await;
        assert!(poll(&api, "s1").await.is_empty());
        assert_eq!(ids(&poll(&api, "s2").await), [id.as_str()]);
        deployment.roles().apis[0].process.log().contains("cannot write heartbeats").then_some(())
    })
    .await;
    for table in ["server_command", "game_server"] {
        deployment.execute(&format!("ALTER TABLE {table}_away RENAME TO {table}")).await;
    }
    // The heartbeats of the outage are written now.
    assert_eq!(list(&api, deployment, "").await[0]["player_count"], players.get());
}

async fn commands_and_acknowledgements_cross_processes(deployment: &Deployment) {
    let (one, two) = (deployment.api_number(0), deployment.api_number(1));
    heartbeat(&one, "s1", 1).await;
    for api in [&one, &two] {
        assert!(poll(api, "s1").await.is_empty());
    }
    // Both processes cache that no command is pending.
    for n in 0..3 {
        let id = queue(&one, "s1", &format!("{n}")).await;
        eventually("the other process returns the command", FELT, async || {
            (ids(&poll(&two, "s1").await) == [id.as_str()]).then_some(())
        })
        .await;
        ack(&two, "s1", &id).await;
        assert!(poll(&two, "s1").await.is_empty(), "the process that took the acknowledgement");
        eventually("the other process has seen the acknowledgement", FELT, async || {
            poll(&one, "s1").await.is_empty().then_some(())
        })
        .await;
    }
    heartbeat(&two, "s2", 4).await;
    assert_eq!(list(&one, deployment, "").await.len(), 2);
}

async fn a_ban_of_another_process_ends_a_held_tick(deployment: &Deployment) {
    let (one, two) = (deployment.api_number(0), deployment.api_number(1));
    tick(&one, "s1", 1, json!({})).await;
    let (answer, began) = held(&one, "s1", json!({ "players": [521] })).await;
    let body = json!({ "identifier": "521", "reason": "r", "kick": false, "moderator_id": deployment.guild().members[0].chat });
    two.post(&format!("/moderation/{}/play/ban", deployment.guild().id), body).await.ok();
    let answer = answer.await.unwrap();
    assert_eq!(answer["players"][0]["ban"]["reason"], "r");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}
