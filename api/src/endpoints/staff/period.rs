//! The span of a quota or of the leaderboard: the current day, week or month of the caller's guild, or with `ended=1` the
//! one before (docs/rules.md 6).

use std::borrow::Cow;

use entities::guild::{self, Model};
use entities::period::{self, Span};
use entities::quota::Period;
use serde_json::Value;

use crate::call::Call;
use crate::request::parts::Field;
use crate::response::error::{ApiError, OrNotFound};
use crate::schema::shape::{self, Shape};

/// A switch of a query: `1` or `0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Switch(pub(crate) bool);

impl Field for Switch {
    fn allowed() -> Cow<'static, str> {
        "`1` or `0`".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        match sent.as_str()? {
            "1" | "true" => Some(Self(true)),
            "0" | "false" => Some(Self(false)),
            _ => None,
        }
    }

    fn shape() -> Shape {
        shape::word(&["1", "0", "true", "false"]).default("0")
    }
}

/// The caller's guild.
pub(crate) async fn guild(call: &Call) -> Result<Model, ApiError> {
    guild::find(call.read(), call.guild()).await?.or_not_found("guild")
}

pub(crate) fn span(
    call: &Call,
    guild: &Model,
    period: Period,
    ended: Option<Switch>,
) -> Result<Span, ApiError> {
    let (settings, now) = (guild.settings(), call.now());
    if !ended.is_some_and(|ended| ended.0) {
        return Ok(period::current(period, &settings, now));
    }
    period::ended(period, &settings, now).ok_or_else(|| {
        ApiError::rule("period_never_ends", "`ended` goes with a day, week or month: `all` never ends")
    })
}
