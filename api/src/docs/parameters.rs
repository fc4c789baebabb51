//! The parameters of paths: a name means the same in every path.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::shape::{Shape, chat_id, id, matching, player, string, user, uuid};

pub(super) fn of_path(name: &str) -> Shape {
    match name {
        "guildId" => chat_id("712345678901234567").about("The key's guild."),
        "chatId" => user().about("A chat user."),
        "userId" => user().about("A chat user who is staff."),
        "playId" => player().about("A game user."),
        "identifier" => matching("^[1-9][0-9]{0,18}$", "4815162342").about(
            "A chat user id (17 digits or more) or a game user id. Linked accounts are found by either.",
        ),
        "roleId" => chat_id("912345678901234567").about("A role of the guild."),
        "jobId" => uuid().about("A job, as answered when it was queued."),
        "commandId" => uuid().about("The `id` of a command."),
        "serverId" => string("f3b1c2d4-server-7").about("The id the game server gives itself."),
        "actionId" => id(31).about("The `id` of a pending action."),
        "bindingId" | "loaId" | "strikeId" | "noteId" | "quotaId" | "submissionId" => id(17),
        _ => string("17"),
    }
}

/// Takes the description out of a schema, for the parameter to carry it.
pub(super) fn take_description(schema: &mut RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::T(Schema::Object(object)) => object.description.take(),
        RefOr::T(Schema::Array(array)) => array.description.take(),
        RefOr::T(Schema::AnyOf(any)) => any.description.take(),
        RefOr::Ref(_) | RefOr::T(_) => None,
    }
}
