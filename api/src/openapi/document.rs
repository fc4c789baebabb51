//! The document itself (OpenAPI 3.1): each row of the route table with its operation.

use http::Method;
use serde_json::{Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::Components;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathItem, Paths, Required,
    ServerBuilder,
};

use crate::call::operation::{Body, Operation};
use crate::call::route::Route;
use crate::limits::rate_limit::RateLimit;
use crate::openapi::dashboard;
use crate::openapi::{parameters, responses};
use crate::request::parts::Part;
use crate::routes::AREAS;
use crate::schema::example::Definitions;
use crate::schema::shape::{self, Shape, matching, text};

const JSON: &str = "application/json";
/// A header loses the spaces around its value on the way.
const IDEMPOTENCY_KEY: &str = "^[!-~]([ -~]{0,253}[!-~])?$";
/// The area of the live sockets.
const LIVE: &str = "Live channel";
const SCHEMES: [&str; 3] = ["api_key", "bearer", "authorization"];

const ABOUT: &str = "In the names of this API **chat** means Discord and **play** means Roblox: `chat_id` is the id of a \
Discord user, `play_id` that of a Roblox user. A **guild** is a Discord server.\n\n\
The API links the accounts of both, guild by guild, and lets game servers, dashboards and bots act on that: look-ups, \
role bindings and syncs, bans and mutes, Shield, staff.\n\n\
**Keys.** Send a guild's key as `X-API-Key: k`, `Authorization: Bearer k` or `Authorization: ApiKey k`. A key belongs \
to one guild and has scopes. A call may name the guild in its path, in `guild_id` of its body or in `X-Guild-ID`; with the \
key of another guild it is refused with 403.\n\n\
**Rate limits** count per key and bucket in fixed windows. Every answer carries its window in \
`X-RateLimit-Limit`, `-Remaining`, `-Reset-After` (seconds) and `-Bucket`; above the limit the answer is 429 \
with `Retry-After`.\n\n\
**Places.** A game server always sends its `place_id`, 0 in the studio. A check without it finds the bans and mutes of every \
place, so that a player who is banned from another game would be turned away; a ban or mute without it counts in every game.\n\n\
**Writes** take an `Idempotency-Key`: the first answer is repeated for 24 hours.\n\n\
**Ids** of Discord are strings of digits. Ids of Roblox users are integers, and requests \
may send them as digit strings too; a number from 2^53 on has to be a string. No check knows the test players of \
the studio, whose ids are below zero. Timestamps are answered in UTC, whole seconds, with `Z`; any RFC 3339 \
offset is taken.\n\n\
Every path is also served below `/api/v1`.";

pub(crate) fn build() -> OpenApi {
    let (mut paths, mut tags) = (Paths::new(), Vec::new());
    let mut schemas = responses::error().defines;
    for area in AREAS {
        tags.push(TagBuilder::new().name(area.name).description(Some(area.about)).build());
        for row in area.routes {
            let operation = operation(row, area.name, &mut schemas);
            let item = PathItem::new(http_method(&row.method), operation);
            paths.paths.entry(row.path.to_owned()).or_default().merge_operations(item);
        }
    }
    let live = PathItem::new(HttpMethod::Get, dashboard::operation(LIVE));
    paths.paths.insert(dashboard::PATH.to_owned(), live);
    let info = InfoBuilder::new().title("Guildhall").version(env!("CARGO_PKG_VERSION"));
    let license = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build();
    let servers = ["/", "/api/v1"].map(|url| ServerBuilder::new().url(url).build());
    OpenApiBuilder::new()
        .info(info.description(Some(ABOUT)).license(Some(license)).build())
        .servers(Some(servers))
        .paths(paths)
        .components(Some(components(schemas)))
        .tags(Some(tags))
        .security(Some(SCHEMES.map(|name| SecurityRequirement::new::<_, [&str; 0], &str>(name, []))))
        .build()
}

fn http_method(method: &Method) -> HttpMethod {
    match *method {
        Method::POST => HttpMethod::Post,
        Method::PUT => HttpMethod::Put,
        Method::PATCH => HttpMethod::Patch,
        Method::DELETE => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn components(schemas: Definitions) -> Components {
    let header =
        |name, about| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, about)));
    let schemes = SCHEMES.into_iter().zip([
        header("X-API-Key", "A guild's key: `X-API-Key: gh_…`"),
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some("The same: `Authorization: Bearer gh_…`"))
                .build(),
        ),
        header("Authorization", "The same: `Authorization: ApiKey gh_…`"),
    ]);
    let mut components = Components::new();
    components.schemas = schemas;
    components.responses = responses::shared();
    components.headers = responses::headers();
    components.add_security_schemes_from_iter(schemes);
    components.add_security_scheme(dashboard::SCHEME, dashboard::scheme());
    components
}

