//! Where the event stream is, and its faults.

use serde::Deserialize;
use serde_json::json;

use crate::endpoints::control::change;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::stream::socket;

/// A day, until the count of sessions begins anew.
const RESET_AFTER_MS: u64 = 24 * 60 * 60 * 1_000;

pub(crate) fn bot(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    let settings = &state.stream.settings;
    Reply::ok(json!({
        "url": socket::address(&input.headers), "shards": settings.shards,
        "session_start_limit": {
            "total": 1_000, "remaining": settings.identifies_left, "reset_after": RESET_AFTER_MS,
            "max_concurrency": 1,
        },
    }))
}

pub(crate) fn report(simulator: &Simulator, _: &Input) -> Reply {
    Reply::ok(simulator.state().stream.report())
}

/// Settings stay until they are set again; `cut`, `reconnect` and `invalidate` happen once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    shards: Option<u64>,
    heartbeat_ms: Option<u64>,
    identifies_left: Option<u32>,
    refuse: Option<bool>,
    deaf: Option<bool>,
    double: Option<u32>,
    reorder: Option<usize>,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    reconnect: bool,
    #[serde(default)]
    invalidate: bool,
}

pub(crate) fn change_stream(simulator: &Simulator, input: &Input) -> Reply {
    change(input, |form: Form| {
        if form.shards == Some(0) || form.heartbeat_ms == Some(0) {
            return Err("shards and heartbeat_ms must be at least 1".to_owned());
        }
        let stream = &mut simulator.state_mut().stream;
        let settings = &mut stream.settings;
        settings.shards = form.shards.unwrap_or(settings.shards);
        settings.heartbeat_ms = form.heartbeat_ms.unwrap_or(settings.heartbeat_ms);
        settings.identifies_left = form.identifies_left.unwrap_or(settings.identifies_left);
        settings.refuse = form.refuse.unwrap_or(settings.refuse);
        settings.deaf = form.deaf.unwrap_or(settings.deaf);
        settings.double = form.double.unwrap_or(settings.double);
        settings.reorder = form.reorder.unwrap_or(settings.reorder);
        if form.cut || form.reconnect {
            stream.cut(form.reconnect);
        }
        if form.invalidate {
            stream.invalidate();
        }
        Ok(())
    })
}
