//! Interface 4.13, 4.14 and 4.16.

use serde_json::json;

use super::lookup::guild;
use super::operation::{Area, Op, get, post, reason};
use super::shape::{
    Shape, any_of, count, flag, free, id, id_sent, list, matching, moment, object, place, player,
    player_sent, string, text, user, uuid, whole, word,
};
use super::staff::ACTION_TYPES;

pub(super) fn activity() -> Area {
    let permissions = || list(string("kick")).about("In games.");
    let standing = || {
        [
            ("is_staff", flag(true)),
            ("chat_id", user().nullable().about("Null: not staff.")),
            ("role_name", string("Moderator").nullable()),
            ("permissions", permissions()),
        ]
    };
    let mut operations = vec![
        post("/staff/play/verify", "Is a player staff?")
            .body(object([("guild_id?", guild()), ("play_id", player_sent())]))
            .data(object(standing())),
        get("/guilds/{guildId}/staff/play/{playId}/permissions", "What a player may do")
            .data(object([("play_id", player())].into_iter().chain(standing()))),
        post("/play/games/register", "Register a game")
            .about("Once per universe; a repeat changes nothing.")
            .body(object([
                ("guild_id?", guild()),
                ("place_id", place_sent()),
                ("universe_id", id_sent(302_110)),
                ("name", text(200, "Brick City")),
            ]))
            .data(object([("registered", flag(true)), ("already_registered", flag(false))]))
            .says("game registered"),
    ];
    operations.extend(sessions());
    Area { name: "Game activity", about: "What game servers ask and tell about staff.", operations }
}

fn sessions() -> Vec<Op> {
    let session = || text(100, "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e");
    vec![
        post("/staff/play/session/start", "A staff member joined a game server")
            .about("Ends the session they had open, at its last heartbeat.")
            .body(object([
                ("guild_id?", guild()),
                ("play_id", player_sent()),
                ("place_id", place_sent()),
                ("server_id", server()),
            ]))
            .data(object([("session_id", uuid()), ("started_at", moment())]))
            .refuses(404, &["not_found"]),
        post("/staff/play/session/end", "A staff member left")
            .body(object([("guild_id?", guild()), ("session_id", session())]))
            .data(object([("session_id", uuid()), ("duration_seconds", count(3600))]))
            .refuses(404, &["not_found"])
            .refuses(409, &["session_ended"]),
        post("/staff/play/heartbeat", "A staff member is still there")
            .about("Every 30 seconds; after 120 seconds of silence the session is over.")
            .body(object([("guild_id?", guild()), ("session_id", session())]))
            .data(object([("alive", flag(true).about("False: the session has ended; start a new one."))]))
            .refuses(404, &["not_found"]),
        post("/staff/play/action", "A staff member did something")
            .body(object([
                ("guild_id?", guild()),
                ("session_id", session()),
                ("action_type", word(&ACTION_TYPES)),
                ("target_id", target()),
                ("details?", free(json!({ "reason": "spawn camping" })).nullable().about("At most 16 KiB.")),
            ]))
            .data(object([("id", id(31)), ("pending", flag(false).about("Waits for a quota's approval."))]))
            .refuses(404, &["not_found"])
            .refuses(409, &["session_ended"]),
    ]
}

pub(super) fn servers() -> Area {
    let operations = vec![
        post("/play/servers/heartbeat", "A game server is there")
            .about("The first one makes the server known; after 90 seconds of silence it is offline.")
            .body(object([
                ("guild_id?", guild()),
                ("server_id", server()),
                ("place_id", any_of([place_sent(), in_studio()])),
                ("universe_id", any_of([id_sent(302_110), in_studio()])),
                ("player_count", whole(0, 100_000, 12)),
            ]))
            .data(object([("ok", flag(true))])),
        get("/play/servers/{serverId}/commands", "Commands that wait for a server")
            .about("Oldest first, each until it is acknowledged or 10 minutes old.")
            .data(object([("commands", list(command(Vec::new()).named("Command")))])),
        post("/play/servers/{serverId}/commands/{commandId}/ack", "A command was applied")
            .about("Acknowledging twice is fine.")
            .body(object([
                ("guild_id?", guild()),
                ("status", word(&["ok", "error"])),
                ("message?", text(1000, "the player had left").nullable()),
            ]))
            .data(object([("acked", flag(true))]))
            .says("command acknowledged"),
        post("/play/servers/{serverId}/commands", "Queue a command for a server")
            .body(object(commanding()))
            .data(command(vec![("server_id", server())]))
            .says("command queued"),
        post("/guilds/{guildId}/servers/commands", "Queue a command for every live server")
            .body(object(commanding().into_iter().chain([("place_id?", place_sent().nullable())])))
            .data(object([
                ("queued", count(1)),
                ("commands", list(object([("id", uuid()), ("server_id", server())]))),
            ]))
            .says("command queued for 1 live servers"),
        get("/guilds/{guildId}/servers", "Game servers, by id")
            .paged(server())
            .query("live?", flag(true))
            .query("place_id?", place())
            .data(object([
                ("servers", list(shown())),
                ("next_cursor", string("f3b1c2d4-server-7").nullable()),
            ])),
    ];
    Area { name: "Server manager", about: "Commands for game servers, and which there are.", operations }
}

pub(super) fn live() -> Area {
    let operations = vec![
        get("/ws/guilds/{guildId}/play", "Live frames for a game server")
            .about(
                "A WebSocket. First the commands that wait for the server, then frames `{\"type\": …, \"data\": {…}}` \
                 as things happen: `moderation.ban`, `moderation.unban`, `moderation.mute`, `moderation.unmute` \
                 (`identifier`, `reason`) and `command` (as a poll answers it). Closed with 1008 when the key is \
                 revoked, with 1013 when the client reads too slowly.",
            )
            .query("placeId", any_of([place(), in_studio()]))
            .query("serverId", server())
            .query("universeId", any_of([id(302_110), in_studio()]))
            .upgrades(),
    ];
    Area { name: "Live channel", about: "For game servers that may open sockets.", operations }
}

fn place_sent() -> Shape {
    id_sent(920_587_237)
}

/// What stands for a place or a universe there.
fn in_studio() -> Shape {
    whole(0, 0, 0)
}

fn server() -> Shape {
    string("f3b1c2d4-server-7").about("At most 200 characters; empty in the studio.")
}

fn target() -> Shape {
    any_of([text(200, "4815162342"), id(4_815_162_342)])
}

fn commanding() -> Vec<(&'static str, Shape)> {
    vec![
        ("guild_id?", guild()),
        ("type", matching("^[A-Za-z0-9_.-]{1,50}$", "kick")),
        ("target_id", target()),
        ("reason?", reason().nullable()),
    ]
}

fn command(more: Vec<(&'static str, Shape)>) -> Shape {
    let fields = vec![
        ("id", uuid()),
        ("type", string("kick")),
        ("target_id", string("4815162342")),
        ("reason", string("exploiting")),
        ("issued_at", moment()),
    ];
    object(fields.into_iter().chain(more))
}

fn shown() -> Shape {
    object([
        ("server_id", server()),
        ("place_id", any_of([place(), in_studio()])),
        ("universe_id", any_of([id(302_110), in_studio()])),
        ("player_count", count(12)),
        ("live", flag(true).about("Heard of within the last 90 seconds.")),
        ("first_seen_at", moment()),
        ("last_heartbeat_at", moment()),
    ])
    .named("Server")
}
