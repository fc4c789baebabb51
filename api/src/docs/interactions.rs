//! Interface 4.3.

use super::bindings::role;
use super::lookup::guild;
use super::operation::{Area, post};
use super::shape::{Shape, count, flag, list, object, string, user, uuid, whole};

pub(super) fn area() -> Area {
    let by_hand = || object([("guild_id?", guild()), ("user_id", user()), ("role_id", role())]);
    let operations = vec![
        post("/interactions/sync", "Bring one member's roles and nickname in line")
            .about("Roles outside the guild's bindings are never touched.")
            .body(object([("guild_id?", guild()), ("user_id", user())]))
            .data(synced())
            .job()
            .refuses(404, &["not_linked", "not_a_member"]),
        post("/interactions/sync/all", "Bring all verified members in line")
            .about("One run per hour and guild, whichever key asks, and six dry runs. A refused call does not count, and a run that ends before its first change gives its hour back; 429 names the job that used it. The work is a job; ask at `/jobs/{jobId}`.")
            .body(object([
                ("guild_id?", guild()),
                ("dry_run?", flag(false).about("Count what would change, and change nothing.")),
                ("max_removals?", whole(0, i32::MAX.into(), 50).nullable().about(
                    "A brake: where more roles would be removed, the job stops before its first write.",
                )),
            ]))
            .data(object([
                ("queued", flag(true)),
                ("members", count(5000).about("Verified members of the guild.")),
                ("job_id", uuid()),
            ]))
            .says("sync of all members queued")
            .asks_platform()
            .refuses(503, &["platform_not_configured", "guild_not_reached", "platform_unavailable"]),
        post("/interactions/roles/assign", "Give a role to a member")
            .body(by_hand())
            .says("role assigned")
            .job()
            .refuses(404, &["not_a_member"]),
        post("/interactions/roles/remove", "Take a role from a member")
            .body(by_hand())
            .says("role removed")
            .job()
            .refuses(404, &["not_a_member"]),
    ];
    Area {
        name: "Sync and roles",
        about: "Chat roles and nicknames after game ranks, and by hand.",
        operations,
    }
}

fn synced() -> Shape {
    let failed = object([
        ("role_id", role()),
        ("error", string("role_above_bot")),
        ("reason", string("the role stands above the bot's highest role")),
    ]);
    object([
        ("added_roles", list(role())),
        ("removed_roles", list(role())),
        ("nickname_updated", flag(true)),
        ("failed_roles", list(failed).about("Roles the bot could not give or take.")),
        ("nickname_error?", string("the member stands above the bot").about("Why the nickname stayed.")),
    ])
    .named("SyncResult")
}
