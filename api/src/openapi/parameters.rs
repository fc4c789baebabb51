//! The parameters of paths: a name means the same in every path.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use entities::{ChatId, GuildId, JobId, PlayId, RoleId};

use crate::schema::shape::{Shape, answered, any_of, id, matching, string, test_player, uuid};

pub(crate) fn of_path(name: &str) -> Shape {
    match name {
        "guildId" => answered::<GuildId>().about("The key's guild."),
        "chatId" => answered::<ChatId>().about("A chat user."),
        "userId" => answered::<ChatId>().about("A chat user who is staff."),
        "playId" => any_of([answered::<PlayId>(), test_player()])
            .about("A game user. Test players of the studio, with ids below zero, are unknown."),
        "identifier" => any_of([matching("^[1-9][0-9]{0,18}$", "4815162342"), test_player()]).about(
            "A chat user id (17 digits or more) or a game user id. Linked accounts are found by either. Test players of the \
             studio, with ids below zero, are never banned.",
        ),
        "roleId" => answered::<RoleId>().about("A role of the guild."),
        "jobId" => answered::<JobId>().about("A job, as answered when it was queued."),
        "commandId" => uuid().about("The `id` of a command."),
        "publicId" => matching("^[a-z0-9]{8}$", "k3y8ab1c").about("The public id of a key."),
        "serverId" => string("f3b1c2d4-server-7").about("The id that the game server gives itself."),
        "actionId" => id(31).about("The `id` of a pending action."),
        "bindingId" | "loaId" | "requestId" | "strikeId" | "noteId" | "quotaId" | "submissionId" => id(17),
        _ => string("17"),
    }
}

/// Moves the description from a schema to its parameter.
pub(crate) fn take_description(schema: &mut RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::T(Schema::Object(object)) => object.description.take(),
        RefOr::T(Schema::Array(array)) => array.description.take(),
        RefOr::T(Schema::AnyOf(any)) => any.description.take(),
        RefOr::Ref(reference) => {
            Some(std::mem::take(&mut reference.description)).filter(|text| !text.is_empty())
        }
        RefOr::T(_) => None,
    }
}
