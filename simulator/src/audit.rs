//! The guilds' audit logs: each change with its caller's reason, so that tests can read what owners see.

use std::collections::VecDeque;

use http::HeaderMap;
use serde_json::{Value, json};

use crate::form;
use crate::reply::Reply;
use crate::route::{Input, Route};

/// Maximum entries over all guilds; the oldest are dropped.
const ENTRIES_KEPT: usize = 20_000;
const MAX_REASON: usize = 512;

#[derive(Default)]
pub(crate) struct AuditLog(VecDeque<Entry>);

struct Entry {
    route: &'static str,
    guild: Box<str>,
    user: Box<str>,
    role: Box<str>,
    reason: Option<Box<str>>,
}

impl AuditLog {
    pub(crate) fn note(&mut self, route: &Route, input: &Input) {
        if self.0.len() >= ENTRIES_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Entry {
            route: route.name,
            guild: input.param("guild").into(),
            user: input.param("user").into(),
            role: input.param("role").into(),
            reason: input.reason.as_deref().map(Box::from),
        });
    }

    pub(crate) fn of(&self, guild: &str) -> Vec<Value> {
        let entry = |entry: &Entry| {
            let some = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
            json!({ "route": entry.route, "user_id": some(&entry.user), "role_id": some(&entry.role),
                    "reason": entry.reason })
        };
        self.0.iter().filter(|entry| *entry.guild == *guild).map(entry).collect()
    }
}

/// The header's text, which is percent-encoded.
pub(crate) fn reason(headers: &HeaderMap) -> Option<String> {
    let header = headers.get("x-audit-log-reason")?;
    let reason = percent_encoding::percent_decode(header.as_bytes()).decode_utf8_lossy().into_owned();
    Some(reason).filter(|reason| !reason.is_empty())
}

pub(crate) fn check_reason(input: &Input) -> Result<(), Reply> {
    match &input.reason {
        Some(reason) if reason.chars().count() > MAX_REASON => {
            Err(form::invalid("reason", form::too_long(MAX_REASON)))
        }
        _ => Ok(()),
    }
}
