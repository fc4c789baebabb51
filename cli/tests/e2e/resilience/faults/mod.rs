//! Processes that die, freeze or are asked to stop at the worst moments: at the fail points of `runtime::fail_point`, and
//! by signals. Each test looks at what the caller saw, what the row says right after, and what happened in the end.

mod armed;
mod deed;
mod frozen;
mod kills;

use testkit::{Deployment, Mode, Setup};

#[tokio::test]
async fn a_fail_point_nobody_knows_is_refused_at_the_start() {
    for (points, says) in [("before_lunch=abort", "before_commit"), ("after_ack=dance", "freeze")] {
        let setup = Setup::new(Mode::Embedded).env("GUILDHALL_FAIL_POINTS", points);
        // The first command of a deployment is told what its processes are told.
        let deployment = Deployment::prepare(setup).await;
        let message = deployment.command(&["serve"]).await.refused();
        assert!(message.contains("GUILDHALL_FAIL_POINTS") && message.contains(says), "{message}");
        deployment.close().await;
    }
}
