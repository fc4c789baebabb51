//! The calls: one for every member of the fixture.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::plan::Plan;
use testkit::{Fixture, Guild, key_text};

/// Calls with one key, of all kinds: well below every per-minute quota, including repeats.
const CALLS_OF_A_KEY: usize = 10;
/// One call in this many asks for an immediate answer.
const AT_ONCE: usize = 3;
const PANEL: i64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The member lacks a role, holds a surplus one, or has an old name: one update corrects it.
    Sync,
    /// The member is given the one missing role.
    Role,
    /// The member's application becomes a ticket: one channel.
    Ticket,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) guild: String,
    pub(super) chat: String,
    /// The member's final state.
    pub(super) role: String,
    pub(super) name: String,
    /// For a ticket.
    pub(super) submission: i64,
    pub(super) key: String,
    pub(super) idempotency_key: String,
    /// The caller does not wait for the end.
    pub(super) at_once: bool,
}

impl Call {
    pub(super) fn path(&self) -> String {
        match self.kind {
            Kind::Sync => "/interactions/sync".to_owned(),
            Kind::Role => "/interactions/roles/assign".to_owned(),
            Kind::Ticket => {
                format!("/guilds/{}/application-submissions/{}/create-ticket", self.guild, self.submission)
            }
        }
    }

    pub(super) fn body(&self) -> Value {
        match self.kind {
            Kind::Sync => json!({ "guild_id": self.guild, "user_id": self.chat }),
            Kind::Role => json!({ "guild_id": self.guild, "user_id": self.chat, "role_id": self.role }),
            Kind::Ticket => json!({ "panel_id": PANEL }),
        }
    }
}

pub(super) struct Calls {
    pub(super) list: Vec<Call>,
    guilds: usize,
    /// Per guild.
    members: usize,
    kinds: Mix,
}

/// Assigns members to kinds of calls by their number.
#[derive(Clone, Copy)]
struct Mix {
    tickets: usize,
    roles: usize,
}

impl Mix {
    fn kind(self, member: usize) -> Kind {
        match member % 100 {
            n if n < self.tickets => Kind::Ticket,
            n if n < self.tickets + self.roles => Kind::Role,
            _ => Kind::Sync,
        }
    }
}

impl Calls {
    /// All calls, in an order determined by the seed.
    pub(super) fn draw(plan: &Plan, rng: &mut StdRng) -> Self {
        let guilds = plan.guilds.clamp(1, plan.jobs.max(1));
        let members = plan.jobs.div_ceil(guilds);
        let kinds = Mix { tickets: plan.tickets, roles: plan.roles };
        let mut calls = Self { list: Vec::with_capacity(plan.jobs), guilds, members, kinds };
        let fixture = calls.fixture();
        for number in 0..plan.jobs {
            let (guild, member) = (number % guilds, number / guilds);
            // Neighbours have the same kind and different keys.
            let key = key_text(guild, &format!("chaos {}", member % calls.keys()));
            calls.list.push(call(kinds.kind(member), &fixture.guilds[guild], member, key));
        }
        calls.list.shuffle(rng);
        for (number, call) in calls.list.iter_mut().enumerate() {
            call.idempotency_key = format!("chaos-{number}");
            call.at_once = number % AT_ONCE == 0;
        }
        calls
    }

    /// Guilds whose members all need exactly the effect of their call.
    pub(super) fn fixture(&self) -> Fixture {
        let mut fixture = Fixture::new(self.guilds, self.members);
        for guild in &mut fixture.guilds {
            let roles = guild.roles.clone();
            for (n, member) in guild.members.iter_mut().enumerate() {
                let wanted = member.wanted.clone();
                let other = roles.iter().find(|role| **role != wanted).cloned().unwrap_or_default();
                let (held, nick) = match (self.kinds.kind(n), n % 3) {
                    (Kind::Ticket, _) => (vec![wanted], member.name.clone()),
                    (Kind::Role, _) | (Kind::Sync, 0) => (Vec::new(), member.name.clone()),
                    (Kind::Sync, 1) => (vec![wanted, other], member.name.clone()),
                    (Kind::Sync, _) => (vec![wanted], format!("old {}", member.name)),
                };
                (member.held, member.nick) = (held, nick);
            }
        }
        fixture
    }

    /// Per guild.
    fn keys(&self) -> usize {
        self.members.div_ceil(CALLS_OF_A_KEY)
    }

    /// The file for `seed` and `simulate`: with a key for every few calls, and an application for every ticket.
    pub(super) fn fixture_file(&self) -> Value {
        let fixture = self.fixture();
        let mut file = fixture.json();
        for (index, guild) in fixture.guilds.iter().enumerate() {
            let record = &mut file["guilds"][index];
            let keys = (0..self.keys()).map(|n| {
                let name = format!("chaos {n}");
                json!({ "text": key_text(index, &name), "name": name, "owner_id": guild.members[0].chat })
            });
            let tickets = guild
                .members
                .iter()
                .enumerate()
                .filter(|(n, _)| self.kinds.kind(*n) == Kind::Ticket)
                .map(|(n, member)| {
                    json!({ "submission_id": submission(n), "panel_id": PANEL, "chat_id": member.chat })
                });
            record["keys"] = keys.collect();
            record["submissions"] = tickets.collect();
            record["panels"] = json!([{ "panel_id": PANEL, "name": "Staff" }]);
        }
        file
    }
}

fn submission(member: usize) -> i64 {
    i64::try_from(member).unwrap_or(i64::MAX - 1) + 1
}

fn call(kind: Kind, guild: &Guild, number: usize, key: String) -> Call {
    let member = &guild.members[number];
    Call {
        kind,
        guild: guild.id.clone(),
        chat: member.chat.clone(),
        role: member.wanted.clone(),
        name: member.name.clone(),
        submission: submission(number),
        key,
        idempotency_key: String::new(),
        at_once: false,
    }
}
