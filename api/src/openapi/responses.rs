//! Responses: the envelope around data and messages, and the errors of each endpoint (docs/rules.md 2).

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::call::operation::Operation;
use crate::call::route::Route;
use crate::schema::shape::{Property, Shape, count, integer, object, string, uuid, word};

/// The `components` of one kind.
type Named<T> = BTreeMap<String, RefOr<T>>;

const JSON: &str = "application/json";

/// Every error status: its meaning and the words that any endpoint may answer with it, the usual one first. Words of single
/// endpoints stand in their `operation()`.
const ERRORS: [(u16, &[&str], &str); 15] = [
    (
        400,
        &["invalid_field", "missing_field", "invalid_json", "too_deep", "body_incomplete", "bad_request"],
        "Not JSON, or a field, parameter or header is missing or not allowed: the message names it.",
    ),
    (
        401,
        &["key_unknown", "key_missing", "key_malformed", "key_ambiguous", "key_revoked", "key_expired"],
        "The key is missing, malformed, unknown, revoked or expired.",
    ),
    (403, &["scope_missing", "other_guild"], "The key is for another guild, or lacks the scope."),
    (404, &["not_found", "no_such_path"], "No such path or object; also when it belongs to another guild."),
    (405, &["method_not_allowed"], "The path takes other methods; see `Allow`."),
    (408, &["request_timeout"], "The body did not arrive in time."),
    (409, &["conflict", "still_running"], "It exists already, or is in a state that forbids this."),
    (413, &["body_too_large"], "The body is too large."),
    (
        415,
        &["unsupported_media_type", "unsupported_content_encoding"],
        "The body is not JSON, or compressed otherwise than by gzip.",
    ),
    (
        422,
        &["unprocessable", "idempotency_key_reused", "platform_invalid"],
        "Well-formed, but it breaks a rule.",
    ),
    (426, &["upgrade_required"], "This path accepts only WebSocket."),
    (429, &["rate_limited", "too_many_failures"], "Rate limit exceeded: wait `Retry-After` seconds."),
    (500, &["internal"], "A bug; the request id finds it in the log."),
    (
        502,
        &["bad_gateway", "platform_refused", "platform_unauthorized", "members_intent_off"],
        "A platform answered badly; try again after `Retry-After` seconds.",
    ),
    (
        503,
        &[
            "unavailable",
            "database_unavailable",
            "limits_unavailable",
            "bodies_busy",
            "lists_busy",
            "timeout",
            "stopping",
            "guild_not_reached",
            "platform_not_configured",
            "platform_unavailable",
            "platform_rate_limited",
            "platform_stopped",
        ],
        "A dependency is down or a queue is full; try again after `Retry-After` seconds.",
    ),
];

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const REQUEST_ID: &str = "0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e";

/// Statuses with a `Retry-After`.
const LATER: [u16; 3] = [429, 502, 503];

const HEADERS: [(&str, &str); 9] = [
    ("X-Request-ID", "Names this request in the log."),
    ("X-RateLimit-Limit", "Requests in each window of the bucket."),
    ("X-RateLimit-Remaining", "Requests left in this window."),
    ("X-RateLimit-Reset-After", "Seconds until this window ends."),
    ("X-RateLimit-Bucket", "The bucket that counts this endpoint."),
    ("Retry-After", "Seconds to wait."),
    ("Location", "The URL of the job's progress."),
    ("ETag", "Identifies this version of the answer, for `If-None-Match`."),
    (
        "X-Guildhall-Stale",
        "`true`: the database is away, and this answer is from memory, at most five minutes old. Otherwise absent.",
    ),
];

fn required(name: &'static str, shape: Shape) -> Property {
    Property { name, required: true, shape }
}

fn optional(name: &'static str, shape: Shape) -> Property {
    Property { name, required: false, shape }
}

/// The body of every error.
pub(crate) fn error() -> Shape {
    object([
        required("status", word(&["error"])),
        required("code", integer(404).about("The HTTP status.")),
        required("message", string("no such binding").about("For people; it may change.")),
        required("error", string("not_found").about("A stable word for programs.")),
        required("request_id", string(REQUEST_ID).about("Also in `X-Request-ID`.")),
        optional("trace_id", string(TRACE_ID).about("Where the operator collects traces.")),
        optional("retry_after", count(17).about("Seconds, the same as in `Retry-After`.")),
        optional("job_id", uuid().about("The job that used the hour of `/interactions/sync/all`.")),
    ])
    .about("Every error has this body.")
    .named("Error")
}

/// One response for each error status, for endpoints without additions.
pub(crate) fn shared() -> Named<Response> {
    let row = |&(status, ..): &(u16, &[&str], &str)| (status.to_string(), RefOr::T(refusal(status, &[])));
    ERRORS.iter().map(row).collect()
}

