//! What a signed-in person needs for each call of the API. Pages name the call that they make, so that both
//! need the same; the API checks again (`api/src/server/in_process.rs`), and refuses people every call that
//! is not in this table.

use entities::api_key::Scope;
use http::Method;
use jobs::bulk_sync::UndoSync;
use jobs::kinds::{self, AssignRole, RemoveRole};
use queue::Payload;

use crate::rights::Needs;

/// A call of the API by its method and template.
struct Action {
    call: &'static str,
    needs: Needs,
}

macro_rules! actions {
    ($($who:ident $(($permission:literal))? $call:literal;)*) => {
        &[$(Action { call: $call, needs: Needs::$who $(($permission))? }),*]
    };
}

const ACTIONS: &[Action] = actions! {
    Permission("bindings.write") "POST /bindings/add";
    Permission("bindings.write") "PATCH /bindings/update";
    Permission("bindings.write") "DELETE /bindings/remove/{bindingId}";
    Permission("links.write") "POST /guilds/{guildId}/links/import";
    Permission("links.write") "POST /guilds/{guildId}/links/imports/{importId}/undo";
    Permission("links.write") "PUT /guilds/{guildId}/links/{chatId}";
    Permission("links.write") "POST /guilds/{guildId}/links/{chatId}/swap";
    // Their own, or with `links.write`: the endpoints check it.
    Member "DELETE /guilds/{guildId}/links/{chatId}";
    Member "POST /guilds/{guildId}/link-attempts";
    Member "POST /guilds/{guildId}/link-attempts/{attemptId}/profile";
    Member "POST /guilds/{guildId}/link-attempts/{attemptId}/confirm";
    Member "POST /guilds/{guildId}/link-attempts/{attemptId}/cancel";
    Permission("links.write") "POST /guilds/{guildId}/link-attempts/{attemptId}/approve";
    Permission("links.write") "POST /guilds/{guildId}/link-attempts/{attemptId}/reject";
    // Their own, or with `sync.write`: the endpoint checks it.
    Member "POST /interactions/sync";
    Permission("sync.write") "POST /interactions/sync/all";
    Permission("sync.write") "PATCH /guilds/{guildId}/follow";
    Permission("sync.write") "POST /guilds/{guildId}/follow/resume";
    Permission("roles.write") "POST /interactions/roles/assign";
    Permission("roles.write") "POST /interactions/roles/remove";
    Permission("settings.write") "PATCH /guilds/{guildId}/settings";
    Admin "POST /guilds/{guildId}/keys";
    Admin "POST /guilds/{guildId}/keys/{publicId}/rotate";
    Admin "DELETE /guilds/{guildId}/keys/{publicId}";
    Admin "PUT /guilds/{guildId}/log-channels/{channelId}";
    Admin "DELETE /guilds/{guildId}/log-channels/{channelId}";
    Admin "POST /guilds/{guildId}/webhooks";
    Admin "PATCH /guilds/{guildId}/webhooks/{webhookId}";
    Admin "DELETE /guilds/{guildId}/webhooks/{webhookId}";
    Admin "POST /guilds/{guildId}/webhooks/{webhookId}/rotate";
    Admin "POST /guilds/{guildId}/webhooks/{webhookId}/test";
    Admin "POST /guilds/{guildId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay";
    Permission("moderation.write") "POST /moderation/{guildId}/play/ban";
    Permission("moderation.write") "POST /moderation/{guildId}/play/unban";
    Permission("moderation.write") "POST /moderation/{guildId}/play/mute";
    Permission("moderation.write") "POST /moderation/{guildId}/play/unmute";
    Permission("moderation.write") "POST /moderation/{guildId}/bans/{banId}/mirror";
    Permission("moderation.write") "POST /moderation/{guildId}/bans/import";
    Permission("moderation.write") "POST /moderation/{guildId}/bans/imports/{importId}/undo";
    Permission("shield.write") "POST /shield/import";
    Admin "PUT /guilds/{guildId}/staff/roles/{roleId}";
    Admin "DELETE /guilds/{guildId}/staff/roles/{roleId}";
    Admin "PUT /guilds/{guildId}/staff/members/{chatId}";
    Admin "DELETE /guilds/{guildId}/staff/members/{chatId}";
    Permission("staff.write") "POST /guilds/{guildId}/staff/loa";
    Permission("staff.write") "PATCH /guilds/{guildId}/staff/loa/{loaId}";
    Permission("staff.write") "DELETE /guilds/{guildId}/staff/loa/{loaId}";
    // Their own: the endpoints check it.
    Staff "POST /guilds/{guildId}/staff/leave-requests";
    Staff "PATCH /guilds/{guildId}/staff/leave-requests/{requestId}";
    Staff "POST /guilds/{guildId}/staff/leave-requests/{requestId}/withdraw";
    Permission("staff.write") "POST /guilds/{guildId}/staff/leave-requests/{requestId}/approve";
    Permission("staff.write") "POST /guilds/{guildId}/staff/leave-requests/{requestId}/reject";
    Permission("staff.write") "POST /guilds/{guildId}/staff/strikes";
    Permission("staff.write") "PATCH /guilds/{guildId}/staff/strikes/{strikeId}/update";
    Permission("staff.write") "PATCH /guilds/{guildId}/staff/strikes/{strikeId}";
    Permission("staff.write") "POST /guilds/{guildId}/staff/notes";
    Permission("staff.write") "PATCH /guilds/{guildId}/staff/notes/{noteId}";
    Permission("staff.write") "DELETE /guilds/{guildId}/staff/notes/{noteId}";
    Permission("staff.write") "POST /guilds/{guildId}/staff/quota";
    Permission("staff.write") "PATCH /guilds/{guildId}/staff/quota/{quotaId}";
    Permission("staff.write") "DELETE /guilds/{guildId}/staff/quota/{quotaId}";
    Permission("staff.write") "POST /guilds/{guildId}/staff/quota-pending/{actionId}/approve";
    Permission("staff.write") "POST /guilds/{guildId}/staff/quota-pending/{actionId}/reject";
    Permission("moderation.write") "POST /play/servers/{serverId}/commands";
    Permission("moderation.write") "POST /guilds/{guildId}/servers/commands";
    Permission("tickets.write") "POST /guilds/{guildId}/application-submissions/{submissionId}/create-ticket";
    Permission("tickets.write") "POST /guilds/{guildId}/application-submissions/{submissionId}/accept";
    Permission("tickets.write") "POST /guilds/{guildId}/application-submissions/{submissionId}/refuse";
    Permission("tickets.write") "POST /guilds/{guildId}/application-submissions/{submissionId}/comments";
    // Their own: the endpoint checks it.
    Member "POST /guilds/{guildId}/application-submissions";
    Admin "POST /guilds/{guildId}/application-panels";
    Admin "PATCH /guilds/{guildId}/application-panels/{panelId}";
    Admin "DELETE /guilds/{guildId}/application-panels/{panelId}";
    Admin "POST /guilds/{guildId}/application-panels/{panelId}/publish";
    // And the permission of the job's kind: the endpoints check it.
    Permission("sync.write") "DELETE /jobs/{jobId}";
    Permission("sync.write") "POST /jobs/{jobId}/retry";
    Admin "POST /jobs/{jobId}/undo";
};

