//! PUT and DELETE /guilds/:guildId/staff/roles/:roleId (docs/rules.md 6): what staff of a role may do. Quotas for a role
//! follow its name.

use std::borrow::Cow;

use entities::staff_role::{self, CHAT_PERMISSIONS, Model, NewRole, PLAY_PERMISSIONS, Permissions};
use entities::{RoleId, quota, staff_member};
use serde::Serialize;
use serde_json::{Value, json};

use crate::audit;
use crate::call::Call;
use crate::fields::{Field, Text};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct StaffRole {
    role_id: RoleId,
    role_name: String,
    permissions: Permissions,
    play_permissions: Permissions,
}

impl From<&Model> for StaffRole {
    fn from(row: &Model) -> Self {
        Self {
            role_id: row.role_id,
            role_name: row.role_name.clone(),
            permissions: row.permissions.clone(),
            play_permissions: row.play_permissions.clone(),
        }
    }
}

/// The whole role: permissions that are not given are none.
pub(crate) async fn put(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId", &RoleId::allowed())?;
    let new = NewRole {
        role,
        role_name: call.fields.required::<Text<100>>("role_name")?.0,
        permissions: call.fields.optional::<Chat>("permissions")?.unwrap_or_default().0,
        play_permissions: call.fields.optional::<Play>("play_permissions")?.unwrap_or_default().0,
    };
    let transaction = call.begin().await?;
    let before = staff_role::find_for_update(&transaction, call.guild(), role).await?;
    let after = staff_role::upsert(&transaction, call.guild(), new, call.now()).await?;
    let shown = StaffRole::from(&after);
    let changes = match &before {
        None => Some(json!({ "after": shown })),
        Some(before) => audit::changes(&StaffRole::from(before), &shown)?,
    };
    let Some(changes) = changes else {
        return Ok(Reply::data(&shown)?.with_message("nothing to change: the role is like that already"));
    };
    if let Some(before) = before.as_ref().filter(|before| before.role_name != after.role_name) {
        quota::follow_role(&transaction, call.guild(), (&before.role_name, &after.role_name)).await?;
    }
    call.audit(&transaction, "staff_roles.put", role, changes).await?;
    let message = if before.is_some() { "staff role updated" } else { "staff role added" };
    call.commit(transaction, Reply::data(&shown)?.with_message(message)).await
}

/// Refused while members hold it.
pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId", &RoleId::allowed())?;
    let transaction = call.begin().await?;
    // Who becomes a member with this role locks it too: the count stays right until the end.
    let found = staff_role::find_for_update(&transaction, call.guild(), role).await?;
    let before = found.ok_or_else(|| ApiError::not_found("staff role"))?;
    let holders = staff_member::count_with_role(&transaction, call.guild(), role).await?;
    if holders > 0 {
        let message = format!("{holders} staff members hold this role: give them another one first");
        return Err(ApiError::conflict("role_in_use", message));
    }
    staff_role::delete(&transaction, call.guild(), role).await?;
    call.audit(&transaction, "staff_roles.delete", role, json!({ "before": StaffRole::from(&before) }))
        .await?;
    call.commit(transaction, Reply::message("staff role deleted")).await
}

/// Names of chat-side permissions, none twice; there may be none at all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Chat(Vec<String>);

/// The same for permissions in games.
#[derive(Debug, Default, PartialEq, Eq)]
struct Play(Vec<String>);

impl Field for Chat {
    fn allowed() -> Cow<'static, str> {
        allowed(&CHAT_PERMISSIONS)
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, &CHAT_PERMISSIONS).map(Self)
    }
}

impl Field for Play {
    fn allowed() -> Cow<'static, str> {
        allowed(&PLAY_PERMISSIONS)
    }

    fn read(sent: &Value) -> Option<Self> {
        names(sent, &PLAY_PERMISSIONS).map(Self)
    }
}

fn allowed(known: &[&str]) -> Cow<'static, str> {
    format!("an array of different strings out of {}", known.join(", ")).into()
}

fn names(sent: &Value, known: &[&str]) -> Option<Vec<String>> {
    let names: Vec<&str> = sent.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let fits = |(n, name): (usize, &&str)| known.contains(name) && !names[..n].contains(name);
    names.iter().enumerate().all(fits).then(|| names.iter().map(|name| (*name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_known_ones_and_none_twice() {
        assert_eq!(Chat::read(&json!([])), Some(Chat::default()));
        assert_eq!(Chat::read(&json!(["lookup.read", "moderation.write"])).unwrap().0.len(), 2);
        assert_eq!(Play::read(&json!(["kick"])).unwrap().0, ["kick"]);
        for bad in [
            json!("lookup.read"),
            json!(["lookup.read", "lookup.read"]),
            json!([""]),
            json!([1]),
            json!(["kick"]),
        ] {
            assert_eq!(Chat::read(&bad), None, "{bad}");
        }
        assert_eq!(Play::read(&json!(["lookup.read"])), None);
    }
}
