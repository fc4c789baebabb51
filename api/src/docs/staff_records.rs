//! Interface 4.9 to 4.11: leave, strikes and notes.

use super::lookup::guild;
use super::operation::{Area, Op, delete, get, patch, post};
use super::shape::{
    Shape, chat_id, count, flag, id, list, moment, moment_sent, object, string, text, user, whole, word,
};

pub(super) fn leave() -> Area {
    let status = || word(&["active", "expired"]);
    let operations = vec![
        get("/guilds/{guildId}/staff/loa", "Leaves of absence, newest first")
            .paged_if_asked(id(12))
            .query("staff_id?", user())
            .query("status?", status())
            .data(object([("loas", list(loa())), ("next_cursor", id(12).nullable())])),
        post("/guilds/{guildId}/staff/loa", "Add a leave of absence")
            .body(object([
                ("guild_id?", guild()),
                ("staff_id", user()),
                ("starts_at", moment_sent().example("2026-05-01T00:00:00Z")),
                ("ends_at", moment_sent().example("2026-05-15T00:00:00Z")),
                ("reason", text(1000, "exams")),
            ]))
            .data(object([("id", id(12))]))
            .says("leave of absence added")
            .refuses(404, &["not_found"])
            .refuses(409, &["loa_overlaps"])
            .refuses(422, &["ends_before_start"]),
        patch("/guilds/{guildId}/staff/loa/{loaId}", "Change a leave of absence")
            .about(
                "At least one field; the others stay. One that has expired and is given an end in the future is active \
                 again.",
            )
            .body(object([
                ("guild_id?", guild()),
                ("starts_at?", moment_sent().example("2026-05-01T00:00:00Z")),
                ("ends_at?", moment_sent().example("2026-05-15T00:00:00Z")),
                ("reason?", text(1000, "exams")),
                ("status?", status()),
            ]))
            .says("leave of absence updated")
            .refuses(409, &["loa_overlaps"])
            .refuses(422, &["ends_before_start"]),
        delete("/guilds/{guildId}/staff/loa/{loaId}", "Delete a leave of absence")
            .says("leave of absence deleted"),
        expire("/guilds/{guildId}/staff/loa/expire", "Close leaves that have ended"),
    ];
    Area { name: "Leave of absence", about: "When staff are away.", operations }
}

pub(super) fn strikes() -> Area {
    let severity = || whole(1, 10, 3);
    let operations = vec![
        get("/guilds/{guildId}/staff/strikes", "Strikes, newest first")
            .paged_if_asked(id(5))
            .query("staff_id?", user())
            .query("active?", flag(true))
            .data(object([("strikes", list(strike())), ("next_cursor", id(5).nullable())])),
        post("/guilds/{guildId}/staff/strikes", "Give a strike")
            .body(object([
                ("guild_id?", guild()),
                ("staff_id", user()),
                ("reason", text(1000, "abuse of commands")),
                ("severity", severity()),
                ("expires_at?", moment_sent().nullable().about("After the guild's `strike_days`, if not given. Not in the past.")),
            ]))
            .data(object([("id", id(5))]))
            .says("strike added")
            .refuses(404, &["not_found"])
            .refuses(422, &["expires_in_the_past"]),
        patch("/guilds/{guildId}/staff/strikes/{strikeId}/update", "Change a strike")
            .about(
                "At least one field; the others stay. An expired strike that is given a later expiry is active again; \
                 of a removed one the expiry can no longer be changed.",
            )
            .body(object([
                ("guild_id?", guild()),
                ("reason?", text(1000, "abuse of commands")),
                ("severity?", severity()),
                ("expires_at?", moment_sent()),
            ]))
            .says("strike updated")
            .refuses(409, &["strike_removed"])
            .refuses(422, &["expires_in_the_past"]),
        patch("/guilds/{guildId}/staff/strikes/{strikeId}", "Take a strike off")
            .about("For good, also one that has expired; the record is kept.")
            .says("strike removed"),
        delete("/guilds/{guildId}/staff/strikes/{strikeId}", "Wipe a strike").says("strike wiped"),
        expire("/guilds/{guildId}/staff/strikes/expire", "Close strikes that have expired"),
    ];
    Area { name: "Strikes", about: "Active until removed or expired.", operations }
}

pub(super) fn notes() -> Area {
    let body = || text(4000, "Promising; mentor next month.");
    let operations = vec![
        get("/guilds/{guildId}/staff/notes", "Notes, newest first")
            .paged_if_asked(id(8))
            .query("staff_id?", user())
            .data(list(note())),
        post("/guilds/{guildId}/staff/notes", "Add a note about somebody")
            .body(object([("guild_id?", guild()), ("staff_id", user()), ("body", body())]))
            .data(note())
            .says("note added")
            .refuses(404, &["not_found"]),
        patch("/guilds/{guildId}/staff/notes/{noteId}", "Change a note")
            .body(object([("guild_id?", guild()), ("body", body())]))
            .data(note())
            .says("note updated"),
        delete("/guilds/{guildId}/staff/notes/{noteId}", "Delete a note").says("note deleted"),
    ];
    Area { name: "Notes", about: "About staff members.", operations }
}

/// What the sweep does, now and for one guild.
fn expire(path: &'static str, summary: &'static str) -> Op {
    post(path, summary).data(object([("expired", count(2))]))
}

pub(super) fn loa() -> Shape {
    object([
        ("id", id(12)),
        ("staff_id", user()),
        ("starts_at", moment()),
        ("ends_at", moment()),
        ("reason", string("exams")),
        ("status", word(&["active", "expired"])),
    ])
    .named("Loa")
}

fn strike() -> Shape {
    object([
        ("id", id(5)),
        ("staff_id", user()),
        ("reason", string("abuse of commands")),
        ("severity", whole(1, 10, 3)),
        ("expires_at", moment()),
        ("active", flag(true)),
        ("issued_by", chat_id("812345678901234500")),
        ("created_at", moment()),
        ("ended_how", word(&["removed", "expired"]).nullable()),
    ])
    .named("Strike")
}

fn note() -> Shape {
    object([
        ("id", id(8)),
        ("staff_id", user()),
        ("body", string("Promising; mentor next month.")),
        ("author_id", chat_id("812345678901234500")),
        ("created_at", moment()),
        ("updated_at", moment()),
    ])
    .named("Note")
}
