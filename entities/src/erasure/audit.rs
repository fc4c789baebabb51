//! The audit log: entries are chained, so an erased one keeps its place and loses its salt.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, LikeExpr};
use sea_orm::{ActiveValue::Set, ActiveValue::Unchanged, Condition, QueryOrder, QuerySelect};
use serde_json::json;

use crate::audit_entry::{ActiveModel, Column, Entity, Model, Source};
use crate::{AuditId, Conn, Result, Subject};

/// Areas of actions whose target is a person. Targets elsewhere are numbers of other things.
const ABOUT_PERSONS: [&str; 7] =
    ["moderation", "shield", "links", "link_attempts", "roles", "sync", "staff_members"];

/// The entries that name the account, after this one.
pub async fn naming(
    conn: &impl Conn,
    account: Subject,
    after: Option<AuditId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let id = account.to_string();
    let metadata = Expr::cust("CAST(metadata AS text)").like(LikeExpr::new(format!("%{id}%")));
    let named = Condition::any().add(Column::ActorId.eq(number(account)));
    let named = named.add(Column::TargetId.eq(&id)).add(metadata);
    let rows = Entity::find()
        .filter(named)
        .filter(Condition::all().add_option(after.map(|after| Column::AuditId.gt(after))));
    rows.order_by_asc(Column::AuditId).limit(limit).all(conn).await
}

/// Erases the account from an entry; false: it only has the same digits.
pub async fn erase(conn: &impl Conn, row: Model, account: Subject, pseudonym: Subject) -> Result<bool> {
    let Some(change) = erased(row, account, pseudonym) else { return Ok(false) };
    change.update(conn).await?;
    Ok(true)
}

/// What remains of an entry.
pub fn erased(row: Model, account: Subject, pseudonym: Subject) -> Option<ActiveModel> {
    // A moderator without a link acts by the game id.
    let (id, by_id) = (account.to_string(), number(account) == row.actor_id);
    let is_target = row.target_id == id && is_about_person(&row, account);
    let is_said = names(&row.metadata, &id, account.chat().is_some());
    if !(by_id || is_target || is_said) {
        return None;
    }
    let mut change = ActiveModel { audit_id: Unchanged(row.audit_id), salt: Set(None), ..Default::default() };
    if by_id {
        change.actor_id = Set(number(pseudonym));
    }
    if is_target {
        change.target_id = Set(pseudonym.to_string());
    }
    if is_target || is_said {
        change.metadata = Set(json!({ "erased": true }));
    }
    Some(change)
}

fn number(account: Subject) -> i64 {
    match account {
        Subject::Chat(chat) => chat.get(),
        Subject::Play(play) => play.get(),
    }
}

fn is_about_person(row: &Model, account: Subject) -> bool {
    let area = row.action.split('.').next().unwrap_or_default();
    account.chat().is_some() || row.source == Source::Custom || ABOUT_PERSONS.contains(&area)
}

/// Whether a value is the id. Short numbers mean a game account only in fields that say so.
fn names(value: &Json, id: &str, anywhere: bool) -> bool {
    match value {
        Json::Object(fields) => {
            fields.iter().any(|(name, value)| names(value, id, anywhere || says_account(name)))
        }
        Json::Array(items) => items.iter().any(|item| names(item, id, anywhere)),
        Json::Number(number) => anywhere && number.to_string() == id,
        Json::String(text) => anywhere && text == id,
        _ => false,
    }
}

/// Whether the field has an account by its name: `play_id`, `target_id`, `issued_by`.
fn says_account(field: &str) -> bool {
    let words = ["play", "user", "target", "moderator", "staff_id"];
    words.iter().any(|word| field.contains(word)) || field.ends_with("_by")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_id_is_found_in_fields_of_accounts_only() {
        for field in
            ["play_id", "skipped_users", "target_id", "moderator_id", "staff_id", "issued_by", "lifted_by"]
        {
            for said in [json!({ field: 12_345 }), json!({ "before": { field: ["12345"] } })] {
                assert!(names(&said, "12345", false), "{said}");
            }
        }
        for field in ["place_id", "universe_id", "id", "superseded", "kicks", "by"] {
            let said = json!({ field: 12_345 });
            assert!(!names(&said, "12345", false), "{said}");
            assert!(names(&said, "12345", true), "{said}");
        }
    }
}
