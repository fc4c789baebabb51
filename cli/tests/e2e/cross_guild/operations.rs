//! The operations of the served document, and the places of ids in each.

use std::cmp::Reverse;
use std::fmt::Write;

use reqwest::Method;
use serde_json::Value;

use testkit::{Deployment, http_client};
use testkit::{Ids, kind_of};

/// `{guildId}` and `guild_id` name the guild, not an object of it.
const GUILD: [&str; 2] = ["guildId", "guild_id"];

const ANSWERS_SECRETS: [&str; 3] =
    ["/guilds/{guildId}/keys", "/guilds/{guildId}/link-attempts", "/guilds/{guildId}/webhooks"];

pub(crate) struct Operation {
    pub(crate) method: Method,
    /// With its parameters as `{name}`.
    pub(crate) template: String,
    /// The document's example, without `guild_id`.
    body: Option<Value>,
    /// The names of the ids in path, query and body.
    pub(super) path_ids: Vec<String>,
    pub(super) query_ids: Vec<String>,
    pub(super) body_ids: Vec<String>,
    /// Whether the body has a `guild_id`.
    pub(super) guild_in_body: bool,
    /// A GET, or a POST that only reads.
    pub(crate) reads: bool,
}

pub(crate) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

/// All operations. Those that create objects come last: they take numbers that the guild chooses itself, and such a
/// number must exist only in the other guild until then.
pub(crate) async fn operations(deployment: &Deployment) -> Vec<Operation> {
    let url = format!("{}/openapi.json", deployment.api_base(0));
    let document = http_client().get(url).send().await.unwrap().text().await.unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut all = Vec::new();
    for (template, methods) in document["paths"].as_object().unwrap() {
        // Where no key is taken, there is no key of another guild.
        let by_key =
            methods.as_object().unwrap().iter().filter(|(_, operation)| operation["security"].is_null());
        for (method, operation) in by_key {
            all.push(Operation::new(&document, (template, method), operation));
        }
    }
    all.sort_by_key(|operation| {
        let methods = ["GET", "DELETE", "POST", "PATCH", "PUT"];
        let method = methods.iter().position(|method| operation.method == *method).unwrap();
        (method, operation.path_ids.is_empty(), Reverse(operation.template.clone()))
    });
    all
}

impl Operation {
    fn new(document: &Value, (template, method): (&str, &str), operation: &Value) -> Self {
        let named = |place: &str| -> Vec<String> {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let here = parameters.filter(|parameter| parameter["in"] == place);
            here.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
        };
        let mut path_ids = named("path");
        path_ids.retain(|name| !GUILD.contains(&name.as_str()));
        let unknown: Vec<_> = path_ids.iter().filter(|name| kind_of(name).is_none()).collect();
        assert!(unknown.is_empty(), "{method} {template}: what are {unknown:?}? Say so in `objects.rs`");
        let mut query_ids = named("query");
        query_ids.retain(|name| is_object(name));
        let content = &operation["requestBody"]["content"]["application/json"];
        let schema = followed(document, &content["schema"]);
        let mut body_ids = Vec::new();
        collect_ids(schema, &mut body_ids);
        let mut body = content.get("example").cloned();
        assert_eq!(body.is_some(), content.is_object(), "{method} {template}: a body without an example");
        let guild_in_body = schema["properties"].get("guild_id").is_some();
        if let Some(body) = body.as_mut().and_then(Value::as_object_mut) {
            body.remove("guild_id");
        }
        let method: Method = method.to_uppercase().parse().unwrap();
        // What answers with a secret cannot be repeated either.
        let reads = method == Method::GET
            || method == Method::POST
                && named("header").iter().all(|name| name != "Idempotency-Key")
                && !ANSWERS_SECRETS.iter().any(|path| template.starts_with(path));
        let template = template.to_owned();
        Self { method, template, body, path_ids, query_ids, body_ids, guild_in_body, reads }
    }

    pub(super) fn guild_in_path(&self) -> bool {
        self.template.contains("{guildId}")
    }

    /// Each place of an id alone, and all places together.
    pub(super) fn walks(&self) -> Vec<(&Self, Vec<&str>)> {
        let places = self.ids();
        let mut walks: Vec<_> = places.iter().map(|place| (self, vec![*place])).collect();
        if places.len() > 1 {
            walks.push((self, places));
        }
        walks
    }

    /// The name of every id.
    pub(crate) fn ids(&self) -> Vec<&str> {
        let all = self.path_ids.iter().chain(&self.query_ids).chain(&self.body_ids);
        all.map(String::as_str).collect()
    }

    /// A request with the ids of one guild, and those of `others` at `places`.
    pub(crate) fn request(&self, own: &Ids, places: &[&str], others: &Ids) -> Request {
        let ids_at = |name: &str| if places.contains(&name) { others } else { own };
        let mut path = self.template.replace("{guildId}", &own.guild);
        for name in &self.path_ids {
            path = path.replace(&format!("{{{name}}}"), &ids_at(name).text(name));
        }
        let filters = self.query_ids.iter().filter(|name| places.contains(&name.as_str()));
        for (n, name) in filters.enumerate() {
            let mark = if n == 0 { '?' } else { '&' };
            write!(path, "{mark}{name}={}", others.text(name)).unwrap();
        }
        let mut body = self.body.clone();
        if let Some(body) = &mut body {
            fill(body, &|name| is_object(name).then(|| ids_at(name).value(name)));
        }
        Request { method: self.method.clone(), path, body }
    }
}

/// Follows a `$ref`.
fn followed<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.map_or(schema, |pointer| document.pointer(pointer).unwrap())
}

fn is_object(name: &str) -> bool {
    let is_id = ["_id", "_ids", "Id"].iter().any(|end| name.ends_with(end)) || name == "identifier";
    is_id && !GUILD.contains(&name) && !testkit::OUTSIDE.contains(&name)
}

/// The names of the ids in a body's schema, at any depth.
fn collect_ids(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if is_object(name) && !names.contains(name) {
                    assert!(kind_of(name).is_some(), "what is `{name}` in a body? Say so in `objects.rs`");
                    names.push(name.clone());
                }
                collect_ids(value, names);
            }
            fields.iter().filter(|(name, _)| *name != "properties").for_each(|(_, v)| collect_ids(v, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, names)),
        _ => {}
    }
}

/// Replaces ids in a body; a list gets the one id.
fn fill(body: &mut Value, id: &dyn Fn(&str) -> Option<Value>) {
    match body {
        Value::Object(fields) => {
            for (name, value) in fields {
                match id(name) {
                    Some(id) if value.is_array() => *value = Value::Array(vec![id]),
                    Some(id) => *value = id,
                    None => fill(value, id),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, id)),
        _ => {}
    }
}
