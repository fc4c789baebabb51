//! Interface 4.6.

use super::operation::{Area, get, post, reason};
use super::shape::{
    Shape, any_of, chat_id, count, flag, id, id_sent, list, matching, moment, object, place, string, user,
    whole, word,
};

/// 100 years.
const LONGEST: i64 = 3_153_600_000;

pub(super) fn area() -> Area {
    let mut operations = checks();
    operations.extend(lists());
    operations.extend(changes());
    Area {
        name: "Moderation",
        about: "Bans and mutes. A ban of either account of a linked pair is found by both, and is over from the very \
                second it expires.",
        operations,
    }
}

fn checks() -> Vec<super::operation::Op> {
    let place = || place().about("Only of this game and of all games; without it any counts.");
    vec![
        get("/moderation/{guildId}/ban-status/{identifier}", "Is somebody banned?")
            .query("place_id?", place())
            .data(object([("banned", flag(true)), ("ban_info?", sentence().named("BanInfo"))]))
            .says("the user is banned"),
        get("/moderation/{guildId}/mute-status/{identifier}", "Is somebody muted?")
            .query("place_id?", place())
            .data(object([("muted", flag(true)), ("mute_info?", sentence().named("MuteInfo"))]))
            .says("the user is muted"),
    ]
}

fn lists() -> Vec<super::operation::Op> {
    let about = "To fill a game server's cache. Without `place_id` only what counts in every game of the guild, so that \
                 a list may be enforced by `identifier` alone. Keep `revision` and send it as `since`, with the same \
                 `place_id` and `scope`, to get what changed, and `If-None-Match` to get nothing where nothing did.";
    let here = || place().about("Also what counts in this place alone; nothing of other places.");
    let scope =
        || word(&["all"]).about("Everything, each with its `place_id`. Not together with `place_id`.");
    let since = || count(17).about("A `revision` that was answered before.");
    let lists = |name: &'static str| {
        object([
            (name, list(listed())),
            ("revision", count(18).about("To be sent as `since` next time.")),
            ("complete", flag(true).about("False: these are what is new or changed since.")),
            ("lifted", list(id(40)).about("Ids to be dropped.")),
        ])
    };
    vec![
        get("/moderation/{guildId}/play/bans/active", "Active bans")
            .about(about)
            .query("place_id?", here())
            .query("scope?", scope())
            .query("since?", since())
            .data(lists("bans"))
            .etag(),
        get("/moderation/{guildId}/play/mutes/active", "Active mutes")
            .about(about)
            .query("place_id?", here())
            .query("scope?", scope())
            .query("since?", since())
            .data(lists("mutes"))
            .etag(),
        get("/moderation/{guildId}/bans", "Every ban there was, newest first")
            .paged(id(41))
            .query("identifier?", matching("^[1-9][0-9]{0,18}$", "4815162342"))
            .query("active?", flag(true))
            .query("moderator_id?", user())
            .query("place_id?", place())
            .data(object([("bans", list(past())), ("next_cursor", id(41).nullable())])),
    ]
}

fn changes() -> Vec<super::operation::Op> {
    let sentenced = |done: &'static str| {
        object([
            ("id", id(41)),
            (done, flag(true)),
            ("expires_at", moment().nullable().about("Null: never.")),
            ("revision", count(18)),
        ])
    };
    let lifted = |done: &'static str, still: &'static str| {
        let wider = "With `place_id`: one of every game still holds there.";
        object([
            (done, flag(true)),
            ("lifted", list(id(41)).about("May be none.")),
            (still, flag(false).about(wider)),
        ])
    };
    vec![
        post("/moderation/{guildId}/play/ban", "Ban a user")
            .about("Replaces an active ban of the same user and place. A ban of all games is mirrored to the chat platform.")
            .body(sentencing())
            .data(sentenced("banned"))
            .says("user banned"),
        post("/moderation/{guildId}/play/unban", "Lift a user's bans")
            .about("Without `place_id` all of them. Succeeds where there was none.")
            .body(release())
            .data(lifted("unbanned", "still_banned"))
            .says("user unbanned"),
        post("/moderation/{guildId}/play/mute", "Mute a user")
            .about("Replaces an active mute of the same user and place.")
            .body(sentencing())
            .data(sentenced("muted"))
            .says("user muted"),
        post("/moderation/{guildId}/play/unmute", "Lift a user's mutes")
            .about("Without `place_id` all of them. Succeeds where there was none.")
            .body(release())
            .data(lifted("unmuted", "still_muted"))
            .says("user unmuted"),
    ]
}

fn identifier_sent() -> Shape {
    any_of([matching("^[1-9][0-9]{0,18}$", "4815162342"), id(4_815_162_342)])
        .about("A chat user id (17 digits or more) or a game user id.")
}

fn sentencing() -> Shape {
    let lasts = whole(1, LONGEST, 86_400).nullable().about("Null or absent: for ever.");
    object([
        ("guild_id?", super::lookup::guild()),
        ("identifier", identifier_sent()),
        ("reason", reason()),
        ("moderator_id", user()),
        ("duration_seconds?", lasts),
        ("place_id?", id_sent(920_587_237).about("Null or absent: every game of the guild.").nullable()),
    ])
}

fn release() -> Shape {
    object([
        ("guild_id?", super::lookup::guild()),
        ("identifier", identifier_sent()),
        ("moderator_id", user()),
        ("reason?", reason().nullable()),
        ("place_id?", id_sent(920_587_237).nullable()),
    ])
}

fn identifier() -> Shape {
    matching("^[1-9][0-9]{0,18}$", "4815162342").nullable()
}

fn sentence() -> Shape {
    object([
        ("id", id(41)),
        ("reason", string("exploiting")),
        ("moderator_id", user()),
        ("expires_at", moment().nullable().about("Null: never.")),
        ("created_at", moment()),
        ("identifier", identifier().about("The account that was named.")),
        ("place_id", place().nullable().about("Null: every game of the guild.")),
    ])
}

fn listed() -> Shape {
    object([
        ("id", id(41)),
        ("identifier", identifier().about("The game user where known.")),
        ("reason", string("exploiting")),
        ("expires_at", moment().nullable()),
        ("place_id", place().nullable()),
    ])
    .named("ActiveItem")
}

fn past() -> Shape {
    object([
        ("id", id(41)),
        ("identifier", identifier()),
        ("reason", string("exploiting")),
        ("moderator_id", user()),
        ("place_id", place().nullable()),
        ("active", flag(true)),
        ("created_at", moment()),
        ("expires_at", moment().nullable()),
        ("lifted_at", moment().nullable()),
        ("lifted_how", word(&["lifted", "superseded", "expired"]).nullable()),
        ("lifted_by", chat_id("812345678901234567").nullable()),
        (
            "mirror_state",
            word(&["done", "none", "pending", "already_banned", "failed"]).about(
                "Of the copy on the chat platform. `already_banned`: somebody else banned the user there, and the end \
                 of this ban does not lift that.",
            ),
        ),
        ("mirror_chat_id", user().nullable()),
        ("mirror_error", string("the bot may not ban").nullable()),
    ])
    .named("PastBan")
}
