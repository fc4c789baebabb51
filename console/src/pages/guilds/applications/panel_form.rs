//! The form of a panel: its fields, its rows of questions, and what it sends.

use std::collections::HashMap;

use entities::application_panel::{Model, QUESTIONS_MAX, Question, QuestionKind, Questions};
use people::ApiAnswer;
use serde_json::{Map, Value, json};

use crate::fields::Fields;
use crate::html::form::Form;

/// Fields with their errors beside them.
pub(super) const FIELDS: [&str; 5] =
    ["name", "category_id", "staff_role_ids", "accept_role_id", "channel_id"];

/// One question as the form shows it; without a label it is not used.
pub(super) struct Row {
    pub(super) number: usize,
    pub(super) label: String,
    pub(super) kind: &'static str,
    /// One a line.
    pub(super) options: String,
    pub(super) required: bool,
    pub(super) problem: String,
}

pub(super) fn kinds() -> Vec<(&'static str, &'static str)> {
    let label = |kind: QuestionKind| match kind {
        QuestionKind::Text => "A short text",
        QuestionKind::Paragraph => "A long text",
        QuestionKind::Choice => "One of several options",
        QuestionKind::Agree => "A box to agree",
    };
    QuestionKind::ALL.iter().map(|kind| (kind.name(), label(*kind))).collect()
}

fn name(number: usize, part: &str) -> String {
    format!("question_{number}_{part}")
}

/// An open panel that nobody has described yet.
pub(super) fn empty() -> Fields {
    of_parts(&[("open", "yes")], &Questions::default())
}

/// The fields of a panel as it is.
pub(super) fn of(panel: &Model) -> Fields {
    let id = |id: Option<String>| id.unwrap_or_default();
    let category = id(panel.category_id.map(|id| id.to_string()));
    let role = id(panel.accept_role_id.map(|id| id.to_string()));
    let staff: Vec<_> =
        panel.staff_role_ids.iter().flat_map(|roles| &roles.0).map(ToString::to_string).collect();
    let mut pairs =
        vec![("name", panel.name.as_str()), ("category_id", &category), ("accept_role_id", &role)];
    pairs.extend(staff.iter().map(|id| ("staff_role_ids", id.as_str())));
    if panel.is_open {
        pairs.push(("open", "yes"));
    }
    of_parts(&pairs, &panel.questions)
}

fn of_parts(pairs: &[(&str, &str)], questions: &Questions) -> Fields {
    let mut fields = Fields::of(pairs);
    for (n, number) in (1..=QUESTIONS_MAX).enumerate() {
        let question = questions.0.get(n);
        let put = |fields: &Fields, part: &str, value: &str| fields.and(&name(number, part), value);
        if question.is_none_or(|question| question.required) {
            fields = put(&fields, "required", "yes");
        }
        if let Some(Question { label, kind, options, .. }) = question {
            fields = put(&fields, "label", label);
            fields = put(&fields, "kind", kind.name());
            fields = put(&fields, "options", &options.join("\n"));
        }
    }
    fields
}

pub(super) fn rows(form: &Form) -> Vec<Row> {
    let row = |number: usize| {
        let text = |part: &str| form.text(&name(number, part)).to_owned();
        let chosen: Option<QuestionKind> = text("kind").parse().ok();
        Row {
            number,
            label: text("label"),
            kind: chosen.unwrap_or(QuestionKind::Text).name(),
            options: text("options"),
            required: !text("required").is_empty(),
            problem: form.problem_of(&format!("question_{number}")).to_owned(),
        }
    };
    (1..=QUESTIONS_MAX).map(row).collect()
}

/// Numbers of the rows that are used.
fn used(form: &Fields) -> Vec<usize> {
    let is_used = |number: &usize| ["label", "options"].iter().any(|part| form.has(&name(*number, part)));
    (1..=QUESTIONS_MAX).filter(is_used).collect()
}

