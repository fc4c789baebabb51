//! Interface 4.2.

use super::lookup::guild;
use super::operation::{Area, delete, get, patch, post};
use super::shape::{Shape, chat_id, count, flag, id, id_sent, list, object, string, user, whole, word};

pub(super) fn area() -> Area {
    let operations = vec![
        get("/bindings/list", "All bindings").guild_header().data(object([("bindings", list(binding()))])),
        post("/bindings/add", "Add a binding")
            .body(object([
                ("guild_id?", guild()),
                ("type", kind()),
                ("group_id", group()),
                ("rank", rank()),
                ("role_id", role()),
            ]))
            .data(object([("id", id(17))]))
            .says("binding added")
            .refuses(409, &["binding_exists"])
            .refuses(422, &["too_many_bindings"]),
        patch("/bindings/update", "Change a binding")
            .about("At least one of the fields beside `binding_id`; the others stay.")
            .body(object([
                ("guild_id?", guild()),
                ("binding_id", id_sent(17)),
                ("type?", kind()),
                ("group_id?", group()),
                ("rank?", rank()),
                ("role_id?", role()),
            ]))
            .says("binding updated")
            .refuses(404, &["not_found"])
            .refuses(409, &["binding_exists"]),
        delete("/bindings/remove/{bindingId}", "Remove a binding").says("binding removed"),
        post("/bindings/test", "Would a binding apply to a user?")
            .about("A dry run: nothing is saved.")
            .body(object([
                ("guild_id?", guild()),
                ("chat_id", user()),
                ("type", kind()),
                ("group_id", group()),
                ("rank", rank()),
            ]))
            .data(object([
                ("matches", flag(true)),
                ("current_rank", count(100).about("The highest the user holds in the group; 0: not in it.")),
            ]))
            .refuses(404, &["not_linked"])
            .refuses(422, &["unknown_group"])
            .asks_platform(),
        post("/bindings/validate", "Could a binding work?")
            .about("Do group, rank and role exist, and may the bot grant the role?")
            .body(object([
                ("guild_id?", guild()),
                ("type", kind()),
                ("group_id", group()),
                ("rank", rank()),
                ("role_id", role()),
            ]))
            .data(object([("valid", flag(false)), ("reasons", list(reason()))]))
            .asks_platform(),
    ];
    Area { name: "Bindings", about: "Which rank in a game group calls for which chat role.", operations }
}

fn binding() -> Shape {
    object([("id", id(17)), ("type", kind()), ("group_id", id(4242)), ("rank", rank()), ("role_id", role())])
        .named("Binding")
}

fn reason() -> Shape {
    object([
        ("field", string("role_id")),
        ("error", string("role_above_bot").about("A stable word for programs.")),
        ("message", string("the role stands above the bot's highest role")),
    ])
    .named("BindingProblem")
}

fn kind() -> Shape {
    word(&["group_rank"])
}

fn group() -> Shape {
    id_sent(4242)
}

fn rank() -> Shape {
    whole(0, 255, 100)
}

pub(super) fn role() -> Shape {
    chat_id("912345678901234567")
}
