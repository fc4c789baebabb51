//! The plan after each page: where to continue, the counts so far, and the differences not yet in a chunk.

use std::collections::{BTreeMap, VecDeque};

use entities::{ChatId, GroupId, RoleId, Timestamp};
use jobs::bulk_sync::PlannedChange;
use platforms::Change;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::permitted::FailedRole;
use crate::wanted;

/// Members of one chunk at most.
const MEMBERS_PER_CHUNK: usize = 200;
/// This many changes wait to be mixed with others. Role calls and updates have separate limits on the platform: a
/// guild is fastest when the running chunks need both.
const MEMBERS_HELD_BACK: usize = 400;
/// Changes listed by a dry run.
const CHANGES_LISTED: usize = 1_000;

/// The checkpoint of a plan. A run that cannot read it starts over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The last chat id that the plan covers.
    pub(super) after: Option<ChatId>,
    /// All members are planned.
    pub(super) complete: bool,
    /// Of a pass that started by itself: when the budget has room for its next page.
    #[serde(default)]
    pub(super) turn_at: Option<Timestamp>,
    /// How many of the members are in each group.
    #[serde(default)]
    pub(super) in_group: BTreeMap<GroupId, i64>,
    pub(super) seen: Seen,
    /// Changes waiting to fill a chunk, the oldest planned at `rest_since`.
    rest: Vec<PlannedChange>,
    rest_since: i64,
    sample: Vec<PlannedChange>,
    ungrantable: BTreeMap<RoleId, Ungrantable>,
}

/// Counts of a plan, as in the job's result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Linked members in the guild.
    pub(super) members: i64,
    pub(super) unchanged: i64,
    /// Members to change.
    pub(super) planned: i64,
    /// Links of users outside the guild.
    pub(super) not_in_guild: i64,
    pub(super) role_additions: i64,
    pub(super) role_removals: i64,
    /// Members that lose a role.
    #[serde(default)]
    pub(super) members_losing: i64,
    pub(super) nicknames: i64,
    /// Members with a change that the bot may only make in part.
    pub(super) members_refused: i64,
}

/// The addition of a page of members to the plan.
#[derive(Default)]
pub(super) struct Differences {
    pub(super) seen: Seen,
    pub(super) changes: Vec<PlannedChange>,
    pub(super) refused_roles: Vec<FailedRole>,
    pub(super) in_group: BTreeMap<GroupId, i64>,
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
    /// Without bindings and nickname template no member differs, and no platform call is needed.
    pub(super) fn nothing_asked(links: i64) -> Self {
        let seen = Seen { members: links, unchanged: links, ..Seen::default() };
        Self { complete: true, seen, ..Self::default() }
    }

    /// Adds a page and returns the full chunks; a dry run keeps a sample instead.
    pub(super) fn absorb(&mut self, page: Differences, now: i64, dry_run: bool) -> Vec<Cut> {
        let Differences { seen, changes, refused_roles, in_group } = page;
        self.seen.add(seen);
        for (group, members) in in_group {
            *self.in_group.entry(group).or_default() += members;
        }
        for role in refused_roles {
            let known = self.ungrantable.entry(role.role_id);
            let fresh = || Ungrantable { error: role.error.to_owned(), reason: role.reason, members: 0 };
            known.or_insert_with(fresh).members += 1;
        }
        if dry_run {
            let free = CHANGES_LISTED.saturating_sub(self.sample.len());
            self.sample.extend(changes.into_iter().take(free));
            return Vec::new();
        }
        if self.rest.is_empty() {
            self.rest_since = now;
        }
        self.rest.extend(changes);
        self.cut_down_to(MEMBERS_HELD_BACK + MEMBERS_PER_CHUNK - 1)
    }

    /// The last chunks; one of them may be partial.
    pub(super) fn take_rest(&mut self) -> Vec<Cut> {
        self.cut_down_to(0)
    }

