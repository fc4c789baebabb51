//! Interface 4.1.

use super::operation::{Area, get, post};
use super::shape::{Shape, batch, flag, list, moment, object, player, player_sent, string, user};
use crate::lookup::BATCH_MAX;

pub(super) fn area() -> Area {
    let link = object([
        ("chat_id", user()),
        ("play_id", player()),
        ("play_username", string("Brickmason")),
        ("verified_at", moment()),
    ]);
    let link = link.named("LinkRecord");
    let operations = vec![
        get("/lookup/chat/{chatId}", "The game account of a chat user")
            .guild_header()
            .data(link.clone())
            .refuses(404, &["not_linked"]),
        get("/lookup/play/{playId}", "The chat user of a game account")
            .guild_header()
            .data(link)
            .refuses(404, &["not_linked"]),
        post("/lookup/status", "Which of up to 200 users are linked")
            .about("By `chat_ids` or by `play_ids`, one of both. One result for each id asked for, in that order.")
            .body(object([
                ("guild_id?", guild()),
                ("chat_ids?", batch(user(), BATCH_MAX)),
                ("play_ids?", batch(player_sent(), BATCH_MAX)),
            ]).example(serde_json::json!({ "guild_id": "712345678901234567", "chat_ids": ["812345678901234567"] })))
            .data(object([("results", list(status()))])),
        post("/reverse", "The chat users of up to 200 game users")
            .about("In the order asked for; who is not linked is left out.")
            .body(object([("guild_id?", guild()), ("play_ids", batch(player_sent(), BATCH_MAX))]))
            .data(object([("results", list(found()))])),
    ];
    Area { name: "Lookup", about: "Who is linked with whom.", operations }
}

fn status() -> Shape {
    object([
        ("chat_id?", user().about("Absent where a game user was asked for who is not linked.")),
        ("verified", flag(true)),
        ("play_id?", player().about("Present where `verified` is true.")),
        ("requested?", player().about("The game id that was asked for, of a request by `play_ids`.")),
    ])
    .named("BatchStatus")
}

fn found() -> Shape {
    object([("play_id", player()), ("chat_id", user()), ("play_username", string("Brickmason"))])
        .named("VerifiedMember")
}

/// `guild_id` of a body.
pub(super) fn guild() -> Shape {
    super::shape::chat_id("712345678901234567").about("The key's guild.")
}
