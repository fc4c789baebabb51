//! Processes that die, freeze or are asked to stop at the fail points of `runtime::fail_point` or by signals. Each test
//! checks the caller's answer, the row right after the fault, and the final result.

mod armed;
mod frozen;
mod kills;
mod operation;

use testkit::{Deployment, Mode, Setup};

#[tokio::test]
async fn an_unknown_fail_point_is_refused_at_the_start() {
    for (points, says) in [("before_lunch=abort", "before_commit"), ("after_ack=dance", "freeze")] {
        let setup = Setup::new(Mode::Embedded).env("GUILDHALL_FAIL_POINTS", points);
        // `migrate`, the first command, gets the same environment.
        let deployment = Deployment::prepare(setup).await;
        let message = deployment.command(&["serve"]).await.refused();
        assert!(message.contains("GUILDHALL_FAIL_POINTS") && message.contains(says), "{message}");
        deployment.close().await;
    }
}
