//! A session without a heartbeat for 120 s ends at its last one.

use super::*;

both_modes!(a_silent_session_has_ended_without_a_sweep(own), the_sweep_ends_silent_sessions(own));

/// Moves open sessions into the past: started 200 s ago, with the last heartbeat `silent` s ago.
async fn shift(deployment: &Deployment, silent: i64) {
    let now = "CAST(heartbeat_second AS bigint)";
    let sql = format!(
        "UPDATE staff_session SET started_second = {now} - 200, heartbeat_second = {now} - {silent}
         WHERE ended_second IS NULL"
    );
    deployment.execute(&sql).await;
}

async fn a_silent_session_has_ended_without_a_sweep(deployment: &Deployment) {
    let (api, members) = (deployment.api(), &deployment.guild().members);
    let fine = start(&api, members[0].play).await;
    shift(deployment, 100).await;
    assert_eq!(heartbeat(&api, &fine).await, true);
    assert!((200..=210).contains(&end(&api, &fine).await));

    let silent = start(&api, members[1].play).await;
    shift(deployment, 130).await;
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
    shift(deployment, 150).await;
    for _ in 0..30 {
        seconds(2.0).await;
        if let Some(entry) = deployment.audit("sessions.expire").await.first() {
            assert_eq!((&entry["target_id"], &entry["actor_id"]), (&json!(session), &json!("0")));
            assert_eq!(entry["metadata"], json!({ "staff_id": member.chat, "duration_seconds": 50 }));
            assert_eq!(heartbeat(&api, &session).await, false);
            return;
        }
    }
    panic!("no sweep ended the session within a minute");
}
