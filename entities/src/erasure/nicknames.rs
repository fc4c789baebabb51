//! Names of a game account in entries about syncs. Such an entry is about the member who was linked to the account, and has
//! nicknames without the account's id.

use std::collections::BTreeSet;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ActiveValue::Set, ActiveValue::Unchanged, Condition, QueryOrder, QuerySelect};
use serde_json::json;

use crate::audit_entry::{ActiveModel, Column, Entity, MEMBER_SYNCED, Model};
use crate::link_history::{OF_LINKS, game_account};
use crate::{AuditId, Conn, GuildId, PlayId, Result, link};

/// A member of a guild, as target of an entry.
pub type Member = (GuildId, String);

/// Who is or was linked to the game account, as far as the log goes back.
pub async fn members(conn: &impl Conn, play: PlayId) -> Result<BTreeSet<Member>> {
    let linked = link::of_play(conn, play).await?;
    let mut members: BTreeSet<Member> =
        linked.iter().map(|link| (link.guild_id, link.chat_id.to_string())).collect();
    let id = play.to_string();
    let rows: Vec<Member> = Entity::find()
        .select_only()
        .column(Column::GuildId)
        .column(Column::TargetId)
        .distinct()
        .filter(Expr::cust(OF_LINKS))
        .filter(Condition::any().add(game_account("before").eq(id.clone())).add(game_account("after").eq(id)))
        .into_tuple()
        .all(conn)
        .await?;
    members.extend(rows);
    Ok(members)
}

/// The entries about syncs of the member, after this one.
pub async fn syncs(
    conn: &impl Conn,
    (guild, user): &Member,
    after: Option<AuditId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::GuildId.eq(*guild))
        .filter(Column::TargetId.eq(user.as_str()))
        .filter(Column::Action.eq(MEMBER_SYNCED))
        .filter(Condition::all().add_option(after.map(|after| Column::AuditId.gt(after))));
    rows.order_by_asc(Column::AuditId).limit(limit).all(conn).await
}

/// Takes the nicknames out of an entry; false: it has none.
pub async fn erase(conn: &impl Conn, mut row: Model) -> Result<bool> {
    if !take(&mut row.metadata) {
        return Ok(false);
    }
    row.metadata["erased"] = json!(true);
    let change = ActiveModel {
        audit_id: Unchanged(row.audit_id),
        salt: Set(None),
        metadata: Set(row.metadata),
        ..Default::default()
    };
    change.update(conn).await?;
    Ok(true)
}

/// Takes the nicknames out of what an entry says; false: there is none.
pub fn take(said: &mut Json) -> bool {
    let Json::Object(fields) = said else { return false };
    let mut taken = false;
    fields.retain(|name, value| {
        let goes = matches!(name.as_str(), "nickname" | "nickname_before") && *value != Json::Null;
        taken |= goes || take(value);
        !goes
    });
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_and_roles_stay() {
        let mut of_member = json!({ "before": { "roles": ["1"], "nickname": "Builder" }, "cause": "undo",
                                    "after": { "roles": ["2"], "nickname": null }, "nickname_binding_id": 5 });
        assert!(take(&mut of_member));
        assert_eq!(
            of_member,
            json!({ "before": { "roles": ["1"] }, "cause": "undo",
                    "after": { "roles": ["2"], "nickname": null }, "nickname_binding_id": 5 })
        );
        assert!(!take(&mut of_member));
        let mut of_chunk = json!({ "added_roles": ["1"], "nickname": "Builder", "nickname_before": "" });
        assert!(take(&mut of_chunk));
        assert_eq!(of_chunk, json!({ "added_roles": ["1"] }));
    }
}
