//! The rules of a guild for the jobs that sync its members (docs/rules.md 5), and what their audit entries say of a change.

use entities::{GroupId, GuildId, guild};
use jobs::bulk_sync::PlannedChange;
use jobs::sync_rules;
use platforms::{Change, GuildRules, Reasons};
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Map, Value, json};

pub(crate) async fn load<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<GuildRules, DbErr> {
    match guild::find(conn, guild).await? {
        Some(guild) => sync_rules::of(conn, &guild).await,
        None => Ok(GuildRules::default()),
    }
}

pub(crate) fn change(planned: &PlannedChange) -> Change {
    let PlannedChange { add, remove, nick, .. } = planned.clone();
    Change { add, remove, nick }
}

pub(crate) fn reasons(planned: &PlannedChange) -> Reasons {
    let PlannedChange { ranks, ranks_before, bindings, nick_binding, .. } = planned.clone();
    Reasons { ranks, ranks_before, bindings, nickname: nick_binding }
}

/// Why these changes were made: ranks by group, now and before, and bindings by role.
pub(crate) fn told(reasons: &Reasons, done: &Change) -> Map<String, Value> {
    // Rank 0 means "not in the group".
    let or_none = |ranks: &Vec<i16>| if ranks.is_empty() { json!([0]) } else { json!(ranks) };
    let rank = |(group, ranks): (&GroupId, &Vec<i16>)| {
        let mut rank = json!({ "group_id": group, "ranks": or_none(ranks) });
        if let Some(before) = reasons.ranks_before.get(group) {
            rank["ranks_before"] = or_none(before);
        }
        rank
    };
    let changed = done.roles();
    let bindings = reasons.bindings.iter().filter(|(role, _)| changed.contains(role));
    let bindings = bindings.map(|(role, ids)| json!({ "role_id": role, "binding_ids": ids }));
    let mut told = Map::from_iter([
        ("ranks".to_owned(), reasons.ranks.iter().map(rank).collect()),
        ("bindings".to_owned(), bindings.collect()),
    ]);
    if let Some(binding) = reasons.nickname.filter(|_| done.nick.is_some()) {
        told.insert("nickname_binding_id".to_owned(), json!(binding));
    }
    told
}
