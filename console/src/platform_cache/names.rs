//! Names of accounts that have no link, for lists. A list waits briefly for the platforms and shows ids
//! otherwise; the next request shows the names.

use std::collections::HashMap;
use std::time::Duration;

use entities::{ChatId, PlayId, Subject};
use futures_util::future::join_all;
use moka::sync::Cache;
use platforms::{CallContext, Platforms};
use tracing::Instrument;

const KEPT_FOR: Duration = Duration::from_hours(1);
/// Time until an account without a name is requested again.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(30);
const CAPACITY: u64 = 50_000;
/// A page waits for a platform no longer than this.
const PATIENCE: Duration = Duration::from_millis(400);
/// Users of the chat platform that a page asks for: each is a call.
const CHATS_A_PAGE: usize = 10;

#[derive(Clone)]
pub(crate) struct NameCache {
    platforms: Platforms,
    names: Cache<Subject, String>,
    asked: Cache<Subject, ()>,
}

impl NameCache {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let names = Cache::builder().max_capacity(CAPACITY).time_to_live(KEPT_FOR).build();
        let asked = Cache::builder().max_capacity(CAPACITY).time_to_live(ASKED_AGAIN_AFTER).build();
        Self { platforms, names, asked }
    }

    /// The names that are known.
    pub(crate) async fn find(&self, call: CallContext, accounts: &[Subject]) -> HashMap<Subject, String> {
        let is_new = |one: &&Subject| !self.names.contains_key(*one) && !self.asked.contains_key(*one);
        let (mut chats, mut plays) = (Vec::new(), Vec::new());
        for account in accounts.iter().filter(is_new) {
            match account {
                Subject::Chat(chat) if chats.len() < CHATS_A_PAGE => chats.push(*chat),
                Subject::Chat(_) => continue,
                Subject::Play(play) => plays.push(*play),
            }
            self.asked.insert(*account, ());
        }
        if !chats.is_empty() || !plays.is_empty() {
            // It goes on after the page stops waiting.
            let asking = self.clone().ask(call, chats, plays);
            let asking = tokio::spawn(asking.in_current_span());
            let _late: Result<_, _> = tokio::time::timeout(PATIENCE, asking).await;
        }
        accounts.iter().filter_map(|account| Some((*account, self.names.get(account)?))).collect()
    }

    async fn ask(self, call: CallContext, chats: Vec<ChatId>, plays: Vec<PlayId>) {
        let of_plays = async {
            let found = if plays.is_empty() {
                Ok(HashMap::new())
            } else {
                self.platforms.play.usernames(call, &plays).await
            };
            // Without an answer the ids are shown; forms say why (`accounts.rs`).
            found.unwrap_or_default()
        };
        let known = chats.iter().map(|chat| self.platforms.chat.known_user(call, *chat));
        let (plays, known) = tokio::join!(of_plays, join_all(known));
        plays.into_iter().for_each(|(play, name)| self.names.insert(Subject::Play(play), name));
        for (chat, known) in chats.into_iter().zip(known) {
            if let Ok(Some(known)) = known {
                self.names.insert(Subject::Chat(chat), known.user.name);
            }
        }
    }
}
