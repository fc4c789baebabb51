//! Interface 4.4 and 4.5; settings (docs/rules.md 8).

use serde_json::json;

use super::bindings::role;
use super::lookup::guild;
use super::operation::{Area, get, patch, post};
use super::shape::{
    Shape, count, flag, free, id, integer, list, map, matching, moment, object, player, string, text, user,
    whole, word,
};

pub(super) fn area() -> Area {
    let operations = vec![
        get("/guilds/{guildId}/roles", "The guild's chat roles")
            .about("As the chat platform has them, highest first.")
            .data(object([("roles", list(guild_role()))]))
            .asks_platform(),
        get("/guilds/{guildId}/members", "Verified members")
            .about("All of them, by chat id; with `limit` or `cursor` one page.")
            .paged_if_asked(user())
            .data(object([
                ("members", list(member())),
                ("total", count(1)),
                ("next_cursor?", user().nullable().about("Only of a page.")),
            ])),
        get("/guilds/{guildId}/verified-users", "Verified members as a plain list").data(list(member())),
        get("/guilds/{guildId}/settings", "The guild's settings").data(settings()),
        patch("/guilds/{guildId}/settings", "Change settings")
            .about("What is not given stays.")
            .body(changes())
            .data(settings())
            .says("settings updated"),
    ];
    Area { name: "Guild", about: "Roles, members and settings.", operations }
}

pub(super) fn audit_logs() -> Area {
    let action = || matching(r"^(?=.{3,100}$)[a-z0-9_]+(\.[a-z0-9_]+)+$", "events.hosted");
    let operations = vec![
        get("/guilds/{guildId}/audit-logs", "What was done, newest first")
            .paged(id(4711))
            .query("action?", action().about("Only entries of this kind."))
            .query(
                "source?",
                source().about("Only what the service wrote itself, or only what clients appended."),
            )
            .data(object([("entries", list(entry())), ("next_cursor", id(4711).nullable())])),
        post("/guilds/{guildId}/audit-logs", "Append an entry of your own")
            .body(object([
                ("guild_id?", guild()),
                ("action", action().about("`<area>.<verb>`")),
                ("metadata?", free(json!({ "event": "training" })).nullable().about("At most 16 KiB.")),
                ("target_id?", text(100, "812345678901234567").nullable()),
            ]))
            .data(object([("id", id(4711))])),
    ];
    Area { name: "Audit log", about: "Every write leaves an entry; others can be added.", operations }
}

fn source() -> Shape {
    word(&["service", "custom"])
}

fn guild_role() -> Shape {
    object([
        ("id", role()),
        ("name", string("Officer")),
        ("color", integer(3_447_003)),
        ("position", integer(4)),
    ])
    .named("GuildRole")
}

fn member() -> Shape {
    object([("play_id", player()), ("chat_id", user()), ("play_username", string("Brickmason"))])
        .named("VerifiedMember")
}

fn entry() -> Shape {
    object([
        ("id", id(4711)),
        ("action", string("bindings.add")),
        ("source", source().about("`custom`: a client appended it, and nothing in it is checked.")),
        ("actor_id", string("812345678901234567").about("Who did it; `0` where the service itself did.")),
        ("target_id", string("17")),
        ("metadata", free(json!({ "after": { "rank": 100 } }))),
        ("created_at", moment()),
        ("key_id", id(3).nullable().about("The key that was used.")),
        ("request_id", string("0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e").nullable()),
    ])
    .named("AuditEntry")
}

fn settings() -> Shape {
    object([
        ("mirror_bans", flag(true).about("Ban the linked chat user too.")),
        ("nickname_template", string("{play_username}").about("Empty: nicknames are left alone.")),
        ("time_zone", string("Europe/Berlin")),
        ("week_start", whole(1, 7, 1).about("1 is Monday.")),
        ("strike_days", whole(1, 3650, 90).about("How long a strike lasts if nothing else is said.")),
        (
            "score_weights",
            map(whole(0, 1000, 5), "ban").about("Points of an action, where not the usual ones."),
        ),
    ])
    .named("Settings")
}

fn changes() -> Shape {
    let template = matching(r"^([^{}\x00-\x1f\x7f-\x9f]|\{play_username\}|\{play_id\})*$", "{play_username}");
    object([
        ("mirror_bans?", flag(true)),
        (
            "nickname_template?",
            template.about("At most 200 characters; `{play_username}` and `{play_id}` stand for themselves."),
        ),
        ("time_zone?", string("Europe/Berlin").about("An IANA name.")),
        ("week_start?", whole(1, 7, 1)),
        ("strike_days?", whole(1, 3650, 90)),
        ("score_weights?", map(whole(0, 1000, 5), "ban").about("By action type.")),
    ])
}
