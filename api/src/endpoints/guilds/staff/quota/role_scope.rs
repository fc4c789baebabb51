//! The staff a quota is for: `role:<role_name>`.

use std::borrow::Cow;

use serde_json::Value;

use crate::request::parts::Field;
use crate::request::values::Text;
use crate::schema::shape::{self, Shape};

const PREFIX: &str = "role:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleScope(pub(crate) String);

impl RoleScope {
    pub(crate) fn written(role: &str) -> String {
        format!("{PREFIX}{role}")
    }
}

impl Field for RoleScope {
    fn allowed() -> Cow<'static, str> {
        "`role:<role_name>`, or null for all staff".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let role = sent.as_str()?.strip_prefix(PREFIX)?;
        Text::<1000>::read(&role.into()).map(|text| Self(text.0))
    }

    fn shape() -> Shape {
        shape::matching(r"^role:[\s\S]*\S", "role:Moderator")
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
}
