//! During an outage of the database heartbeats are answered from memory and written later.

use super::*;

distributed_only!(heartbeats_query_no_database_and_survive_its_outage(own));

async fn heartbeats_query_no_database_and_survive_its_outage(deployment: &Deployment) {
    let (api, admin) = (deployment.api(), &deployment.guild().members[0]);
    let session = start(&api, admin.play).await;
    assert_eq!(heartbeat(&api, &session).await, true);
    deployment.execute("ALTER TABLE staff_session RENAME TO staff_session_away").await;
    let aged = "SET started_second = started_second - 100, heartbeat_second = heartbeat_second - 60";
    deployment.execute(&format!("UPDATE staff_session_away {aged}")).await;
    eventually("heartbeats could not be written", Duration::from_secs(10), async || {
        assert_eq!(heartbeat(&api, &session).await, true);
        deployment.roles().apis[0].process.log().contains("cannot write heartbeats").then_some(())
    })
    .await;
    let body = json!({ "session_id": session });
    api.post("/staff/play/session/end", body).await.refused(500, &[]);
    deployment.execute("ALTER TABLE staff_session_away RENAME TO staff_session").await;
    // The heartbeats of the outage are written now.
    start(&api, admin.play).await;
    let entries = deployment.audit("sessions.start").await;
    let ended = &entries[0]["metadata"]["ended"];
    assert!(ended["duration_seconds"].as_i64().unwrap() >= 100, "{ended}");
}
