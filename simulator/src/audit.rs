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

/// Entries with their guild.
#[derive(Default)]
pub(crate) struct AuditLog(VecDeque<(Box<str>, Value)>);

impl AuditLog {
    pub(crate) fn note(&mut self, route: &Route, input: &Input) {
        if self.0.len() >= ENTRIES_KEPT {
            self.0.pop_front();
        }
        let param = |name| Some(input.param(name)).filter(|text| !text.is_empty());
        let entry = json!({ "route": route.name, "user_id": param("user"), "role_id": param("role"),
                            "reason": input.reason });
        self.0.push_back((input.param("guild").into(), entry));
    }

    pub(crate) fn of(&self, guild: &str) -> Vec<&Value> {
        self.0.iter().filter(|(of, _)| **of == *guild).map(|(_, entry)| entry).collect()
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
