use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn document() -> Value {
    serde_json::to_value(build()).unwrap()
}

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        item.as_object()
            .unwrap()
            .iter()
            .map(|(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    operations.collect()
}

#[test]
fn extensions_are_those_of_the_row() {
    let document = document();
    for row in AREAS.iter().flat_map(|area| area.routes) {
        let operation = &document["paths"][row.path][row.method.as_str().to_ascii_lowercase()];
        let (rate, what) = (row.limit.rate(), format!("{} {}", row.method, row.path));
        assert_eq!(operation["x-rate-limit"]["limit"], rate.limit, "{what}");
        assert_eq!(operation["x-rate-limit"]["window_seconds"], rate.window.as_secs(), "{what}");
        assert_eq!(operation["x-rate-limit"]["bucket"], row.limit.name(), "{what}");
        assert_eq!(operation["x-scope"], row.needs.to_string(), "{what}");
        assert_eq!(operation["x-writes"], row.writes, "{what}");
    }
}

#[test]
fn every_operation_documents_its_request_and_responses() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let what = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{what}: its id is not unique");
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{what}");
        let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
            let found =
                parameters.iter().find(|parameter| parameter["name"] == name && parameter["in"] == "path");
            assert!(found.is_some_and(|parameter| parameter["required"] == true), "{what}: {name}");
        }
        for status in ["400", "401", "403", "429", "500", "503"] {
            assert!(!operation["responses"][status].is_null(), "{what}: {status}");
        }
        let done = &operation["responses"]["200"]["content"]["application/json"];
        assert!(!operation["responses"]["101"].is_null() || !done["example"].is_null(), "{what}");
    }
}

#[test]
fn every_reference_resolves() {
    fn walk(value: &Value, document: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| walk(item, document)),
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    let found = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
                    assert!(found.is_some(), "{reference}");
                }
                fields.values().for_each(|field| walk(field, document));
            }
            _ => {}
        }
    }
    let document = document();
    walk(&document, &document);
    assert_eq!(document["openapi"], "3.1.0");
}

#[test]
fn a_schema_name_means_one_schema() {
    let mut known = Definitions::new();
    for row in AREAS.iter().flat_map(|area| area.routes) {
        let mut own = Definitions::new();
        let _ = operation(row, "", &mut own);
        for (name, schema) in own {
            let json = serde_json::to_value(&schema).unwrap();
            if let Some(other) = known.insert(name.clone(), schema) {
                let message = format!("{name}, also of {} {}", row.method, row.path);
                assert_eq!(serde_json::to_value(other).unwrap(), json, "{message}");
            }
        }
    }
}

/// A change of the contract shows in the snapshot's diff. `INSTA_UPDATE=always` rewrites it.
#[test]
fn the_document_is_the_reviewed_one() {
    let mut document = document();
    document["info"]["version"] = Value::from("in review");
    insta::with_settings!({ snapshot_path => "", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_json_snapshot!("openapi", document);
    });
}

/// Every field of a composed example has a value.
#[test]
fn examples_are_complete() {
    fn holes(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(at.to_owned()),
            Value::Array(items) => items.iter().for_each(|item| holes(item, &format!("{at}[]"), found)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    holes(field, &format!("{at}.{name}"), found);
                }
            }
            _ => {}
        }
    }
    let document = document();
    let mut found = Vec::new();
    for (method, path, operation) in operations(&document) {
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        let done = &operation["responses"]["200"]["content"]["application/json"]["example"];
        for (what, example) in [("body", body), ("answer", done)] {
            if !example.is_null() {
                holes(example, &format!("{method} {path} {what}"), &mut found);
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// An end in the past is refused, so an example must be far in the future; in an answer it is after the
/// beginning.
#[test]
fn examples_end_in_the_far_future() {
    let (document, mut found) = (document(), 0);
    for (method, path, operation) in operations(&document) {
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        for name in ["ends_at", "expires_at"] {
            if let Some(end) = body[name].as_str() {
                found += 1;
                assert!(end.starts_with("2099-"), "{method} {path}: `{name}` is {end}");
            }
            let answer = operation["responses"]["200"].to_string();
            assert!(!answer.contains(&format!("\"{name}\":\"2026-")), "{method} {path}: `{name}`");
        }
    }
    assert!(found >= 6, "only {found} examples with an end");
}
