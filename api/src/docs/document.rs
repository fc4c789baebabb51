//! The document itself (OpenAPI 3.1): each row of the route table, with what its area says of it.

use std::collections::BTreeMap;

use ::http::Method;
use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Components, Ref};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathItem, Paths, RefOr, Required,
    ServerBuilder,
};

use super::operation::{Area, Op};
use super::shape::{Definitions, Shape, chat_id, matching, text};
use super::{parameters, responses};
use crate::bucket::Bucket;
use crate::route::Route;

const JSON: &str = "application/json";
const SCHEMES: [&str; 3] = ["api_key", "bearer", "authorization"];

const ABOUT: &str = "Links accounts on a chat platform with accounts on a game platform, guild by guild, and lets \
game servers, dashboards and bots act on that: look-ups, role bindings and syncs, bans and mutes, Shield, staff.\n\n\
**Keys.** Send a guild's key as `X-API-Key: k`, `Authorization: Bearer k` or `Authorization: ApiKey k`. A key belongs \
to one guild and has scopes. The guild of the path, of `guild_id` in the body and of `X-Guild-ID` must be the key's.\n\n\
**Quotas** count per key and bucket in fixed windows. Every answer tells how its window stands in `X-RateLimit-Limit`, \
`-Remaining`, `-Reset-After` (seconds) and `-Bucket`; over quota is 429 with `Retry-After`: wait that long.\n\n\
**Writes** take an `Idempotency-Key`: the first answer is repeated for 24 hours.\n\n\
**Ids** of the chat platform are strings of digits. Ids of game users are integers, and requests may send them as \
digit strings too. Timestamps are answered in UTC, whole seconds, with `Z`; any RFC 3339 offset is taken.\n\n\
Every path is also served below `/api/v1`.";

/// Rows that no area knows are left out, and so is what has no row: a test sees to it that there are none.
pub(super) fn build(routes: &[Route], areas: Vec<Area>) -> OpenApi {
    let (mut paths, mut tags) = (Paths::new(), Vec::new());
    let mut schemas = responses::error().defines;
    for area in areas {
        tags.push(TagBuilder::new().name(area.name).description(Some(area.about)).build());
        for op in area.operations {
            let row = routes.iter().find(|row| row.method == op.method && row.path == op.path);
            let (Some(row), Some(method)) = (row, http_method(&op.method)) else { continue };
            let item = PathItem::new(method, operation(&op, row, area.name, &mut schemas));
            paths.paths.entry(op.path.to_owned()).or_default().merge_operations(item);
        }
    }
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

fn http_method(method: &Method) -> Option<HttpMethod> {
    Some(match method.as_str() {
        "GET" => HttpMethod::Get,
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => return None,
    })
}

fn components(schemas: Definitions) -> Components {
    let schemes = SCHEMES.into_iter().zip([
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
            "X-API-Key",
            "A guild's key: `X-API-Key: gh_…`",
        ))),
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some("The same: `Authorization: Bearer gh_…`"))
                .build(),
        ),
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
            "Authorization",
            "The same: `Authorization: ApiKey gh_…`",
        ))),
    ]);
    let mut components = Components::new();
    components.schemas = schemas.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    components.responses = responses::shared();
    components.headers = responses::headers();
    components.add_security_schemes_from_iter(schemes);
    components
}

fn operation(op: &Op, row: &Route, tag: &str, schemas: &mut Definitions) -> OperationBuilder {
    let quota = row.bucket.quota();
    let counted = if row.bucket == Bucket::SyncAll { "guild" } else { "key" };
    let quota = json!({
        "limit": quota.limit, "window_seconds": quota.window.as_secs(), "bucket": row.bucket.name(), "per": counted,
    });
    let extensions = [("x-quota", quota), ("x-scope", json!(row.needs.to_string()))];
    let mut operation = OperationBuilder::new()
        .tag(tag)
        .summary(Some(op.summary))
        .description(op.about)
        .operation_id(Some(operation_id(op)))
        .parameters(Some(parameters_of(op, row)))
        .extensions(Some(Extensions::from_iter(extensions)));
    if let Some(body) = &op.body {
        schemas.extend(body.defines.clone());
        operation = operation.request_body(Some(request_body(body).build()));
    }
    schemas.extend(op.data.iter().flat_map(|data| data.defines.clone()));
    responses::of(op, row)
        .into_iter()
        .fold(operation, |operation, (status, response)| operation.response(status, response))
}

/// `get_lookup_chat_chatId`
fn operation_id(op: &Op) -> String {
    let path = op.path.replace(['{', '}'], "").replace(['/', '-'], "_");
    format!("{}{path}", op.method.as_str().to_ascii_lowercase())
}

fn request_body(body: &Shape) -> RequestBodyBuilder {
    let content = ContentBuilder::new().schema(Some(body.schema.clone())).example(Some(body.example.clone()));
    let required = if body.may_be_empty() { Required::False } else { Required::True };
    RequestBodyBuilder::new().content(JSON, content.build()).required(Some(required))
}

fn parameters_of(op: &Op, row: &Route) -> Vec<Parameter> {
    let in_path = op.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(|name| parameter(name, ParameterIn::Path, parameters::of_path(name)));
    let in_query = op.query.iter();
    let in_query = in_query.map(|(name, shape)| parameter(name, ParameterIn::Query, shape.clone()));
    let mut headers = Vec::new();
    if op.guild_header {
        let about = "The guild; where it is not sent, the key's guild is meant.";
        headers.push(("X-Guild-ID?", chat_id("712345678901234567").about(about)));
    }
    if row.writes {
        let about = "Makes a repeat safe: for 24 hours the first answer is given again, with \
                     `Idempotent-Replayed: true`. With another body it is 422, while the first still runs 409.";
        let key = matching("^[!-~]{1,255}$", "8c6f1e4e-ban-17").about(about);
        headers.push(("Idempotency-Key?", key));
    }
    if op.job {
        let about = "`respond-async` for 202 at once, `wait=N` to wait at most N seconds (5 if not sent, 30 at most).";
        headers.push(("Prefer?", text(100, "wait=10").about(about)));
    }
    if op.etag {
        let about = "The `ETag` of the answer you have: 304 while it is still right.";
        headers.push(("If-None-Match?", text(1000, "\"17-4\"").about(about)));
    }
    let headers = headers.into_iter().map(|(name, shape)| parameter(name, ParameterIn::Header, shape));
    in_path.chain(in_query).chain(headers).collect()
}

fn parameter(name: &str, place: ParameterIn, shape: Shape) -> Parameter {
    let bare = name.strip_suffix('?');
    let required = if bare.is_none() { Required::True } else { Required::False };
    let mut schema = shape.schema;
    let about = parameters::take_description(&mut schema);
    ParameterBuilder::new()
        .name(bare.unwrap_or(name))
        .parameter_in(place)
        .required(required)
        .description(about)
        .schema(Some(schema))
        .example(Some(shape.example))
        .build()
}

/// A reference to one of the components that are not schemas.
pub(super) fn component<T>(kind: &str, name: &str) -> RefOr<T> {
    RefOr::Ref(Ref::new(format!("#/components/{kind}/{name}")))
}

/// What `components` holds of one kind.
pub(super) type Named<T> = BTreeMap<String, RefOr<T>>;