impl Needs {
    /// What a page needs if its form makes this call.
    pub const fn of(call: &str) -> Self {
        let mut row = 0;
        while row < ACTIONS.len() {
            if same(ACTIONS[row].call, call) {
                return ACTIONS[row].needs;
            }
            row += 1;
        }
        panic!("no such action")
    }
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// What a person needs for a call; `None`: it is for keys only.
pub fn needs_of(method: &Method, template: &str) -> Option<Needs> {
    let is_it = |action: &&Action| action.call.split_once(' ') == Some((method.as_str(), template));
    ACTIONS.iter().find(is_it).map(|action| action.needs)
}

/// Every call that people can make: method and template.
pub fn calls() -> impl Iterator<Item = (&'static str, &'static str, Needs)> {
    let parts = |action: &'static Action| {
        let (method, template) = action.call.split_once(' ')?;
        Some((method, template, action.needs))
    };
    ACTIONS.iter().filter_map(parts)
}

/// What a person needs to cancel or retry a job: the same as for the call that enqueues its kind. A role by
/// hand was checked for the person who asked; others must give it anew.
pub fn needs_of_job(kind: &str) -> Needs {
    match kinds::scope(kind) {
        _ if [AssignRole::KIND, RemoveRole::KIND, UndoSync::KIND].contains(&kind) => Needs::Admin,
        Scope::Sync => Needs::Permission("sync.write"),
        Scope::Moderation => Needs::Permission("moderation.write"),
        Scope::Shield => Needs::Permission("shield.write"),
        Scope::Staff => Needs::Permission("tickets.write"),
        Scope::Links => Needs::Permission("links.write"),
        Scope::Read | Scope::Play | Scope::Admin => Needs::Admin,
    }
}
