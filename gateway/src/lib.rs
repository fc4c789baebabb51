//! The gateway: reads the chat platform's event stream, and enqueues what follows from its events. It notes its place in the
//! stream in the transaction of the jobs, and does nothing else (docs/rules.md 5); interactions it hands on at once
//! (docs/rules.md 13).
//!
//! Several processes may run. Each shard of the stream has a lease; its holder reads it, and another process takes over where
//! the last one stopped, within the time in which the platform lets a session go on.

mod connection;
mod event;
mod follow_up;
mod place;
mod starts;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use chat_commands::ChatCommands;
use entities::api_process::Role;
use entities::leader_lease;
use platforms::{Gateway, PlatformError, Platforms};
use queue::Queue;
use runtime::{Context, leader, presence};
use tokio::sync::watch;

use crate::connection::{Reader, show_connected};
use crate::starts::Starts;

/// Between two tries to learn where the stream is.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Starts to read the stream; it ends with the context's shutdown. `chat` answers interactions, unless they come by HTTP.
/// `alone`: no other process does. Without a token there is no stream.
pub fn start(
    context: &Context,
    queue: &Queue,
    platforms: &Platforms,
    chat: Option<Arc<ChatCommands>>,
    alone: bool,
) {
    let (context, queue, platforms) = (context.clone(), queue.clone(), platforms.clone());
    let soft = context.shutdown.soft().clone();
    let shown = context.clone();
    context.shutdown.services().spawn(async move { presence::keep(&shown, Role::Gateway).await });
    context.shutdown.tracker().clone().spawn(async move {
        let Some(Some(stream)) = soft.run_until_cancelled(stream(&platforms)).await else { return };
        let shards = stream.shards.max(1);
        let starts = Starts::new(&context, &platforms, alone);
        for shard in 0..shards {
            let (told, leads) = watch::channel(false);
            let name = leader_lease::gateway(shard);
            let tell = move |leads: bool| {
                metrics::gauge!("guildhall_gateway_leads", "shard" => shard.to_string())
                    .set(f64::from(u8::from(leads)));
                told.send_replace(leads);
            };
            let leadership = leader::start(&context, &name, alone, tell);
            let reader = Reader {
                context: context.clone(),
                queue: queue.clone(),
                platforms: platforms.clone(),
                chat: chat.clone(),
                starts: starts.clone(),
                leadership,
                leads,
                url: stream.url.clone(),
                shard,
                shards,
                connected: AtomicBool::default(),
            };
            context.shutdown.tracker().spawn(reader.keep());
        }
    });
}

/// Where the stream is; `None`: there is no token.
async fn stream(platforms: &Platforms) -> Option<Gateway> {
    loop {
        match platforms.gateway().await {
            Ok(gateway) => return Some(gateway),
            Err(PlatformError::NotConfigured(variable)) => {
                tracing::info!(variable, "no credential: no events of the chat platform are read");
                return None;
            }
            Err(error) => {
                show_connected(0, false);
                runtime::warn_throttled!(%error, "the chat platform does not say where its event stream is");
                let pause = error.retry_after().unwrap_or_default().max(AGAIN_AFTER);
                tokio::time::sleep(pause).await;
            }
        }
    }
}
