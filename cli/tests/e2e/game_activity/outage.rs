//! During an outage of the database heartbeats are answered from memory and written later.

use super::*;

distributed_only!(heartbeats_query_no_database_and_survive_its_outage(own));

async fn heartbeats_query_no_database_and_survive_its_outage(deployment: &Deployment) {
    let (api, admin) = (deployment.api(), &deployment.guild().members[0]);
    let session = start(&api, admin.play).await;
    assert_eq!(heartbeat(&api, &session).await, true);
    deployment.execute("ALTER TABLE staff_session RENAME TO staff_session_away").await;
    for _ in 0..6 {
        seconds(0.5).await;
        assert_eq!(heartbeat(&api, &session).await, true);
    }
    let body = json!({ "session_id": session });
    api.post("/staff/play/session/end", body).await.refused(500, &[]);
    deployment.execute("ALTER TABLE staff_session_away RENAME TO staff_session").await;
    // The heartbeats of the outage are written now.
    seconds(1.0).await;
    start(&api, admin.play).await;
    let entries = deployment.audit("sessions.start").await;
    let ended = &entries[0]["metadata"]["ended"];
    assert!((2..=4).contains(&ended["duration_seconds"].as_i64().unwrap()), "{ended}");
}