    fn cut_down_to(&mut self, most: usize) -> Vec<Cut> {
        let planned_at = self.rest_since;
        let mut cuts = Vec::new();
        while self.rest.len() > most {
            cuts.push(Cut { members: self.take_mixed(), planned_at });
        }
        cuts
    }

    /// Members for one chunk, by chat id: those that need an update and those that need only role calls, in proportion
    /// to their numbers.
    fn take_mixed(&mut self) -> Vec<PlannedChange> {
        let all = self.rest.len();
        let (updates, roles): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.rest).into_iter().partition(needs_update);
        let wanted = if all <= MEMBERS_PER_CHUNK {
            updates.len()
        } else {
            (MEMBERS_PER_CHUNK * updates.len()).div_ceil(all)
        };
        let (mut updates, mut roles) = (VecDeque::from(updates), VecDeque::from(roles));
        let mut chunk: Vec<_> = updates.drain(..wanted).collect();
        chunk.extend(roles.drain(..roles.len().min(MEMBERS_PER_CHUNK - wanted)));
        chunk.sort_unstable_by_key(|change| change.user);
        self.rest = updates.into_iter().chain(roles).collect();
        chunk
    }

    pub(super) fn exceeds(&self, max_removals: u64) -> bool {
        u64::try_from(self.seen.role_removals).is_ok_and(|removals| removals > max_removals)
    }

    /// The job's result so far; each chunk adds its own counters.
    pub(super) fn counters(&self) -> Value {
        let mut counters = self.report();
        for name in ["updated", "failed", "skipped", "writes"] {
            counters[name] = json!(0);
        }
        counters
    }

    /// The result of a dry run.
    pub(super) fn preview(&self, max_removals: Option<u64>) -> Value {
        let mut preview = self.report();
        preview["dry_run"] = json!(true);
        let sample = self.sample.iter().map(|planned| {
            let PlannedChange { user, add, remove, nick, .. } = planned;
            let mut listed = wanted::told(&wanted::reasons(planned), &wanted::change(planned));
            listed.extend([
                ("chat_id".to_owned(), json!(user)),
                ("add".to_owned(), json!(add)),
                ("remove".to_owned(), json!(remove)),
                ("nickname".to_owned(), json!(nick)),
            ]);
            Value::Object(listed)
        });
        preview["sample"] = sample.collect();
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

fn needs_update(change: &PlannedChange) -> bool {
    change.nick.is_some() || wanted::change(change).is_several()
}

impl Seen {
    /// A member with what is changed of them. `in_part`: something else is refused.
    pub(super) fn count(&mut self, change: &Change, in_part: bool) {
        let count = |roles: &[RoleId]| i64::try_from(roles.len()).unwrap_or(i64::MAX);
        self.members += 1;
        self.members_refused += i64::from(in_part);
        self.unchanged += i64::from(change.is_empty());
        self.planned += i64::from(!change.is_empty());
        self.role_additions += count(&change.add);
        self.role_removals += count(&change.remove);
        self.members_losing += i64::from(!change.remove.is_empty());
        self.nicknames += i64::from(change.nick.is_some());
    }

    fn add(&mut self, page: Self) {
        self.members += page.members;
        self.unchanged += page.unchanged;
        self.planned += page.planned;
        self.not_in_guild += page.not_in_guild;
        self.role_additions += page.role_additions;
        self.role_removals += page.role_removals;
        self.members_losing += page.members_losing;
        self.nicknames += page.nicknames;
        self.members_refused += page.members_refused;
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
                play: None,
                add: roles(&[6]),
                remove: vec![],
                nick: None,
                nick_before: None,
                in_part: false,
                ranks: BTreeMap::new(),
                ranks_before: BTreeMap::new(),
                bindings: BTreeMap::new(),
                nick_binding: None,
            })
            .collect()
    }

    fn page(changes: Vec<PlannedChange>) -> Differences {
        Differences { changes, ..Differences::default() }
    }

    fn absorb(plan: &mut Plan, changes: Vec<PlannedChange>, now: i64) -> Vec<(usize, i64)> {
        let cuts = plan.absorb(page(changes), now, false);
        cuts.into_iter().map(|cut| (cut.members.len(), cut.planned_at)).collect()
    }

    #[test]
    fn pages_fill_chunks_of_200_and_the_rest_waits_with_its_time() {
        let mut plan = Plan::default();
        assert_eq!(absorb(&mut plan, changes(1, 550), 10), []);
        assert_eq!(absorb(&mut plan, changes(551, 480), 20), [(200, 10), (200, 10), (200, 10)]);
        assert_eq!(absorb(&mut plan, vec![], 30), []);
        let rest = plan.take_rest();
        let sizes: Vec<_> = rest.iter().map(|cut| (cut.members.len(), cut.members[0].user)).collect();
        assert_eq!(sizes, [(200, chat(601)), (200, chat(801)), (30, chat(1_001))]);
        assert_eq!(plan.take_rest(), []);
        assert_eq!(absorb(&mut plan, changes(1, 600), 40), [(200, 40)]);
    }

    #[test]
    fn chunks_mix_updates_and_role_calls() {
        let mut plan = Plan::default();
        let nicknames = changes(501, 500).into_iter().map(|change| PlannedChange {
            add: vec![],
            nick: Some("n".to_owned()),
            ..change
        });
        let all = changes(1, 500).into_iter().chain(nicknames).collect();
        let mut cuts = plan.absorb(page(all), 1, false);
        cuts.extend(plan.take_rest());
        assert_eq!(cuts.len(), 5);
        for cut in &cuts {
            assert_eq!(cut.members.iter().filter(|change| needs_update(change)).count(), 100);
            assert!(cut.members.is_sorted_by_key(|change| change.user));
        }
    }

    #[test]
    fn a_plan_survives_its_checkpoint_and_other_checkpoints_are_rejected() {
        let mut plan = Plan { after: Some(chat(9)), ..Plan::default() };
        let refused = FailedRole { role_id: role(3), error: "role_managed", reason: "managed".to_owned() };
        let seen = Seen { members: 2, ..Seen::default() };
        plan.absorb(Differences { seen, refused_roles: vec![refused], ..page(changes(1, 3)) }, 1, false);
        let kept: Plan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
        assert_eq!(kept, plan);
        for other in [json!({ "since": 1, "base": 2 }), Value::Null] {
            assert!(serde_json::from_value::<Plan>(other).is_err());
        }
    }

    #[test]
    fn a_dry_run_creates_no_chunk_and_lists_the_first_thousand() {
        let mut plan = Plan::default();
        let seen = Seen { role_removals: 3, ..Seen::default() };
        let cuts = plan.absorb(Differences { seen, ..page(changes(1, 1_250)) }, 1, true);
        assert_eq!(cuts, []);
        assert_eq!(plan.take_rest(), []);
        let preview = plan.preview(Some(2));
        assert_eq!(preview["sample"].as_array().unwrap().len(), 1_000);
        assert_eq!(preview["too_many_removals"], true);
        assert_eq!(plan.preview(Some(3))["too_many_removals"], false);
        assert_eq!(plan.preview(None)["too_many_removals"], Value::Null);
    }

    #[test]
    fn roles_out_of_reach_are_named_once_with_a_member_count() {
        let mut plan = Plan::default();
        let refused =
            |id| FailedRole { role_id: role(id), error: "role_above_bot", reason: "too high".to_owned() };
        let refused_roles = vec![refused(3), refused(4), refused(3)];
        plan.absorb(Differences { refused_roles, ..Differences::default() }, 1, false);
        let counters = plan.counters();
        let roles = counters["ungrantable_roles"].as_array().unwrap();
        assert_eq!(
            roles[0],
            json!({ "role_id": "3", "error": "role_above_bot", "reason": "too high", "members": 2 })
        );
        assert_eq!((roles.len(), &counters["updated"]), (2, &json!(0)));
    }
}
