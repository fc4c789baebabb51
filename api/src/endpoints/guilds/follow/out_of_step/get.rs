//! GET /guilds/:guildId/follow/out-of-step (docs/rules.md 5)

use entities::{ChatId, RoleId, follow, synced_member};
use jobs::bulk_sync::OutOfStep;

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct OutOfStepMembers {
    /// How many there are in all.
    #[schema(example = 9)]
    count: u64,
    /// When a sync or a preview last looked at all members; null: none has.
    #[schema(required)]
    looked_at: Option<Seconds>,
    members: Vec<OutOfStepMember>,
    #[schema(required)]
    next_cursor: Option<ChatId>,
}

/// What a sync would change of a member.
#[derive(Serialize, ToSchema)]
pub(crate) struct OutOfStepMember {
    chat_id: ChatId,
    /// When it was found first.
    since: Seconds,
    /// Roles that the member lacks.
    add: Vec<RoleId>,
    /// Roles that the member has without being entitled to.
    remove: Vec<RoleId>,
    /// The nickname to set; null: it is right.
    #[schema(required, example = "[Captain] Ann")]
    nickname: Option<String>,
    /// Why a sync cannot make a part of it; null: it can.
    #[schema(required, example = "role 9: the role is not below the bot's highest role")]
    refused: Option<String>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listOutOfStep", "Members who differ from the bindings, by id")
        .about("As the last sync, preview or pass found them, and syncs of single members since.")
        .paged::<ChatId>()
        .data::<OutOfStepMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<ChatId>()?;
    let (conn, guild, asked) = (call.read(), call.guild(), page.to_fetch());
    let count = synced_member::count_due(conn, guild, None).await?;
    let looked_at = follow::read(conn, guild, call.now()).await?.looked_at.map(Seconds);
    let rows = synced_member::list_due(conn, guild, asked.cursor, asked.limit).await?;
    let members = rows.into_iter().filter_map(member).collect();
    page.reply(
        members,
        |member: &OutOfStepMember| member.chat_id,
        |members, next_cursor| OutOfStepMembers { count, looked_at, members, next_cursor },
    )
}

fn member(row: synced_member::Model) -> Option<OutOfStepMember> {
    let OutOfStep { change, refused } = serde_json::from_value(row.due?).ok()?;
    Some(OutOfStepMember {
        chat_id: row.chat_id,
        since: Seconds(row.due_since?),
        add: change.add,
        remove: change.remove,
        nickname: change.nick,
        refused,
    })
}
