//! Interface 4.12.

use super::lookup::guild;
use super::operation::{Area, Op, delete, get, patch, post};
use super::shape::{Shape, count, flag, id, list, matching, moment, object, string, text, user, whole, word};
use super::staff::ACTION_TYPES;

pub(super) fn area() -> Area {
    let mut operations = vec![
        get("/guilds/{guildId}/staff/quota", "Quotas, newest first")
            .paged_if_asked(id(3))
            .data(object([("quotas", list(quota())), ("next_cursor", id(3).nullable())])),
        post("/guilds/{guildId}/staff/quota", "Add a quota")
            .body(object([
                ("guild_id?", guild()),
                ("name", text(1000, "Monthly bans")),
                ("metric", metric()),
                ("target", target()),
                ("period", period()),
                ("scope?", scope()),
                (
                    "requires_approval?",
                    flag(false)
                        .about("Such actions count when approved: here, in scores, statistics and totals."),
                ),
            ]))
            .data(object([("id", id(3))]))
            .says("quota added")
            .refuses(422, &["nothing_to_approve"]),
        patch("/guilds/{guildId}/staff/quota/{quotaId}", "Change a quota")
            .about("At least one field; the others stay. `scope` null: all staff.")
            .body(object([
                ("guild_id?", guild()),
                ("name?", text(1000, "Monthly bans")),
                ("metric?", metric()),
                ("target?", target()),
                ("period?", period()),
                ("scope?", scope()),
                ("requires_approval?", flag(true)),
            ]))
            .says("quota updated")
            .refuses(422, &["nothing_to_approve"]),
        delete("/guilds/{guildId}/staff/quota/{quotaId}", "Delete a quota").says("quota deleted"),
        get("/guilds/{guildId}/staff/quota/{quotaId}/progress", "How far staff are, highest first")
            .data(progress()),
    ];
    operations.extend(approvals());
    Area { name: "Quotas", about: "What staff are to reach in a period.", operations }
}

fn approvals() -> Vec<Op> {
    let decided = || pending().example(decided_example());
    vec![
        get("/guilds/{guildId}/staff/quota-pending", "Actions that wait for approval")
            .paged_if_asked(id(31))
            .data(object([("pending", list(pending())), ("next_cursor", id(31).nullable())])),
        post("/guilds/{guildId}/staff/quota-pending/{actionId}/approve", "Let an action count")
            .about("From now on, in quotas, score, statistics and totals.")
            .data(decided())
            .says("action approved")
            .refuses(409, &["already_approved", "already_rejected"]),
        post("/guilds/{guildId}/staff/quota-pending/{actionId}/reject", "Never let an action count")
            .about("Neither in quotas nor in score, statistics and totals.")
            .data(decided())
            .says("action rejected")
            .refuses(409, &["already_approved", "already_rejected"]),
    ]
}

fn metric() -> Shape {
    let [ban, unban, mute, unmute, warn, kick, custom] = ACTION_TYPES;
    word(&[ban, unban, mute, unmute, warn, kick, custom, "minutes", "sessions"])
}

fn target() -> Shape {
    whole(1, 1_000_000_000, 20)
}

fn period() -> Shape {
    word(&["month", "day", "week", "all"]).about("In the guild's time zone.")
}

fn scope() -> Shape {
    matching(r"^role:[\s\S]*\S", "role:Moderator").nullable().about("`role:<role_name>`; null: all staff.")
}

fn quota() -> Shape {
    object([
        ("id", id(3)),
        ("name", string("Monthly bans")),
        ("metric", metric()),
        ("target", target()),
        ("period", period()),
        ("scope", scope()),
        ("requires_approval", flag(false)),
    ])
    .named("Quota")
}

fn progress() -> Shape {
    let row = object([
        ("staff_id", user()),
        ("current", count(14)),
        ("target", target()),
        ("percent", count(70).about("Full percents; may be more than 100.")),
    ]);
    object([
        ("quota_id", id(3)),
        ("period", period()),
        ("since", moment().nullable().about("Null: all time.")),
        ("rows", list(row.named("QuotaProgress"))),
    ])
}

fn pending() -> Shape {
    object([
        ("id", id(31)),
        ("staff_id", user()),
        ("action_type", word(&ACTION_TYPES)),
        ("submitted_at", moment()),
        ("action_id", id(77).about("The entry of the activity list it is about.")),
        ("state", word(&["pending", "approved", "rejected"])),
    ])
    .named("PendingAction")
}

fn decided_example() -> serde_json::Value {
    let mut example = pending().example;
    example["state"] = "approved".into();
    example
}