fn operation(row: &Route, tag: &str, schemas: &mut Definitions) -> OperationBuilder {
    let op = (row.endpoint.operation)();
    let rate = row.limit.rate();
    let counted = if row.limit == RateLimit::SyncAll { "guild" } else { "key" };
    let rate = json!({
        "limit": rate.limit, "window_seconds": rate.window.as_secs(), "bucket": row.limit.name(), "per": counted,
    });
    let extensions =
        [("x-rate-limit", rate), ("x-scope", json!(row.needs.to_string())), ("x-writes", json!(row.writes))];
    let mut operation = OperationBuilder::new()
        .tag(tag)
        .summary(Some(op.summary))
        .description(op.about)
        .operation_id(Some(op.id))
        .extensions(Some(Extensions::from_iter(extensions)));
    for (status, response) in responses::of(&op, row) {
        operation = operation.response(status, response);
    }
    if let Some(data) = &op.data {
        schemas.extend(data.defines.clone());
    }
    if let Some(body) = &op.body {
        operation = operation.request_body(Some(request_body(body, op.body_example.clone(), schemas)));
    }
    operation.parameters(Some(parameters_of(op, row, schemas)))
}

fn field(part: &Part) -> shape::Property {
    let shape = if part.nullable { part.shape.clone().nullable() } else { part.shape.clone() };
    shape::Property { name: part.name, required: part.required, shape }
}

fn request_body(body: &Body, example: Option<Value>, schemas: &mut Definitions) -> RequestBody {
    let shape = shape::object(body.parts.iter().map(field));
    let required = if shape.may_be_empty() { Required::False } else { Required::True };
    let Shape { schema, example: usual, defines } = shape.named(body.name);
    schemas.extend(defines);
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example.unwrap_or(usual)));
    RequestBodyBuilder::new().content(JSON, content.build()).required(Some(required)).build()
}

fn parameters_of(op: Operation, row: &Route, schemas: &mut Definitions) -> Vec<Parameter> {
    let in_path = row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path: Vec<_> = in_path
        .map(|name| Part { required: true, ..Part::optional(name, parameters::of_path(name)) })
        .map(|part| (ParameterIn::Path, part))
        .collect();
    let headers = headers_of(&op, row).into_iter().map(|part| (ParameterIn::Header, part));
    let in_query = op.query.into_iter().map(|part| (ParameterIn::Query, part));
    let all = in_path.into_iter().chain(in_query).chain(headers);
    all.map(|(place, part)| parameter(place, part, schemas)).collect()
}

fn headers_of(op: &Operation, row: &Route) -> Vec<Part> {
    let mut headers = Vec::new();
    let mut header = |name, shape: Shape, about: &str| {
        headers.push(Part::optional(name, shape.about(about)));
    };
    if op.guild_header {
        let guild = shape::answered::<entities::GuildId>();
        header("X-Guild-ID", guild, "The guild. Absent: the key's guild.");
    }
    if row.writes && !row.answers_secret {
        let about = "Makes a repeat safe: for 24 hours the first answer is given again, with \
                     `Idempotent-Replayed: true`. With another body or query it is 422, while the first still runs 409.";
        header("Idempotency-Key", matching(IDEMPOTENCY_KEY, "8c6f1e4e-ban-17"), about);
    }
    if op.job {
        let about = "`respond-async` for 202 at once, `wait=N` to wait at most N seconds (5 if not sent, 30 at most).";
        header("Prefer", text(100, "wait=10"), about);
    }
    if op.etag {
        let about = "The `ETag` of your copy of the answer: 304 while it is current.";
        header("If-None-Match", text(1000, "\"17-4\""), about);
    }
    headers
}

fn parameter(place: ParameterIn, part: Part, schemas: &mut Definitions) -> Parameter {
    let required = if part.required { Required::True } else { Required::False };
    let Shape { mut schema, example, defines } = part.shape;
    schemas.extend(defines);
    let about = parameters::take_description(&mut schema);
    ParameterBuilder::new()
        .name(part.name)
        .parameter_in(place)
        .required(required)
        .description(about)
        .schema(Some(schema))
        .example(Some(example))
        .build()
}

#[cfg(test)]
mod tests;
