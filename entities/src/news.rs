//! Kinds of news for log channels (docs/rules.md 15), and the entries of the audit log that each is made of.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::audit_entry::{Model, Source};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum News {
    Moderation,
    Links,
    Sync,
    Staff,
    Tickets,
    Failures,
}

/// Areas of actions, or actions, each once.
const ACTIONS: [(News, &[&str]); 6] = [
    (
        News::Moderation,
        &[
            "commands.queue",
            "commands.queue_all",
            "moderation",
            "shield.flag",
            "shield.import",
            "shield.lift",
        ],
    ),
    (
        News::Links,
        &[
            "accounts",
            "link_attempts.approve",
            "link_attempts.hold",
            "link_attempts.refuse",
            "link_attempts.reject",
            "links",
        ],
    ),
    (
        News::Sync,
        &[
            "bindings",
            FAMILY_ENDED,
            "roles.assign",
            "roles.remove",
            "sync.all_requested",
            "sync.follow_continued",
            "sync.follow_updated",
            "sync.undone",
        ],
    ),
    (
        News::Staff,
        &[
            "keys",
            "loa",
            "log_channels.delete",
            "log_channels.put",
            "notes",
            "quotas",
            "settings",
            "staff_members",
            "staff_roles",
            "strikes",
            "webhooks.add",
            "webhooks.remove",
            "webhooks.update",
        ],
    ),
    (
        News::Tickets,
        &[
            "application_panels.add",
            "application_panels.publish",
            "application_panels.remove",
            "application_panels.update",
            "application_submissions",
            "ticket.create",
        ],
    ),
    (
        News::Failures,
        &[
            "job.failed",
            "jobs.pause",
            "jobs.resume",
            "log_channels.refused",
            "sync.follow_stopped",
            "webhooks.gone",
        ],
    ),
];

/// The end of a bulk job, which is a failure if it did not succeed.
const FAMILY_ENDED: &str = "job.finished";

impl News {
    pub const ALL: [Self; 6] =
        [Self::Moderation, Self::Links, Self::Sync, Self::Staff, Self::Tickets, Self::Failures];

    pub fn word(self) -> &'static str {
        match self {
            Self::Moderation => "moderation",
            Self::Links => "links",
            Self::Sync => "sync",
            Self::Staff => "staff",
            Self::Tickets => "tickets",
            Self::Failures => "failures",
        }
    }

    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|news| news.word() == word)
    }

    /// `None`: the entry is no news.
    pub fn of(entry: &Model) -> Option<Self> {
        if entry.source == Source::Custom {
            return None;
        }
        let failed = entry.metadata["state"] == "failed" || entry.metadata["state"] == "dead";
        if entry.action == FAMILY_ENDED && failed {
            return Some(Self::Failures);
        }
        Self::of_action(&entry.action)
    }

    fn of_action(action: &str) -> Option<Self> {
        let area = action.split('.').next();
        let made = |words: &[&str]| words.iter().any(|word| *word == action || Some(*word) == area);
        ACTIONS.into_iter().find(|(_, words)| made(words)).map(|(news, _)| news)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::audit_action;

    /// Steps of something whose end is news, what happens every minute, and what nobody decides.
    const NO_NEWS: [&str; 30] = [
        "actions.add",
        "application_panels.publish_requested",
        "commands.acknowledge",
        "commands.expire",
        "console.link",
        "console.session_ended",
        "console.sign_in",
        "games.register",
        "games.trust",
        "games.untrust",
        "guilds.add",
        "guilds.seed",
        "jobs.cancel",
        "jobs.retry",
        "link_attempts.begin",
        "link_attempts.cancel",
        "roles.assign_requested",
        "roles.remove_requested",
        "sessions.end",
        "sessions.expire",
        "sessions.start",
        "shield.allow",
        "shield.disallow",
        "shield.import_requested",
        "sync.member",
        "sync.requested",
        "ticket.create_requested",
        "webhooks.replay",
        "webhooks.rotate",
        "webhooks.test",
    ];

    #[test]
    fn every_action_is_news_of_one_kind_or_none_on_purpose() {
        let none: Vec<_> =
            audit_action::ALL.into_iter().filter(|action| News::of_action(action).is_none()).collect();
        assert_eq!(none, NO_NEWS);
        for action in audit_action::ALL {
            let area = action.split('.').next().unwrap();
            let words = ACTIONS.iter().flat_map(|(_, words)| words.iter());
            assert!(words.filter(|word| **word == action || **word == area).count() <= 1, "{action}");
        }
        for (news, words) in ACTIONS {
            for word in words {
                let known = |action: &&str| action == word || action.split('.').next() == Some(word);
                assert!(audit_action::ALL.iter().any(known), "{news:?}: {word}");
            }
        }
    }

    #[test]
    fn the_rules_have_the_same_table() {
        let rules = include_str!("../../docs/rules.md");
        let (_, section) = rules.split_once("## 15. Log channels").unwrap();
        let row = |line: &str| {
            let mut words = line.split('`').skip(1).step_by(2).map(str::to_owned);
            Some((words.next()?, words.collect::<Vec<_>>()))
        };
        let rows = section.lines().filter(|line| line.starts_with("  | `"));
        let table: BTreeMap<String, Vec<String>> = rows.filter_map(row).collect();
        let expected = ACTIONS.map(|(news, words)| {
            (news.word().to_owned(), words.iter().map(|word| (*word).to_owned()).collect())
        });
        assert_eq!(table, BTreeMap::from(expected));
    }

    #[test]
    fn words_are_those_of_the_json() {
        for news in News::ALL {
            assert_eq!(serde_json::to_value(news).unwrap(), news.word());
            assert_eq!(News::named(news.word()), Some(news));
        }
    }
}
