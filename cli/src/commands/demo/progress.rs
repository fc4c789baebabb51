//! Follows a job through `GET /jobs/:jobId`, with a progress bar on a terminal and lines elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use entities::JobId;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use super::http_client::HttpClient;
use crate::output;

/// 86 requests a minute: below the endpoint's rate limit of 100.
const POLL_INTERVAL: Duration = Duration::from_millis(700);
const STYLE: &str = "{bar:40} {pos}/{len} members, {elapsed} {msg}";

pub(super) async fn follow(api: &HttpClient, job: JobId) -> anyhow::Result<Value> {
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
        tokio::time::sleep(POLL_INTERVAL).await;
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
