//! Follows a job through `GET /jobs/:jobId`: a bar on a terminal, a line each second elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use entities::JobId;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use super::peer::Peer;
use crate::output;

/// 86 looks a minute: under the endpoint's quota of 100.
const LOOK: Duration = Duration::from_millis(700);
const STYLE: &str = "{bar:40} {pos}/{len} members, {elapsed} {msg}";

/// Returns the job as it ended.
pub(super) async fn follow(api: &Peer, job: JobId) -> anyhow::Result<Value> {
    let bar = bar();
    loop {
        let answer = api.get(&format!("/jobs/{job}")).await?;
        let data = &answer["data"];
        let state = data["state"].as_str().unwrap_or_default();
        let number = |name: &str| data["progress"][name].as_u64().unwrap_or_default();
        let (done, total) = (number("done"), number("total"));
        bar.set_length(total);
        bar.set_position(done);
        bar.set_message(state.to_owned());
        let open = ["scheduled", "queued", "running", "waiting", "retrying"].contains(&state);
        if bar.is_hidden() {
            output::note(&format!("  {done}/{total} members, {state}"));
        }
        if !open {
            bar.finish_and_clear();
            return Ok(data.clone());
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template(STYLE) {
        bar.set_style(style);
    }
    bar
}
