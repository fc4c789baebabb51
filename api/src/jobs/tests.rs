use entities::job::Class;

use super::*;

fn bulk(state: State, checkpoint: Option<Value>, (done, total): (i64, i64)) -> job::Model {
    let start = chrono::DateTime::from_timestamp(1_000, 0).unwrap();
    job::Model {
        job_id: JobId(uuid::Uuid::nil()),
        guild_id: None,
        parent_id: None,
        kind: "sync_all".into(),
        class: Class::Bulk,
        args: json!({}),
        state,
        attempt: 1,
        max_attempts: 8,
        lease: 1,
        lease_until: None,
        worker: None,
        run_at: None,
        published_at: None,
        reply_to: None,
        dedupe_key: None,
        progress_done: done,
        progress_total: total,
        progress_failed: 0,
        checkpoint,
        cancel_requested: false,
        result: None,
        error: None,
        actor_id: None,
        key_id: None,
        request_id: None,
        trace_context: None,
        created_at: start,
        started_at: Some(start),
        finished_at: None,
    }
}

#[test]
fn the_eta_goes_by_the_speed_of_writing() {
    let eta = |job: &job::Model, now| eta_seconds(job, chrono::DateTime::from_timestamp(now, 0).unwrap());
    let planning = bulk(State::Running, None, (250, 1_000));
    assert_eq!(eta(&planning, 1_010), Some(30));
    let writing = bulk(State::Waiting, Some(json!({"since": 1_010, "base": 800})), (850, 1_000));
    assert_eq!(eta(&writing, 1_015), Some(15));
    assert_eq!(eta(&writing, 1_010), None);
    let no_write_yet = bulk(State::Waiting, Some(json!({"since": 1_010, "base": 850})), (850, 1_000));
    assert_eq!(eta(&no_write_yet, 1_015), None);
    assert_eq!(eta(&bulk(State::Succeeded, None, (9, 9)), 1_015), None);
    assert_eq!(eta(&bulk(State::Queued, None, (0, 9)), 1_015), None);
}
