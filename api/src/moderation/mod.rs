//! `/moderation/...` (docs/rules.md 4): who is banned or muted, and the lists game servers keep.
//!
//! Modules: [`ban_status`] and [`mute_status`] the checks, answered from [`status_cache`]; [`bans`] the history;
//! [`play`] what game servers call to ban, unban and read the active lists.

mod ban_status;
mod bans;
mod mute_status;
pub(crate) mod play;
mod status_cache;

use std::sync::Arc;

pub(crate) use ban_status::ban_status;
pub(crate) use bans::bans;
use entities::{Person, PlaceId};
pub(crate) use mute_status::mute_status;
use runtime::{Event, Events, ModerationVerb};
use sea_orm::DatabaseTransaction;
pub(crate) use status_cache::StatusCache;

use crate::app::App;
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Completes "must be …", for paths and queries.
const IDENTIFIER: &str = "a chat user id (17 digits or more) or a game user id, without sign or leading zero";
const PLACE: &str = "a positive integer that fits 63 bits";

/// What a change means for whoever listens.
struct News<'a> {
    verb: ModerationVerb,
    person: Person,
    reason: &'a str,
    place: Option<PlaceId>,
    revision: i64,
}

/// Commits the change and lets it be seen: in this process before the answer, in the others by an event.
async fn commit(
    call: &Call,
    transaction: DatabaseTransaction,
    reply: Reply,
    news: News<'_>,
) -> Result<Reply, ApiError> {
    let events = &call.app.context.events;
    let unsure = Unsure(Some(events.clone()));
    let reply = call.commit(transaction, reply).await?;
    call.app.status.changed(call.guild(), news.person).await;
    let of = (call.guild(), news.revision);
    if let Some(event) = Event::moderation(of, news.verb, news.person, (news.reason, news.place)) {
        events.publish(event);
    }
    unsure.settled();
    Ok(reply)
}

/// While it is unknown whether a change was committed. A request that is cut there, or a connection lost there, makes
/// every process drop what it has cached.
struct Unsure(Option<Events>);

impl Unsure {
    fn settled(mut self) {
        self.0 = None;
    }
}

impl Drop for Unsure {
    fn drop(&mut self) {
        if let Some(events) = &self.0 {
            events.publish(Event::Resync);
        }
    }
}

/// Keeps the status cache in line with what is heard, for as long as the process runs.
pub(crate) fn listen(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        loop {
            let event = events.recv().await;
            let ended = matches!(event, Err(tokio::sync::broadcast::error::RecvError::Closed));
            app.status.hear(event).await;
            if ended {
                return;
            }
        }
    }
}
