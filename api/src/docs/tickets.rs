//! Interface 4.15; what tickets are made from (docs/rules.md 7).

use serde_json::json;

use super::bindings::role;
use super::lookup::guild;
use super::operation::{Area, get, post};
use super::shape::{Shape, chat_id, free, id, id_sent, list, moment, object, string, text, user};

pub(super) fn area() -> Area {
    let operations = vec![
        post(
            "/guilds/{guildId}/application-submissions/{submissionId}/create-ticket",
            "Open a ticket for a submission",
        )
        .about(
            "One for each submission ever: a second call answers with the same ticket. The applicant, the panel's staff \
             roles and the bot see the channel, and whom its category lets in.",
        )
        .body(object([("guild_id?", guild()), ("panel_id", id_sent(2))]))
        .data(object([("ticket_id", id(6)), ("channel_id", channel())]))
        .says("ticket created")
        .job()
        .refuses(422, &["another_panel", "unknown_category"]),
        get("/guilds/{guildId}/application-panels", "What people may apply for")
            .data(object([("panels", list(panel()))])),
        post("/guilds/{guildId}/application-panels", "Add a panel")
            .body(object([
                ("guild_id?", guild()),
                ("panel_id?", id_sent(2).nullable().about("A number of your own.")),
                ("name", text(100, "Moderator")),
                ("category_id?", channel().nullable().about("Where tickets open.")),
                (
                    "staff_role_ids?",
                    list(role()).nullable().about("Staff roles whose holders see the tickets. Null: all of them."),
                ),
            ]))
            .data(panel())
            .says("panel added")
            .refuses(409, &["panel_exists"])
            .refuses(422, &["unknown_role"]),
        get("/guilds/{guildId}/application-submissions", "What people sent in, newest first")
            .paged(id(17))
            .query("panel_id?", id(2))
            .data(object([("submissions", list(submission())), ("next_cursor", id(17).nullable())])),
        post("/guilds/{guildId}/application-submissions", "Add a submission")
            .body(object([
                ("guild_id?", guild()),
                ("submission_id?", id_sent(17).nullable().about("A number of your own.")),
                ("panel_id", id_sent(2)),
                ("chat_id", user()),
                ("answers?", free(json!({ "why": "I like order" })).nullable().about("At most 32 KiB.")),
            ]))
            .data(submission())
            .says("submission added")
            .refuses(404, &["not_found"])
            .refuses(409, &["submission_exists"]),
    ];
    Area { name: "Tickets", about: "Applications, and a chat channel for each of them.", operations }
}

fn channel() -> Shape {
    chat_id("912345678901239999")
}

fn panel() -> Shape {
    object([
        ("panel_id", id(2)),
        ("name", string("Moderator")),
        ("category_id", channel().nullable()),
        ("staff_role_ids", list(role()).nullable().about("Null: all staff roles.")),
        ("created_at", moment()),
    ])
    .named("Panel")
}

fn submission() -> Shape {
    object([
        ("submission_id", id(17)),
        ("panel_id", id(2)),
        ("chat_id", user()),
        ("answers", free(json!({ "why": "I like order" }))),
        ("created_at", moment()),
    ])
    .named("Submission")
}
