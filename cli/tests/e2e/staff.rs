//! Staff (docs/rules.md 6). The fixture's first member is Admin, the next three are Moderators.

mod activity;
mod by_role;
mod leave;
mod lists;
mod members;
mod notes;
mod quota;
mod roles;
mod strikes;

use std::time::SystemTime;

use serde_json::{Value, json};

use testkit::{Answer, Api, Deployment, Guild, Member, go_on_duty};

fn now() -> chrono::DateTime<chrono::Utc> {
    SystemTime::now().into()
}

/// `/guilds/:guildId/staff/<rest>` of the first guild.
fn path(deployment: &Deployment, rest: &str) -> String {
    format!("/guilds/{}/staff/{rest}", deployment.guild().id)
}

/// The second guild's own API and the path in it.
fn theirs(deployment: &Deployment, rest: &str) -> (Api, String) {
    let other = deployment.other_guild();
    (deployment.api().key(&other.admin_key), format!("/guilds/{}/staff/{rest}", other.id))
}

/// A linked member who is not staff.
fn outsider(guild: &Guild) -> &Member {
    &guild.members[9]
}

/// Records these actions in a session of the staff member and returns their ids.
async fn act(api: &Api, member: &Member, types: &[&str]) -> Vec<i64> {
    let session = go_on_duty(api, member).await;
    let mut ids = Vec::new();
    for action_type in types {
        let action = json!({ "session_id": session, "action_type": action_type, "target_id": "20000001" });
        ids.push(api.post("/staff/play/action", action).await.ok()["id"].as_i64().unwrap());
    }
    api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    ids
}

/// Asserts that the list in `data[field]` has exactly one item with this id, and returns it.
#[track_caller]
fn item<'a>(data: &'a Value, field: &str, id: &Value) -> &'a Value {
    let items = data[field].as_array().unwrap_or_else(|| panic!("no {field} in {data}"));
    let found: Vec<_> = items.iter().filter(|item| item["id"] == *id).collect();
    assert_eq!(found.len(), 1, "{id} in {data}");
    found[0]
}

/// Asserts that both answers are the same 404: an id of another guild is answered as an unknown one.
#[track_caller]
fn same_404(unknown: Answer, foreign: Answer) {
    let (unknown, foreign) = (unknown.refused(404, &[]), foreign.refused(404, &[]));
    assert_eq!(unknown.without_request_id(), foreign.without_request_id());
}

/// Sends the body once with each of these values; each answer must be a 400 that names the field.
async fn refuse_each(api: &Api, (method, path): (&str, &str), good: &Value, bad: &[(&str, Value)]) {
    for (field, value) in bad {
        let mut body = good.clone();
        if value == "absent" {
            body.as_object_mut().unwrap().remove(*field);
        } else {
            body[*field] = value.clone();
        }
        let answer = api.send(method.parse().unwrap(), path, Some(body)).await;
        answer.refused(400, &[&format!("`{field}`")]);
    }
}
