//! A session without a heartbeat for 120 s ends at its last one.

use super::*;

both_modes!(a_silent_session_has_ended_without_a_sweep, the_sweep_ends_silent_sessions);

async fn a_silent_session_has_ended_without_a_sweep(deployment: &Deployment) {
    let (api, members) = (deployment.api(), &deployment.guild().members);
    let fine = start(&api, members[0].play).await;
    aged(deployment, &fine, 200, 100).await;
    assert_eq!(heartbeat(&api, &fine).await, true);
    assert!((200..=210).contains(&end(&api, &fine).await));

    let silent = start(&api, members[1].play).await;
    aged(deployment, &silent, 200, 130).await;
    assert_eq!(heartbeat(&api, &silent).await, false);
    let action = json!({ "session_id": silent, "action_type": "kick", "target_id": "5", "details": {} });
    api.post("/staff/play/action", action).await.refused(409, &["ended"]);
    // Whether or not the sweep has run.
    let body = json!({ "session_id": silent });
    let answer = api.post("/staff/play/session/end", body).await.refused(409, &["ended"]);
    assert_eq!(answer.error(), "session_ended");
}

async fn the_sweep_ends_silent_sessions(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[1]);
    let session = start(&api, member.play).await;
    aged(deployment, &session, 200, 150).await;
    deployment.run_schedule("stale_sessions").await;
    let entry = eventually("a sweep ends the session", Duration::from_secs(30), async || {
        deployment.audit("sessions.expire").await.first().cloned()
    })
    .await;
    assert_eq!((&entry["target_id"], &entry["actor_id"]), (&json!(session), &json!("0")));
    assert_eq!(entry["metadata"], json!({ "staff_id": member.chat, "duration_seconds": 50 }));
    assert_eq!(heartbeat(&api, &session).await, false);
}
