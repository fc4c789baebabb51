use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::routes::ROUTES;

fn document() -> Value {
    serde_json::to_value(document::build(ROUTES, areas())).unwrap()
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
fn every_row_of_the_table_is_documented_and_nothing_else_is() {
    let rows: BTreeSet<_> = ROUTES.iter().map(|row| (row.method.to_string(), row.path.to_owned())).collect();
    let described: Vec<_> = areas().into_iter().flat_map(|area| area.operations).collect();
    let described: Vec<_> = described.iter().map(|op| (op.method.to_string(), op.path.to_owned())).collect();
    let once: BTreeSet<_> = described.iter().cloned().collect();
    assert_eq!(once.len(), described.len(), "something is described twice");
    let missing: Vec<_> = rows.difference(&once).collect();
    let foreign: Vec<_> = once.difference(&rows).collect();
    assert!(missing.is_empty() && foreign.is_empty(), "missing: {missing:?}; without a row: {foreign:?}");
    let document = document();
    let shown = operations(&document).into_iter().map(|(method, path, _)| (method, path));
    assert_eq!(shown.collect::<BTreeSet<_>>(), rows);
}

#[test]
fn quota_and_scope_are_those_of_the_row() {
    let document = document();
    for row in ROUTES {
        let operation = &document["paths"][row.path][row.method.as_str().to_ascii_lowercase()];
        let (quota, what) = (row.bucket.quota(), format!("{} {}", row.method, row.path));
        assert_eq!(operation["x-quota"]["limit"], quota.limit, "{what}");
        assert_eq!(operation["x-quota"]["window_seconds"], quota.window.as_secs(), "{what}");
        assert_eq!(operation["x-quota"]["bucket"], row.bucket.name(), "{what}");
        assert_eq!(operation["x-scope"], row.needs.to_string(), "{what}");
    }
}

#[test]
fn every_operation_says_what_it_takes_and_what_it_answers() {
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
fn every_reference_leads_somewhere() {
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
