//! The plan as it stands after each page: where to go on, what was seen, and what is not yet in a chunk.

use std::collections::BTreeMap;

use entities::{ChatId, RoleId};
use queue::kinds::PlannedChange;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::permitted::FailedRole;

/// Members of one chunk at most (design 4).
const CHUNK: usize = 200;
/// Changes a dry run shows.
const SAMPLE: usize = 100;

/// The checkpoint of a plan. Another form of checkpoint is no plan: the next run starts over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The last chat id the plan has spoken for.
    pub(super) after: Option<ChatId>,
    /// All members are planned.
    pub(super) complete: bool,
    pub(super) seen: Seen,
    /// Changes waiting to fill a chunk, the oldest planned at `rest_since`.
    rest: Vec<PlannedChange>,
    rest_since: i64,
    sample: Vec<Sample>,
    ungrantable: BTreeMap<RoleId, Ungrantable>,
}

/// Numbers of a plan, as they stand in the job's result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Linked members who are in the guild.
    pub(super) members: i64,
    pub(super) unchanged: i64,
    /// Members to change.
    pub(super) planned: i64,
    /// Links of users who are not in the guild.
    pub(super) not_in_guild: i64,
    pub(super) role_additions: i64,
    pub(super) role_removals: i64,
    pub(super) nicknames: i64,
    /// Members for whom the bot may not do all that the bindings call for.
    pub(super) members_refused: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sample {
    chat_id: ChatId,
    add: Vec<RoleId>,
    remove: Vec<RoleId>,
    nickname: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Ungrantable {
    error: String,
    reason: String,
    members: i64,
}

/// Members for one chunk.
#[derive(Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) members: Vec<PlannedChange>,
    pub(super) planned_at: i64,
}

impl Plan {
    /// Without bindings and nickname template all members are as they should be, and nobody needs to be asked.
    pub(super) fn nothing_asked(links: i64) -> Self {
        let seen = Seen { members: links, unchanged: links, ..Seen::default() };
        Self { complete: true, seen, ..Self::default() }
    }

    /// Takes a page in and returns the chunks that are full now; a dry run keeps a sample instead.
    pub(super) fn absorb(
        &mut self,
        seen: Seen,
        (changes, refused): (Vec<PlannedChange>, Vec<FailedRole>),
        now: i64,
        dry_run: bool,
    ) -> Vec<Cut> {
        self.seen.add(seen);
        for role in refused {
            let known = self.ungrantable.entry(role.role_id);
            let fresh = || Ungrantable { error: role.error.to_owned(), reason: role.reason, members: 0 };
            known.or_insert_with(fresh).members += 1;
        }
        if dry_run {
            let free = SAMPLE.saturating_sub(self.sample.len());
            self.sample.extend(changes.into_iter().take(free).map(Sample::from));
            return Vec::new();
        }
        if self.rest.is_empty() {
            self.rest_since = now;
        }
        self.rest.extend(changes);
        let mut cuts = Vec::new();
        while self.rest.len() >= CHUNK {
            let more = self.rest.split_off(CHUNK);
            cuts.push(Cut { members: std::mem::replace(&mut self.rest, more), planned_at: self.rest_since });
            // What follows the first cut is of this very page.
            self.rest_since = now;
        }
        cuts
    }

    /// The last chunk, which need not be full.
    pub(super) fn take_rest(&mut self) -> Option<Cut> {
        let members = std::mem::take(&mut self.rest);
        (!members.is_empty()).then_some(Cut { members, planned_at: self.rest_since })
    }

    pub(super) fn exceeds(&self, max_removals: u64) -> bool {
        u64::try_from(self.seen.role_removals).is_ok_and(|removals| removals > max_removals)
    }

    /// The job's result so far; each chunk adds its `updated`, `failed` and `skipped`.
    pub(super) fn counters(&self) -> Value {
        let mut counters = self.report();
        for name in ["updated", "failed", "skipped"] {
            counters[name] = json!(0);
        }
        counters
    }

    /// The result of a dry run.
    pub(super) fn preview(&self, max_removals: Option<u64>) -> Value {
        let mut preview = self.report();
        preview["dry_run"] = json!(true);
        preview["sample"] = json!(self.sample);
        if let Some(limit) = max_removals {
            preview["too_many_removals"] = json!(self.exceeds(limit));
        }
        preview
    }

