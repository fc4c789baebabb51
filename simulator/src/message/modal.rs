//! Modals: forms that a person fills after a command or the press of a button.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::fields::Fields;
use crate::form::{self, FormErrors};
use crate::message::components::{self, ROW, TEXT_SELECT, check_custom_id, check_options};
use crate::reply::Reply;

const TEXT_INPUT: u64 = 4;
const LABEL: u64 = 18;
pub(crate) const CHECKBOXES: u64 = 22;
const SHORT_AND_PARAGRAPH: [u64; 2] = [1, 2];
const MAX_TEXT: i64 = 4000;

/// A modal that the platform can show. Texts stand in rows or in labels, choices in labels.
pub(crate) fn check(map: &Map<String, Value>) -> Result<(), Reply> {
    let mut errors = FormErrors::default();
    let mut modal = Fields::new(map, &mut errors);
    modal.required_text("custom_id", 1..=100);
    modal.required_text("title", 1..=45);
    let mut ids = HashSet::new();
    modal.each("components", 1..=5, |row| {
        if row.choice("type", &[ROW, LABEL]) == LABEL {
            row.required_text("label", 1..=45);
            if row.get("component").is_none() {
                row.error("component", form::required());
            }
            row.inner("component", |input| {
                match input.choice("type", &[TEXT_SELECT, TEXT_INPUT, CHECKBOXES]) {
                    TEXT_SELECT => check_choice(input, 25, &mut ids),
                    CHECKBOXES => check_choice(input, 10, &mut ids),
                    _ => check_input(input, &mut ids),
                }
            });
        } else {
            row.each("components", 1..=1, |input| {
                input.required_text("label", 1..=45);
                check_input(input, &mut ids);
            });
        }
    });
    errors.into_result()
}

/// A select, or boxes to check.
fn check_choice<'f>(input: &mut Fields<'f, '_>, most: u8, ids: &mut HashSet<&'f str>) {
    check_custom_id(input, ids);
    input.text("placeholder", 0..=150);
    let least = input.number("min_values", 0..=most.into());
    input.number("max_values", 1..=most.into());
    let required = input.get("required").is_none() || input.flag("required");
    if least == Some(0) && required {
        let text = "A required choice has at least one value.".to_owned();
        input.error("min_values", ("COMPONENT_MIN_VALUES_REQUIRED", text));
    }
    check_options(input, most.into());
}

fn check_input<'f>(input: &mut Fields<'f, '_>, ids: &mut HashSet<&'f str>) {
    input.choice("type", &[TEXT_INPUT]);
    check_custom_id(input, ids);
    input.choice("style", &SHORT_AND_PARAGRAPH);
    input.number("min_length", 0..=MAX_TEXT);
    input.number("max_length", 1..=MAX_TEXT);
    input.text("value", 0..=4000);
    input.text("placeholder", 0..=100);
    input.flag("required");
}

/// The inputs of a modal, each with its label.
pub(crate) fn inputs(modal: &Value) -> impl Iterator<Item = (&str, &Value)> {
    modal["components"].as_array().into_iter().flatten().filter_map(|row| {
        let input = row.get("component").or_else(|| row["components"].get(0))?;
        let label = row["label"].as_str().or_else(|| input["label"].as_str())?;
        Some((label, input))
    })
}

/// What a person has typed, in the format of the modal's rows. Absent fields are empty.
pub(crate) fn submitted(modal: &Value, typed: &Map<String, Value>) -> Result<Value, String> {
    let known = |name: &&String| inputs(modal).any(|(_, input)| input["custom_id"] == name.as_str());
    if let Some(unknown) = typed.keys().find(|name| !known(name)) {
        return Err(format!("fields: the modal has no input {unknown}"));
    }
    let rows = modal["components"].as_array().into_iter().flatten();
    let fill = |(row, (_, input)): (&Value, (&str, &Value))| {
        let id = input["custom_id"].as_str().unwrap_or_default();
        let input = filled(id, typed.get(id), input)?;
        Ok(if row["type"] == LABEL {
            json!({ "type": LABEL, "component": input })
        } else {
            json!({ "type": ROW, "components": [input] })
        })
    };
    let mut filled = rows.zip(inputs(modal)).map(fill).collect::<Result<Vec<Value>, String>>()?;
    components::number(&mut filled, &mut 0);
    Ok(filled.into())
}