/// The whole panel, for a new one and for a change.
pub(super) fn body(form: &Fields) -> Map<String, Value> {
    let mut body = form.json(&["name"]);
    for field in ["category_id", "accept_role_id"] {
        let chosen = form.text(field);
        body.insert(field.to_owned(), if chosen.is_empty() { Value::Null } else { chosen.into() });
    }
    // Without a choice all staff see the tickets.
    let roles = form.all("staff_role_ids");
    body.insert("staff_role_ids".to_owned(), if roles.is_empty() { Value::Null } else { roles.into() });
    body.insert("open".to_owned(), form.has("open").into());
    let question = |number: usize| {
        let lines = form.text(&name(number, "options")).lines().map(str::trim);
        let options: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        let kind = form.text(&name(number, "kind"));
        json!({ "label": form.text(&name(number, "label")), "kind": kind, "options": options,
                "required": form.has(&name(number, "required")) })
    };
    body.insert("questions".to_owned(), used(form).into_iter().map(question).collect());
    body
}

/// What the API refused. Its message names a question by its place among those that were sent.
pub(super) fn refused(form: &Fields, answer: &ApiAnswer) -> Form {
    let message = answer.body["message"].as_str().unwrap_or_default();
    let Some((number, field)) = place(form, message) else { return Form::refused(form, answer) };
    let is_choice = form.text(&name(number, "kind")) == QuestionKind::Choice.name();
    let texts = HashMap::from([
        ("label", "Enter the question in 1 to 45 characters, different from the other questions."),
        ("kind", "Choose the kind of the answer."),
    ]);
    let text = match texts.get(field) {
        Some(text) => text,
        None if is_choice => "Enter 2 to 25 different options, one a line, each of at most 100 characters.",
        None => "Only one of several options has options: choose this kind, or remove the options.",
    };
    Form::wrong(form, Some(&format!("question_{number}")), text)
}

/// The row and its field behind `questions[1].options`.
fn place<'m>(form: &Fields, message: &'m str) -> Option<(usize, &'m str)> {
    let (n, rest) = message.strip_prefix("`questions[")?.split_once("].")?;
    let number = used(form).get(n.parse::<usize>().ok()?).copied()?;
    Some((number, rest.split('`').next()?))
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    fn panel(questions: Value) -> Model {
        Model {
            guild_id: "7".parse().unwrap(),
            panel_id: 1.try_into().unwrap(),
            name: "Team".to_owned(),
            category_id: Some("77".parse().unwrap()),
            staff_role_ids: None,
            created_at: chrono::DateTime::UNIX_EPOCH,
            questions: Questions::read(&questions).unwrap(),
            accept_role_id: None,
            is_open: true,
            removed_at: None,
        }
    }

    #[test]
    fn a_panel_survives_its_form() {
        let questions = json!([
            { "label": "Why?", "kind": "paragraph", "options": [], "required": true },
            { "label": "Team", "kind": "choice", "options": ["Red", "Blue"], "required": false },
        ]);
        let sent = body(&of(&panel(questions.clone())));
        let expected = json!({ "name": "Team", "category_id": "77", "accept_role_id": null, "staff_role_ids": null,
                               "open": true, "questions": questions });
        assert_eq!(Value::Object(sent), expected);
        assert_eq!(body(&empty())["questions"], json!([]));
    }

    #[test]
    fn a_refused_question_has_its_error_in_its_row() {
        let form = Fields::of(&[
            ("question_1_label", "a"),
            ("question_3_label", "b"),
            ("question_3_kind", "choice"),
        ]);
        let body = json!({ "message": "`questions[1].options` must be 2 to 25 different strings; sent: []" });
        let shown = rows(&refused(&form, &ApiAnswer { status: StatusCode::BAD_REQUEST, body }));
        assert!(shown[2].problem.starts_with("Enter 2 to 25"), "{}", shown[2].problem);
        assert!(shown[0].problem.is_empty() && shown[1].problem.is_empty());
    }
}
