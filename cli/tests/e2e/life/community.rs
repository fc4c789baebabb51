//! How each member has to be after the changes that were made: a reckoning apart from the service and the simulator.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use testkit::Guild;

const BOUND_RANKS: [i64; 4] = [1, 50, 100, 200];

pub(super) struct Community<'a> {
    guild: &'a Guild,
    linked: BTreeMap<String, Linked>,
    /// Who is a member, with the roles that others gave: of members without a link, all of them.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Nicknames of members without a link.
    nicknames: BTreeMap<String, Value>,
}

struct Linked {
    play: i64,
    name: String,
    /// 0: not in the group.
    rank: i64,
}

impl<'a> Community<'a> {
    pub(super) fn of(guild: &'a Guild) -> Self {
        let linked = guild.members.iter().map(|member| {
            let linked = Linked { play: member.play, name: member.name.clone(), rank: member.rank };
            (member.chat.clone(), linked)
        });
        let members = guild.members.iter().map(|member| {
            let others = member.held.iter().filter(|role| !guild.roles.contains(role));
            (member.chat.clone(), others.cloned().collect())
        });
        Self { guild, linked: linked.collect(), members: members.collect(), nicknames: BTreeMap::new() }
    }

    pub(super) fn apply(&mut self, made: &Value) {
        let change = &made["change"];
        if let Some(chat) = change["chat_id"].as_str() {
            self.apply_to_member(chat, change);
        }
        if let Some(play) = change["play_id"].as_i64() {
            let linked = self.linked.values_mut().find(|linked| linked.play == play).unwrap();
            if let Some(ranks) = change["ranks"].as_array() {
                linked.rank = ranks.iter().filter_map(Value::as_i64).max().unwrap_or(0);
            }
            if let Some(name) = change["username"].as_str() {
                name.clone_into(&mut linked.name);
            }
        }
    }

    fn apply_to_member(&mut self, chat: &str, change: &Value) {
        if change["remove"] == true {
            self.members.remove(chat).unwrap();
            self.nicknames.remove(chat);
            return;
        }
        let is_linked = self.linked.contains_key(chat);
        let held = self.members.entry(chat.to_owned()).or_default();
        if let Some(roles) = change["roles"].as_array() {
            let roles = roles.iter().map(|role| role.as_str().unwrap().to_owned());
            *held = roles.filter(|role| !is_linked || !self.guild.roles.contains(role)).collect();
        }
        if let (Some(nick), false) = (change.get("nick"), is_linked) {
            self.nicknames.insert(chat.to_owned(), nick.clone());
        }
    }

    /// Linked people who joined by these changes and have not been changed since.
    pub(super) fn joiners(&self, made: &[Value]) -> Vec<String> {
        let chat = |made: &Value| made["change"]["chat_id"].as_str().map(str::to_owned);
        let joined = made.iter().enumerate().filter(|(_, one)| one["kind"] == "joined");
        let stayed = joined.filter_map(|(at, one)| {
            let user = chat(one)?;
            let later = made[at + 1..].iter().any(|one| chat(one).as_ref() == Some(&user));
            (!later && self.linked.contains_key(&user)).then_some(user)
        });
        stayed.collect()
    }

    /// The members who are not as they have to be.
    pub(super) fn wrong(&self, state: &Value) -> Vec<String> {
        let mut wrong: Vec<String> = Vec::new();
        let mut left: BTreeSet<&String> = self.members.keys().collect();
        for member in state["members"].as_array().unwrap() {
            let chat = member["chat_id"].as_str().unwrap().to_owned();
            left.remove(&chat);
            let held: BTreeSet<&str> =
                member["roles"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let is_right = self.members.get(&chat).is_some_and(|others| {
                let linked = self.linked.get(&chat);
                let wanted = linked.and_then(|linked| self.role_of(linked.rank));
                let roles = others.iter().map(String::as_str).chain(wanted).collect::<BTreeSet<_>>();
                let nick = match linked {
                    Some(linked) => Value::from(linked.name.as_str()),
                    None => self.nicknames.get(&chat).cloned().unwrap_or_default(),
                };
                held == roles && member["nick"] == nick
            });
            if !is_right {
                wrong.push(chat);
            }
        }
        wrong.into_iter().chain(left.into_iter().cloned()).collect()
    }

    fn role_of(&self, rank: i64) -> Option<&str> {
        let at = BOUND_RANKS.iter().position(|bound| *bound == rank)?;
        Some(&self.guild.roles[at])
    }
}