    fn report(&self) -> Value {
        let mut report = json!(self.seen);
        let roles = self.ungrantable.iter().map(|(role, why)| {
            json!({ "role_id": role, "error": why.error, "reason": why.reason, "members": why.members })
        });
        report["ungrantable_roles"] = roles.collect();
        report
    }
}

impl Seen {
    fn add(&mut self, page: Self) {
        self.members += page.members;
        self.unchanged += page.unchanged;
        self.planned += page.planned;
        self.not_in_guild += page.not_in_guild;
        self.role_additions += page.role_additions;
        self.role_removals += page.role_removals;
        self.nicknames += page.nicknames;
        self.members_refused += page.members_refused;
    }
}

impl From<PlannedChange> for Sample {
    fn from(change: PlannedChange) -> Self {
        Self { chat_id: change.user, add: change.add, remove: change.remove, nickname: change.nick }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{chat, role, roles};

    fn changes(from: i64, count: i64) -> Vec<PlannedChange> {
        (from..from + count)
            .map(|id| PlannedChange {
                user: chat(id),
                add: roles(&[6]),
                remove: vec![],
                nick: None,
            })
            .collect()
    }

    fn absorb(plan: &mut Plan, changes: Vec<PlannedChange>, now: i64) -> Vec<(usize, i64)> {
        let cuts = plan.absorb(Seen::default(), (changes, Vec::new()), now, false);
        cuts.into_iter().map(|cut| (cut.members.len(), cut.planned_at)).collect()
    }

    #[test]
    fn pages_fill_chunks_of_200_and_what_is_left_waits_with_its_time() {
        let mut plan = Plan::default();
        assert_eq!(absorb(&mut plan, changes(1, 150), 10), []);
        assert_eq!(absorb(&mut plan, changes(151, 480), 20), [(200, 10), (200, 20), (200, 20)]);
        assert_eq!(absorb(&mut plan, vec![], 30), []);
        let rest = plan.take_rest().unwrap();
        assert_eq!((rest.members.len(), rest.planned_at, rest.members[0].user), (30, 20, chat(601)));
        assert_eq!(plan.take_rest(), None);
        assert_eq!(absorb(&mut plan, changes(1, 200), 40), [(200, 40)]);
    }

    #[test]
    fn a_plan_survives_its_checkpoint_and_other_checkpoints_are_no_plan() {
        let mut plan = Plan { after: Some(chat(9)), ..Plan::default() };
        let refused = FailedRole { role_id: role(3), error: "role_managed", reason: "managed".to_owned() };
        plan.absorb(Seen { members: 2, ..Seen::default() }, (changes(1, 3), vec![refused]), 1, false);
        let kept: Plan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
        assert_eq!(kept, plan);
        for other in [json!({ "since": 1, "base": 2 }), Value::Null] {
            assert!(serde_json::from_value::<Plan>(other).is_err());
        }
    }

    #[test]
    fn a_dry_run_cuts_nothing_and_shows_the_first_hundred() {
        let mut plan = Plan::default();
        let cuts =
            plan.absorb(Seen { role_removals: 3, ..Seen::default() }, (changes(1, 250), Vec::new()), 1, true);
        assert_eq!(cuts, []);
        assert_eq!(plan.take_rest(), None);
        let preview = plan.preview(Some(2));
        assert_eq!(preview["sample"].as_array().unwrap().len(), 100);
        assert_eq!(preview["too_many_removals"], true);
        assert_eq!(plan.preview(Some(3))["too_many_removals"], false);
        assert_eq!(plan.preview(None)["too_many_removals"], Value::Null);
    }

    #[test]
    fn roles_out_of_reach_are_named_once_with_how_many_members_miss_them() {
        let mut plan = Plan::default();
        let refused =
            |id| FailedRole { role_id: role(id), error: "role_above_bot", reason: "too high".to_owned() };
        plan.absorb(Seen::default(), (vec![], vec![refused(3), refused(4), refused(3)]), 1, false);
        let counters = plan.counters();
        let roles = counters["ungrantable_roles"].as_array().unwrap();
        assert_eq!(
            roles[0],
            json!({ "role_id": "3", "error": "role_above_bot", "reason": "too high", "members": 2 })
        );
        assert_eq!((roles.len(), &counters["updated"]), (2, &json!(0)));
    }
}
