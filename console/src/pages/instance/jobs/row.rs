//! A job as the list and the question before a bulk retry show it.

use std::collections::HashMap;

use entities::job::{Model, Status};
use entities::{GuildId, JobId, Timestamp};

use super::title::title;
use crate::html::format::{When, shortened};

/// Characters of an error's message in a list.
const MESSAGE_MAX: usize = 120;

pub(super) struct Row {
    pub(super) id: JobId,
    pub(super) title: String,
    pub(super) class: &'static str,
    /// Empty: a periodic job, which belongs to no guild.
    pub(super) guild_name: String,
    pub(super) guild_id: Option<GuildId>,
    pub(super) state: Mark,
    pub(super) attempt: String,
    pub(super) created: When,
    pub(super) error: String,
}

/// How a state is marked: the colour's name and the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: &'static str,
    pub(super) word: &'static str,
}

impl Mark {
    pub(super) fn of(status: Status) -> Self {
        let kind = match status {
            Status::Succeeded => "good",
            Status::Failed | Status::Dead => "bad",
            Status::Retrying => "warning",
            Status::Running | Status::Waiting => "info",
            Status::Scheduled | Status::Queued | Status::Cancelled => "quiet",
        };
        Self { kind, word: status.name() }
    }
}

impl Row {
    pub(super) fn new(job: &Model, names: &HashMap<GuildId, String>, now: Timestamp) -> Self {
        Self {
            id: job.job_id,
            title: title(job),
            class: job.class.name(),
            guild_name: job.guild_id.map(|guild| name_of(names, guild)).unwrap_or_default(),
            guild_id: job.guild_id,
            state: Mark::of(job.status(now)),
            attempt: format!("{}/{}", job.attempt, job.max_attempts),
            created: When { at: job.created_at, now },
            error: job.failure().map(|failure| shortened(&failure.message, MESSAGE_MAX)).unwrap_or_default(),
        }
    }
}

pub(super) fn name_of(names: &HashMap<GuildId, String>, guild: GuildId) -> String {
    names.get(&guild).cloned().unwrap_or_else(|| guild.to_string())
}
