//! Interface 4.8; who is staff (docs/rules.md 6).

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};
use serde_json::json;

use super::bindings::role;
use super::lookup::guild;
use super::operation::{Area, delete, get, put};
use super::shape::{
    Shape, batch, count, flag, free, id, list, map, moment, moment_sent, object, player, string, text, user,
    word,
};
use super::staff_records::loa;

pub(super) const ACTION_TYPES: [&str; 7] = ["ban", "unban", "mute", "unmute", "warn", "kick", "custom"];

pub(super) fn area() -> Area {
    let mut operations = reading();
    operations.extend(administering());
    Area { name: "Staff", about: "Who is staff, what they may and what they did.", operations }
}

fn reading() -> Vec<super::operation::Op> {
    vec![
        get("/staff/members/{guildId}", "All staff").data(object([("members", list(member()))])),
        get("/staff/permissions/{guildId}/{userId}", "What somebody may do").data(permissions()),
        get("/guilds/{guildId}/staff/profile/{userId}", "Somebody's record").data(profile()),
        get("/staff/activity/{guildId}", "What staff did, newest first")
            .paged(id(31))
            .data(object([("actions", list(action())), ("next_cursor", id(31).nullable())])),
        get("/staff/stats/{guildId}", "Totals of the guild").data(stats()),
        get("/staff/leaderboard/{guildId}", "Staff by score")
            .about("Weights of actions, and a point for each full 10 minutes active.")
            .query("period?", word(&["week", "month", "all"]).default("week"))
            .data(object([("period", word(&["week", "month", "all"])), ("leaderboard", list(row()))])),
        get("/staff/action-types", "All kinds of staff action").data(list(word(&ACTION_TYPES))),
    ]
}

fn administering() -> Vec<super::operation::Op> {
    let chat = batch(word(&CHAT_PERMISSIONS), CHAT_PERMISSIONS.len());
    let play = batch(word(&PLAY_PERMISSIONS), PLAY_PERMISSIONS.len());
    let staff_role = object([
        ("role_id", role()),
        ("role_name", string("Moderator")),
        ("permissions", list(string("moderation.read"))),
        ("play_permissions", list(string("kick"))),
    ]);
    vec![
        put("/guilds/{guildId}/staff/roles/{roleId}", "Make or replace a staff role")
            .body(object([
                ("guild_id?", guild()),
                ("role_name", text(100, "Moderator")),
                ("permissions?", chat.about("On the chat side; none if not given.")),
                ("play_permissions?", play.about("In games; none if not given.")),
            ]))
            .data(staff_role.named("StaffRole"))
            .says("staff role added"),
        delete("/guilds/{guildId}/staff/roles/{roleId}", "Delete a staff role")
            .about("Refused while somebody holds it.")
            .says("staff role deleted")
            .refuses(409, &["role_in_use"]),
        put("/guilds/{guildId}/staff/members/{chatId}", "Make somebody staff, or change their role")
            .body(object([
                ("guild_id?", guild()),
                ("role_id", role()),
                ("joined_at?", moment_sent().nullable().about("Now, for who was not staff before.")),
            ]))
            .data(object([("chat_id", user()), ("role_id", role()), ("joined_at", moment())]))
            .says("staff member added")
            .refuses(422, &["unknown_role"]),
        delete("/guilds/{guildId}/staff/members/{chatId}", "Somebody is staff no longer")
            .about("Ends their open session. What was written about and by them stays.")
            .says("staff member removed"),
    ]
}

fn member() -> Shape {
    object([
        ("chat_id", user()),
        ("play_id", player().nullable().about("Null: not linked.")),
        ("role_id", role()),
        ("role_name", string("Moderator")),
        ("on_duty", flag(true).about("Has an open session.")),
        ("joined_at", moment()),
    ])
    .named("StaffMember")
}

fn permissions() -> Shape {
    object([
        ("user_id", user()),
        ("role_name", string("Moderator")),
        ("permissions", list(string("moderation.read")).about("On the chat side.")),
        ("play_permissions", list(string("kick")).about("In games.")),
    ])
    .named("StaffPermissions")
}

fn profile() -> Shape {
    object([
        ("chat_id", user()),
        ("role_name", string("Moderator")),
        ("joined_at", moment()),
        ("actions_total", count(120)),
        ("sessions_total", count(40)),
        ("minutes_active", count(2400)),
        ("open_loa", loa().nullable().about("The leave under way, or else the next one.")),
        ("active_strikes", count(1)),
    ])
    .named("StaffProfile")
}

fn action() -> Shape {
    object([
        ("id", id(31)),
        ("staff_id", user()),
        ("action_type", word(&ACTION_TYPES)),
        ("target_id", string("4815162342")),
        ("details", free(json!({ "reason": "exploiting" }))),
        (
            "counts",
            flag(true).about("False: waits for approval, or was refused it; then it counts in no total."),
        ),
        ("created_at", moment()),
    ])
    .named("StaffAction")
}

fn stats() -> Shape {
    object([
        ("total_actions", count(1200)),
        ("total_sessions", count(400)),
        ("total_minutes", count(24_000)),
        ("by_type", map(count(300), "ban")),
    ])
    .named("StaffStats")
}

fn row() -> Shape {
    object([
        ("chat_id", user()),
        ("role_name", string("Moderator")),
        ("score", count(120)),
        ("actions", count(31)),
    ])
    .named("LeaderboardRow")
}
