//! Processes that die, freeze or are asked to stop at the fail points of `runtime::fail_point` or by signals. Each test
//! checks the caller's answer, the row right after the fault, and the final result.

mod armed;
mod frozen;
mod kills;
mod operation;

use testkit::run_command;

#[tokio::test]
async fn an_unknown_fail_point_is_refused_at_the_start() {
    for (points, says) in [("before_lunch=abort", "before_commit"), ("after_ack=dance", "freeze")] {
        let folder = tempfile::tempdir().unwrap();
        let env = [("GUILDHALL_FAIL_POINTS", points), ("GUILDHALL_LISTEN", "127.0.0.1:0")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let message = run_command(&["serve"], &env, folder.path()).await.refused();
        assert!(message.contains("GUILDHALL_FAIL_POINTS") && message.contains(says), "{message}");
    }
}
