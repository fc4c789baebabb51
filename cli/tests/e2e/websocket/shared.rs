//! Events between processes, lost events, and slow readers.

use super::*;

distributed_only!(
    events_reach_the_sockets_of_other_processes(|setup| setup.processes(2)),
    a_slow_reader_is_closed_with_1013(own),
    a_resync_sends_the_missed_commands(own),
);

/// Publishes an event as another process would.
async fn publish(deployment: &Deployment, event: Value) {
    let variable = |name: &str| deployment.env.iter().find(|(key, _)| key == name).unwrap().1.clone();
    let client = redis::Client::open(variable("GUILDHALL_REDIS_URL")).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let message = json!({ "id": uuid::Uuid::now_v7(), "event": event }).to_string();
    let channel = format!("{}:events", variable("GUILDHALL_PREFIX"));
    let heard: i64 =
        redis::cmd("PUBLISH").arg(channel).arg(message).query_async(&mut connection).await.unwrap();
    assert!(heard > 0, "no process is subscribed");
}

async fn a_slow_reader_is_closed_with_1013(deployment: &Deployment) {
    let (mut slow, mut fast) = (
        Socket::open(deployment, 0, &deployment.guild().game_key).await,
        Socket::open(deployment, 0, &deployment.guild().game_key).await,
    );
    let event = json!({ "type": "moderation", "guild": deployment.guild().id, "verb": "ban", "identifier": "5",
                        "reason": "x".repeat(100_000), "place_id": null, "chat_id": null, "play_id": 5,
                        "revision": 1 });
    // Until the slow socket's queue and the network's buffers are full; the fast one gets every frame.
    let mut published = 0;
    while !closed_as_slow(deployment).await {
        published += 1;
        assert!(published < 2_000, "the buffer has no limit");
        publish(deployment, event.clone()).await;
        assert_eq!(fast.frame().await["type"], "moderation.ban");
    }
    assert_eq!(slow.close_code().await, 1013);
    publish(deployment, event).await;
    fast.frame().await;
}

async fn closed_as_slow(deployment: &Deployment) -> bool {
    let text = deployment.metrics(0).await;
    text.lines().any(|line| line.starts_with("guildhall_live_closed_total") && line.contains("1013"))
}

async fn a_resync_sends_the_missed_commands(deployment: &Deployment) {
    let api = deployment.api();
    heartbeat(&api, "s1").await;
    let mut socket = Socket::open(deployment, 0, &deployment.guild().game_key).await;
    let first = queue(&api, "s1", "1").await;
    assert_eq!(socket.frame().await["data"]["id"], first);
    // A row without its event, as after a lost one.
    let missed = "00000000-0000-7000-8000-000000000001";
    let sql = format!(
        "INSERT INTO server_command SELECT CAST('{missed}' AS uuid), guild_id, server_id, kind, target_id, reason, issued_by,
         issued_at, state, ack_status, ack_message, ended_at FROM server_command"
    );
    deployment.execute(&sql).await;
    publish(deployment, json!({ "type": "resync" })).await;
    // Only the missed command is sent.
    assert_eq!(socket.frame().await["data"]["id"], missed);
    let second = queue(&api, "s1", "2").await;
    assert_eq!(socket.frame().await["data"]["id"], second);
}

async fn events_reach_the_sockets_of_other_processes(deployment: &Deployment) {
    let (one, two) = (deployment.api_number(0), deployment.api_number(1));
    heartbeat(&one, "s1").await;
    let mut sockets = [
        Socket::open(deployment, 0, &deployment.guild().game_key).await,
        Socket::open(deployment, 1, &deployment.guild().game_key).await,
    ];
    for api in [&one, &two] {
        let id = queue(api, "s1", "9").await;
        for socket in &mut sockets {
            assert_eq!(socket.frame().await["data"]["id"], id);
        }
        let identifier = "4242";
        moderate(api, deployment, "ban", json!({ "identifier": identifier, "reason": "spam" })).await;
        for socket in &mut sockets {
            let frame = socket.frame().await;
            assert_eq!(
                (&frame["type"], &frame["data"]["identifier"]),
                (&json!("moderation.ban"), &json!(identifier))
            );
            let kick = socket.frame().await;
            assert_eq!((&kick["type"], &kick["data"]["target_id"]), (&json!("command"), &json!(identifier)));
        }
        moderate(api, deployment, "unban", json!({ "identifier": identifier })).await;
        for socket in &mut sockets {
            assert_eq!(socket.frame().await["type"], "moderation.unban");
        }
    }
}
