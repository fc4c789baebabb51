//! Every call that reads, with a key of all scopes; the operations come from the served document.

use serde_json::json;
use testkit::{Ids, kind_of};

use super::{View, Walk};
use crate::cross_guild::caller::Caller;
use crate::cross_guild::operations::Operation;

/// Lower bound on the number of operations, so that a failure to find them fails the test.
const OPERATIONS: usize = 45;

impl Walk<'_> {
    /// With the member's chat id at each place of one, and with all of a list.
    pub(super) async fn calls(&self) -> Vec<View> {
        let reading: Vec<_> = self.operations.iter().filter(|operation| operation.reads).collect();
        assert!(reading.len() > OPERATIONS, "{}", reading.len());
        let filtered = reading.iter().filter(|operation| !operation.ids().is_empty());
        let calls = filtered.map(|one| (*one, one.ids())).chain(reading.iter().map(|one| (*one, Vec::new())));
        self.answers(calls.collect(), &self.ids).await
    }

    /// The calls that name a player, with the member's game account.
    pub(super) async fn calls_by_player(&self) -> Vec<View> {
        let play = json!(self.person.play);
        let text = json!(self.person.play.to_string());
        let unrelated = json!(self.deployment.guild().members[1].chat);
        let ids = self.ids.clone().with("play", play).with("banned", text).with("chat", unrelated);
        let names_players = |operation: &&Operation| {
            operation.ids().iter().any(|id| matches!(kind_of(id), Some("play" | "banned")))
        };
        let reading = self.operations.iter().filter(|operation| operation.reads).filter(names_players);
        self.answers(reading.map(|operation| (operation, operation.ids())).collect(), &ids).await
    }

    async fn answers(&self, calls: Vec<(&Operation, Vec<&str>)>, ids: &Ids) -> Vec<View> {
        let caller = Caller::of(self.deployment, self.deployment.guild(), calls.len()).await;
        let mut views = Vec::new();
        for (operation, places) in calls {
            let answer = caller.send(operation.request(ids, &places, ids), None).await;
            assert!(![400, 401, 403, 429, 500].contains(&answer.status), "{answer}");
            let at = format!("{} {}", operation.method, operation.template);
            views.push(View::new(at, answer.body.to_string()));
        }
        views
    }
}