/// Typed is a text, or a list of chosen values.
fn filled(id: &str, typed: Option<&Value>, input: &Value) -> Result<Value, String> {
    let kind = input["type"].as_u64().unwrap_or_default();
    if kind == TEXT_INPUT {
        let text = typed.map_or(Some(""), Value::as_str);
        let text = text.ok_or_else(|| format!("fields: {id} must be a text"))?;
        check_text(id, text, input)?;
        return Ok(json!({ "type": kind, "custom_id": id, "value": text }));
    }
    let none = Vec::new();
    let values = typed.map_or(Some(&none), Value::as_array);
    let values = values.ok_or_else(|| format!("fields: {id} must be a list of values"))?;
    let options = input["options"].as_array().unwrap_or(&none);
    if let Some(unknown) =
        values.iter().find(|value| !options.iter().any(|option| option["value"] == **value))
    {
        return Err(format!("fields: {id} has no option {unknown}"));
    }
    let required = input["required"].as_bool().unwrap_or(true);
    let most = input["max_values"].as_u64().unwrap_or(if kind == TEXT_SELECT { 1 } else { 10 });
    if values.len() as u64 > most || (required && values.is_empty()) {
        return Err(format!("fields: {id} has too many or too few values"));
    }
    Ok(json!({ "type": kind, "custom_id": id, "values": values }))
}

fn check_text(id: &str, text: &str, input: &Value) -> Result<(), String> {
    let length = text.chars().count() as u64;
    let required = input["required"].as_bool().unwrap_or(true);
    if length == 0 {
        return if required { Err(format!("fields: {id} is required")) } else { Ok(()) };
    }
    let allowed = input["min_length"].as_u64().unwrap_or(0)..=input["max_length"].as_u64().unwrap_or(4000);
    if allowed.contains(&length) { Ok(()) } else { Err(format!("fields: {id} has a wrong length")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modal(rows: Value) -> Value {
        json!({ "custom_id": "m", "title": "t", "components": rows })
    }

    #[test]
    fn inputs_stand_in_rows_or_labels() {
        let input = json!({ "type": 4, "custom_id": "a", "style": 1, "label": "A", "max_length": 3 });
        let bare = json!({ "type": 4, "custom_id": "b", "style": 2, "required": false });
        let good = modal(json!([{ "type": 1, "components": [input] },
                                { "type": 18, "label": "B", "component": bare }]));
        assert!(check(good.as_object().unwrap()).is_ok());
        let typed = |text: Value| submitted(&good, text.as_object().unwrap());
        let filled = json!([{ "type": 1, "id": 1,
                              "components": [{ "type": 4, "id": 2, "custom_id": "a", "value": "x" }] },
                            { "type": 18, "id": 3,
                              "component": { "type": 4, "id": 4, "custom_id": "b", "value": "" } }]);
        assert_eq!(typed(json!({ "a": "x" })), Ok(filled));
        for wrong in [json!({}), json!({ "a": "long" }), json!({ "a": 1 }), json!({ "a": "x", "c": "x" })] {
            assert!(typed(wrong.clone()).is_err(), "{wrong}");
        }
        let choice = json!({ "type": 3, "custom_id": "c", "options": [{ "label": "Red", "value": "r" }] });
        let agree = json!({ "type": 22, "custom_id": "d", "min_values": 0, "required": false, "options": [{ "label": "Yes", "value": "y" }] });
        let labelled = |input: &Value| json!({ "type": 18, "label": "L", "component": input });
        let choices = modal(json!([labelled(&choice), labelled(&agree)]));
        assert!(check(choices.as_object().unwrap()).is_ok());
        let chosen = |values: Value| submitted(&choices, values.as_object().unwrap());
        let sent = chosen(json!({ "c": ["r"] })).unwrap();
        assert_eq!(
            (&sent[0]["component"]["values"], &sent[1]["component"]["values"]),
            (&json!(["r"]), &json!([]))
        );
        for wrong in [json!({}), json!({ "c": "r" }), json!({ "c": ["x"] }), json!({ "c": ["r", "r"] })] {
            assert!(chosen(wrong.clone()).is_err(), "{wrong}");
        }
        let empty = json!({ "type": 3, "custom_id": "c", "options": [] });
        let loose = json!({ "type": 22, "custom_id": "d", "min_values": 0, "options": [{ "label": "Yes", "value": "y" }] });
        for wrong in [&empty, &loose] {
            assert!(check(modal(json!([labelled(wrong)])).as_object().unwrap()).is_err(), "{wrong}");
        }
        let doubled =
            modal(json!([{ "type": 1, "components": [input] }, { "type": 1, "components": [input] }]));
        let unlabelled = modal(json!([{ "type": 1, "components": [bare] }]));
        for wrong in [doubled, unlabelled, modal(json!([])), json!({ "custom_id": "m" })] {
            assert!(check(wrong.as_object().unwrap()).is_err(), "{wrong}");
        }
    }
}