pub(crate) fn headers() -> Named<Header> {
    let numbers = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset-After", "Retry-After"];
    let header = |(name, about): (&str, &str)| {
        let kind = if numbers.contains(&name) { Type::Integer } else { Type::String };
        let schema = Schema::Object(ObjectBuilder::new().schema_type(kind).build());
        let header = HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build();
        (name.to_owned(), RefOr::T(header))
    };
    HEADERS.into_iter().map(header).collect()
}

/// All responses of an endpoint, by status.
pub(crate) fn of(op: &Operation, row: &Route) -> BTreeMap<String, RefOr<Response>> {
    let mut words: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    let everywhere = [400, 401, 403, 429, 500, 503];
    let with_body = if row.method == http::Method::GET { [].as_slice() } else { &[408, 413, 415] };
    let writing = if row.writes { [409, 422].as_slice() } else { &[] };
    let finding = if row.path.contains('{') { [404].as_slice() } else { &[] };
    for status in everywhere.iter().chain(with_body).chain(writing).chain(finding) {
        words.entry(*status).or_default();
    }
    for (status, more) in &op.refusals {
        words.entry(*status).or_default().extend(more.iter());
    }
    let refused = words.into_iter().map(|(status, words)| {
        let shared = words.is_empty();
        let response = if shared {
            RefOr::Ref(Ref::new(format!("#/components/responses/{status}")))
        } else {
            RefOr::T(refusal(status, &words))
        };
        (status.to_string(), response)
    });
    refused.chain(successes(op, row)).collect()
}

fn successes(op: &Operation, row: &Route) -> BTreeMap<String, RefOr<Response>> {
    let mut all = BTreeMap::new();
    if op.upgrades {
        all.insert("101".to_owned(), RefOr::T(Response::new("The connection is a WebSocket from here on.")));
        return all;
    }
    all.insert("200".to_owned(), RefOr::T(success(op, row)));
    if op.job {
        all.insert("202".to_owned(), RefOr::T(accepted()));
    }
    if op.etag {
        let unchanged = with_headers(ResponseBuilder::new().description("As you have it."), &["ETag"]);
        all.insert("304".to_owned(), RefOr::T(unchanged.build()));
    }
    all
}

fn success(op: &Operation, row: &Route) -> Response {
    let message = string(op.message.unwrap_or("done")).about("For people; it may change.");
    let mut envelope = vec![required("status", word(&["success"])), required("code", integer(200))];
    if op.message.is_some() || op.data.is_none() {
        envelope.push(required("message", message));
    }
    envelope.extend(op.data.clone().map(|data| required("data", data)));
    let headers: &[&str] = match (op.etag, row.serves_stale) {
        (true, _) => &["ETag"],
        (_, true) => &["X-Guildhall-Stale"],
        _ => &[],
    };
    answer("Done.", &object(envelope), headers)
}

fn accepted() -> Response {
    let shape = object([
        required("status", word(&["success"])),
        required("code", integer(202)),
        required("message", string("job still running; poll the URL in Location")),
        required("data", object([required("job_id", uuid())])),
    ]);
    answer("The job takes longer than the caller waits, and is still running.", &shape, &["Location"])
}

fn answer(about: &str, shape: &Shape, headers: &[&str]) -> Response {
    let content = ContentBuilder::new().schema(Some(shape.schema.clone()));
    let content = content.example(Some(shape.example.clone())).build();
    let response = ResponseBuilder::new().description(about).content(JSON, content);
    let windows = HEADERS.iter().map(|row| row.0).filter(|name| name.starts_with("X-RateLimit"));
    let headers: Vec<_> = windows.chain(["X-Request-ID"]).chain(headers.iter().copied()).collect();
    with_headers(response, &headers).build()
}

fn refusal(status: u16, words: &[&str]) -> Response {
    let row = ERRORS.iter().find(|row| row.0 == status);
    let &(_, usual, about) = row.unwrap_or(&(status, &["error"], "An error."));
    let said: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    let about =
        if said.is_empty() { about.to_owned() } else { format!("{about} Here: {}.", said.join(", ")) };
    let listed = if words.is_empty() { usual } else { words };
    let mut example = json!({
        "status": "error", "code": status, "message": "what is wrong, in a sentence",
        "error": listed[0], "request_id": REQUEST_ID,
    });
    let later = LATER.contains(&status);
    if later {
        example["retry_after"] = json!(17);
    }
    let content = ContentBuilder::new().schema(Some(error().schema)).example(Some(example)).build();
    // What generated clients name errors by.
    let extensions = Extensions::from_iter([("x-error-words", json!(listed))]);
    let response = ResponseBuilder::new().description(about).content(JSON, content);
    let response = response.extensions(Some(extensions));
    let headers: &[&str] = if later { &["X-Request-ID", "Retry-After"] } else { &["X-Request-ID"] };
    with_headers(response, headers).build()
}

fn with_headers(response: ResponseBuilder, names: &[&str]) -> ResponseBuilder {
    names.iter().fold(response, |response, name| {
        response.header_ref(*name, Ref::new(format!("#/components/headers/{name}")))
    })
}
