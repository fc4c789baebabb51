//! Names of accounts that have no link, and of games, for lists: without an answer their ids are shown.

use std::collections::HashMap;

use entities::{ChatId, PlayId, Subject, UniverseId};
use futures_util::future::join_all;
use platforms::{CallContext, Platforms, Universe};

use super::late::Late;

/// Users of the chat platform that a page asks for: each is a call.
const CHATS_A_PAGE: usize = 10;

#[derive(Clone)]
pub(crate) struct NameCache {
    platforms: Platforms,
    accounts: Late<Subject, String>,
    universes: Late<UniverseId, Universe>,
}

impl NameCache {
    pub(crate) fn new(platforms: Platforms) -> Self {
        Self { platforms, accounts: Late::new(), universes: Late::new() }
    }

    /// The names that are known.
    pub(crate) async fn find(&self, call: CallContext, accounts: &[Subject]) -> HashMap<Subject, String> {
        let (mut chats, mut plays) = (Vec::new(), Vec::new());
        for account in accounts.iter().filter(|one| self.accounts.lacks(one)) {
            match account {
                Subject::Chat(chat) if chats.len() < CHATS_A_PAGE => chats.push(*chat),
                Subject::Chat(_) => {}
                Subject::Play(play) => plays.push(*play),
            }
        }
        let asked: Vec<_> = chats.iter().copied().map(Subject::Chat).collect();
        let asked: Vec<_> = asked.into_iter().chain(plays.iter().copied().map(Subject::Play)).collect();
        self.accounts.ask(&asked, self.clone().ask(call, chats, plays)).await;
        self.accounts.known(accounts)
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
        self.accounts.learn(plays.into_iter().map(|(play, name)| (Subject::Play(play), name)));
        let known = chats.into_iter().zip(known);
        let named = known.filter_map(|(chat, known)| Some((Subject::Chat(chat), known.ok()??.user.name)));
        self.accounts.learn(named);
    }

    /// The games that are known. One call for all of a page, as long as they are at most 50.
    pub(crate) async fn games(
        &self,
        call: CallContext,
        universes: &[UniverseId],
    ) -> HashMap<UniverseId, Universe> {
        // The studio's has the number 0.
        let is_asked = |one: &&UniverseId| one.get() > 0 && self.universes.lacks(one);
        let asked: Vec<_> = universes.iter().filter(is_asked).copied().collect();
        let (all, wanted) = (self.clone(), asked.clone());
        let asking = async move {
            let found = all.platforms.play.universes(call, &wanted).await.unwrap_or_default();
            all.universes.learn(found);
        };
        self.universes.ask(&asked, asking).await;
        self.universes.known(universes)
    }
}
