//! The live socket of dashboards in the document. It is in no table: people open it, so it has neither key nor rate limit.

use entities::GuildId;
use utoipa::openapi::path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Ref, Required, Response};

use crate::schema::shape::{Shape, answered, string};

pub(crate) const PATH: &str = "/ws/guilds/{guildId}/live";

/// The name of the credential that opens it, beside the console's cookie.
pub(crate) const SCHEME: &str = "chat_access_token";

/// Its refusals, which are those of every endpoint.
const REFUSED: [u16; 8] = [400, 401, 403, 404, 426, 429, 500, 503];

const ABOUT: &str = "A WebSocket for the console and for other dashboards, opened by people instead of keys: with the console's \
session, from a page of the same origin, or with an access token of the chat platform that was issued to this service's \
application (`Authorization: Bearer`). The platform is asked about the token; after 30 wrong ones a minute \
from an address the answer is 429. A guild in which the person is neither admin nor staff is 404. Frames are \
`{\"id\": …, \"type\": …, \"data\": {…}}`. The first is `hello`; with `last_id` the missed frames follow it. \
`resync`: frames were lost, read the data again. Then, as events occur: for staff with `sync.write` \
`job.progress`, `job.ended` (`id`, `kind`, `state`, `progress`); for `moderation.read` `moderation.ban`, \
`moderation.unban`, `moderation.mute`, `moderation.unmute` (`identifier`, `reason`, `chat_id`, `play_id`), \
`server.online`, `server.changed`, `server.offline` (`server_id`, `player_count`), `command.queued`, \
`command.ended`; for `audit.read` `audit.entry` (`id`, `action`, `actor_id`, `target_id`); for all staff \
`staff.on_duty`, `staff.off_duty` (`staff_id`, `server_id`) and `staff.changed`. If many events occur at once, \
one frame `job.several`, `server.several`, `audit.several` or `staff.several` gives their number (`count`). \
Closed within a minute with 1008 when the person signs out or loses the right, with 1013 when the client reads \
too slowly, and with 1001 when the process stops.";

pub(crate) fn scheme() -> SecurityScheme {
    let about = "An access token of the chat platform (OAuth 2, scope `identify`), issued to this service's application.";
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about));
    SecurityScheme::Http(scheme.build())
}

pub(crate) fn operation(tag: &str) -> Operation {
    let mut operation = OperationBuilder::new()
        .tag(tag)
        .summary(Some("Live frames for a dashboard"))
        .description(Some(ABOUT))
        .operation_id(Some("openDashboardChannel"))
        .security(SecurityRequirement::new::<_, [&str; 0], &str>(SCHEME, []))
        .response("101", Response::new("The connection is a WebSocket from here on."));
    for status in REFUSED {
        operation =
            operation.response(status.to_string(), Ref::new(format!("#/components/responses/{status}")));
    }
    let guild = answered::<GuildId>();
    let last = string("5b0ad5c81bcd4b0e8b8f6d6f0f1f5a3e-17");
    let about =
        "The `id` of the last frame received: what followed it is sent. Each process has its own ids.";
    operation
        .parameter(parameter("guildId", ParameterIn::Path, guild, "A guild of the person."))
        .parameter(parameter("last_id", ParameterIn::Query, last, about))
        .build()
}

fn parameter(name: &str, place: ParameterIn, shape: Shape, about: &str) -> Parameter {
    let required = if place == ParameterIn::Path { Required::True } else { Required::False };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(about))
        .schema(Some(shape.schema))
        .example(Some(shape.example))
        .build()
}
