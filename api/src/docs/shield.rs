//! Interface 4.7.

use super::lookup::guild;
use super::operation::{Area, get, post, reason};
use super::shape::{Shape, batch, count, flag, list, matching, moment, object, player_sent, string, user};
use crate::lookup::BATCH_MAX;
use crate::shield::USERS_MAX;

pub(super) fn area() -> Area {
    let operations = vec![
        get("/shield/check/{playId}", "Is a game user flagged?")
            .data(object([("flagged", flag(true)), ("flag?", flagged())]))
            .says("the user is flagged"),
        post("/shield/batch", "Who of up to 200 game users is flagged?")
            .about("In the order asked for; who is clean is left out.")
            .body(object([("guild_id?", guild()), ("play_ids", batch(player_sent(), BATCH_MAX))]))
            .data(object([("flagged", list(item()))])),
        post("/shield/import", "Flag many users")
            .about("For guilds on the Shield allowlist alone. Who is flagged already is skipped.")
            .body(object([
                ("guild_id?", guild()),
                ("users", batch(object([("play_id", player_sent()), ("reason", reason())]), USERS_MAX)),
            ]))
            .data(object([("imported", count(12)), ("skipped", count(1))]))
            .job()
            .refuses(403, &["not_on_allowlist"]),
    ];
    Area { name: "Shield", about: "Game users flagged for all guilds.", operations }
}

/// A string in answers, an integer in requests (docs/rules.md 8).
fn player() -> Shape {
    matching("^[1-9][0-9]{0,18}$", "4815162342")
}

fn item() -> Shape {
    object([
        ("play_id", player()),
        ("play_username", string("Griefer99")),
        ("reason", string("exploiting")),
        ("source", string("manual")),
    ])
    .named("ShieldItem")
}

fn flagged() -> Shape {
    object([
        ("play_id", player()),
        ("play_username", string("Griefer99")),
        ("reason", string("exploiting")),
        ("flagged_by", user()),
        ("source", string("manual")),
        ("flagged_at", moment()),
    ])
    .named("ShieldFlag")
}
