//! What shows this process to operators: its row, and the metrics of its caches.

use std::sync::Arc;

use entities::api_process::Role;
use runtime::presence::{self, HEARTBEAT_INTERVAL};

use crate::state::State;

pub(crate) async fn keep(state: Arc<State>) {
    let report = async {
        loop {
            state.caches.report();
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        }
    };
    tokio::select! {
        () = presence::keep(&state.context, Role::Api) => {}
        () = report => {}
    }
}
