//! The process that takes the call dies between the job's commit and the broker's confirmation.

use std::time::Instant;

use crate::resilience::faults::armed::{api_of, front, has_died, start};
use crate::resilience::faults::operation::Operation;
use testkit::{Deployment, JobState, Mode, Setup, run_unstarted};

const OPERATION: Operation = Operation::Sync;

macro_rules! points {
    ($($point:ident),+) => { $(
        mod $point {
            use super::*;

            #[test]
            fn embedded() {
                run_unstarted(Setup::new(Mode::Embedded), async |deployment| dies_at(deployment, stringify!($point)).await);
            }

            #[test]
            fn distributed() {
                run_unstarted(Setup::new(Mode::Distributed), async |deployment| dies_at(deployment, stringify!($point)).await);
            }
        }
    )+ };
}

points!(after_insert, after_publish, after_confirm);

async fn dies_at(deployment: &Deployment, point: &str) {
    // In embedded mode the job could end before the process dies, so it hangs after its claim.
    let points = format!("{point}:{}=abort,after_claim=hang", OPERATION.kind());
    let mut dying = start(deployment, front(deployment), &points).await;
    let api = api_of(deployment, &dying).header("prefer", "wait=30").header("idempotency-key", "once");
    let saw = OPERATION.call(deployment, &api).await;
    has_died(&mut dying).await;
    assert!(saw.is_err(), "the connection should have broken off: {saw:?}");

    let row = deployment.job_row(OPERATION.kind()).await;
    assert!(row.finished_at.is_none(), "{row:?}");
    match deployment.mode() {
        Mode::Distributed => {
            assert_eq!((row.state, row.attempt, row.token), (JobState::Queued, 0, 0), "{row:?}");
        }
        Mode::Embedded => assert!(matches!(row.state, JobState::Queued | JobState::Running), "{row:?}"),
    }
    assert_eq!(OPERATION.effects(deployment).await, 0);

    deployment.start_all().await;
    let started = Instant::now();
    let api = deployment.api().header("prefer", "wait=30").header("idempotency-key", "once");
    let again = OPERATION.call(deployment, &api).await.unwrap();
    println!("{point}: the repeated call was answered {:?} after the start", started.elapsed());
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
    OPERATION.assert_done_once(deployment, &again).await;
    let ended = deployment.job_row(OPERATION.kind()).await;
    assert_eq!((ended.job_id, ended.token), (row.job_id, row.token + 1), "run once more: {ended:?}");
    assert_eq!(ended.attempt, 1, "a worker that died is no attempt of the job: {ended:?}");
}
