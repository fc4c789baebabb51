//! `/guilds/:guildId/staff/quota` (docs/rules.md 6): what staff are to reach in a period, and how far they are.

mod change;
mod create;
mod list;
mod progress;
mod remove;

use std::borrow::Cow;

pub(crate) use change::change;
pub(crate) use create::create;
use entities::QuotaId;
use entities::quota::{Metric, Model, Period};
pub(crate) use list::list;
pub(crate) use progress::progress;
pub(crate) use remove::remove;
use serde::Serialize;
use serde_json::Value;

use crate::fields::{Field, Text, Whole};
use crate::http::error::ApiError;

type Target = Whole<1, 1_000_000_000>;

const SCOPE_PREFIX: &str = "role:";

#[derive(Serialize)]
struct Quota {
    id: QuotaId,
    name: String,
    metric: Metric,
    target: i64,
    period: Period,
    /// Null: all staff.
    scope: Option<String>,
    requires_approval: bool,
}

impl From<&Model> for Quota {
    fn from(row: &Model) -> Self {
        Self {
            id: row.quota_id,
            name: row.name.clone(),
            metric: row.metric,
            target: row.target,
            period: row.period,
            scope: row.scope_role.as_ref().map(|role| format!("{SCOPE_PREFIX}{role}")),
            requires_approval: row.requires_approval,
        }
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("quota")
}

/// Actions alone can wait for approval.
fn check_approval(metric: Metric, requires_approval: bool) -> Result<(), ApiError> {
    if !requires_approval || metric.action_type().is_some() {
        return Ok(());
    }
    let message =
        "`requires_approval` goes with an action type as `metric`: minutes and sessions are not approved";
    Err(ApiError::rule("nothing_to_approve", message))
}

/// `role:<role_name>`: the staff a quota is for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RoleScope(String);

impl Field for RoleScope {
    fn allowed() -> Cow<'static, str> {
        "`role:<role_name>`, or null for all staff".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let role = sent.as_str()?.strip_prefix(SCOPE_PREFIX)?;
        Text::<1000>::read(&role.into()).map(|text| Self(text.0))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_scope_names_a_role() {
        let role = |sent: Value| RoleScope::read(&sent).map(|scope| scope.0);
        assert_eq!(role(json!("role:Moderator")).as_deref(), Some("Moderator"));
        assert_eq!(role(json!("role:Night: shift")).as_deref(), Some("Night: shift"));
        for bad in [json!("Moderator"), json!("role:"), json!("role: "), json!("Role:x"), json!(1)] {
            assert_eq!(role(bad.clone()), None, "{bad}");
        }
    }

    #[test]
    fn only_actions_are_approved() {
        assert!(check_approval(Metric::Ban, true).is_ok());
        assert!(check_approval(Metric::Minutes, false).is_ok());
        assert!(check_approval(Metric::Minutes, true).is_err());
        assert!(check_approval(Metric::Sessions, true).is_err());
    }
}
