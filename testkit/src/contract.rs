//! Checks every JSON answer in any test against `/openapi.json`: the document must describe an answer
//! with that status and form.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use crate::answer::Answer;

/// Paths are served below this prefix too.
const VERSIONED: &str = "/api/v1";
/// Refusals without an operation.
const NO_SUCH_PATH: &str = "no_such_path";
const OTHER_METHOD: u16 = 405;

/// Shared by all processes of the product that a test process calls: there is one binary.
static CONTRACT: OnceLock<Contract> = OnceLock::new();

pub struct Contract {
    document: Value,
    /// Path templates; those with more literal segments first.
    templates: Vec<String>,
    /// By JSON pointer of the schema.
    validators: Mutex<HashMap<String, &'static Validator>>,
}

pub async fn contract(http: &reqwest::Client, base: &str) -> &'static Contract {
    if let Some(known) = CONTRACT.get() {
        return known;
    }
    let url = format!("{base}/openapi.json");
    let response = http.get(&url).send().await.unwrap_or_else(|error| panic!("{url}: {error:?}"));
    assert_eq!(response.status(), 200, "{url}");
    let document = response.text().await.unwrap();
    CONTRACT.get_or_init(|| Contract::new(serde_json::from_str(&document).unwrap()))
}

/// The game platform calls it, in its own form.
const SIGNED: &str = "/play/webhooks";

impl Contract {
    fn new(document: Value) -> Self {
        let mut templates: Vec<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
        templates.sort_by_key(|path| (path.matches('{').count(), path.clone()));
        Self { document, templates, validators: Mutex::default() }
    }

    /// Panics with the path and each violation if the answer is not as documented.
    pub fn check(&self, method: &str, path: &str, answer: &Answer) {
        let bare = path.split(['?', '#']).next().unwrap_or_default();
        let bare = bare.strip_prefix(VERSIONED).unwrap_or(bare);
        let bare = bare.strip_suffix('/').unwrap_or(bare);
        if bare == SIGNED {
            return;
        }
        let Some(template) = self.templates.iter().find(|template| matches(template, bare)) else {
            // Health, metrics and documentation have no operation; their only JSON answers are those to a wrong method.
            let refused = answer.error() == NO_SUCH_PATH || answer.status == OTHER_METHOD;
            assert!(refused, "{answer}: a path that is not in the document answers");
            return;
        };
        let operation = &self.document["paths"][template][method.to_ascii_lowercase()];
        if operation.is_null() {
            assert_eq!(
                answer.status, OTHER_METHOD,
                "{answer}: this method of {template} is not in the document"
            );
            return;
        }
        let escaped = template.replace('~', "~0").replace('/', "~1");
        let at = format!("/paths/{escaped}/{}/responses/{}", method.to_ascii_lowercase(), answer.status);
        let Some((at, response)) = self.followed(at) else {
            panic!("{answer}: the document does not have this status for {method} {template}");
        };
        let schema = &response["content"]["application/json"]["schema"];
        assert!(
            !schema.is_null(),
            "{answer}: the document has no body for this status of {method} {template}"
        );
        let errors: Vec<_> = self
            .validator(at, schema)
            .iter_errors(&answer.body)
            .map(|error| format!("  at {}: {error}", error.instance_path()))
            .collect();
        assert!(
            errors.is_empty(),
            "{answer}: not as documented for {method} {template}:\n{}",
            errors.join("\n")
        );
    }

    fn followed(&self, pointer: String) -> Option<(String, &Value)> {
        let found = self.document.pointer(&pointer)?;
        match found["$ref"].as_str() {
            Some(reference) => self.followed(reference.trim_start_matches('#').to_owned()),
            None => Some((pointer, found)),
        }
    }

    fn validator(&self, at: String, schema: &Value) -> &'static Validator {
        let mut known = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(at).or_insert_with_key(|at| {
            // The schema's references point into the same document.
            let mut whole = schema.clone();
            whole["components"] = self.document["components"].clone();
            let validator = jsonschema::draft202012::new(&whole);
            Box::leak(Box::new(validator.unwrap_or_else(|error| panic!("the schema at {at}: {error}"))))
        })
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given => {}
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() => {}
            _ => return false,
        }
    }
}
