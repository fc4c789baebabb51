//! The questions of a panel as a form. Each field has the question that it answers beside it, so that what changes in the panel while
//! somebody types is noticed when it is sent.

use entities::application_panel::{QUESTIONS_MAX, Question, QuestionKind, Questions};
use people::ApiAnswer;
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::Number;

/// Options that are shown one below the other; more are a list.
const RADIOS_MAX: usize = 6;

/// A question with what was typed.
pub(super) struct Asked {
    pub(super) number: usize,
    /// Of the field.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) required: bool,
    pub(super) input: Input,
}

pub(super) enum Input {
    Line { most: Number<usize> },
    Paragraph { most: Number<usize> },
    Radios(Vec<String>),
    List(Vec<String>),
    Box,
}

impl Asked {
    pub(super) fn all(questions: &Questions) -> Vec<Self> {
        let asked = |(n, question): (usize, &Question)| Self {
            number: n + 1,
            name: name(n),
            label: question.label.clone(),
            required: question.required,
            input: Input::of(question),
        };
        questions.0.iter().enumerate().map(asked).collect()
    }
}

impl Input {
    fn of(question: &Question) -> Self {
        let most = Number(question.kind.longest().unwrap_or_default());
        match question.kind {
            QuestionKind::Text => Self::Line { most },
            QuestionKind::Paragraph => Self::Paragraph { most },
            QuestionKind::Choice if question.options.len() <= RADIOS_MAX => {
                Self::Radios(question.options.clone())
            }
            QuestionKind::Choice => Self::List(question.options.clone()),
            QuestionKind::Agree => Self::Box,
        }
    }
}

fn name(n: usize) -> String {
    format!("answer_{}", n + 1)
}

/// What was typed, by the questions of now: the form may have been made for others.
pub(super) fn typed(questions: &Questions, form: &Fields) -> Fields {
    let answer = |question: &Question| {
        let label = |n: usize| form.text(&format!("asked_{}", n + 1)).replace("\r\n", "\n");
        let found = (0..QUESTIONS_MAX).find(|n| label(*n) == question.label)?;
        Some(form.text(&name(found)))
    };
    let pairs = questions.0.iter().enumerate().filter_map(|(n, question)| Some((name(n), answer(question)?)));
    // Browsers send each end of a line as two characters.
    let pairs: Vec<_> = pairs.map(|(name, text)| (name, text.replace("\r\n", "\n"))).collect();
    Fields::of(&pairs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

/// The answers as the API takes them.
pub(super) fn body(questions: &Questions, typed: &Fields) -> Map<String, Value> {
    let answer = |(n, question): (usize, &Question)| {
        let text = typed.text(&name(n));
        let answer = match question.kind {
            QuestionKind::Agree => Value::Bool(!text.is_empty()),
            _ => Value::from(text),
        };
        (question.label.clone(), answer)
    };
    questions.0.iter().enumerate().map(answer).collect()
}

/// What the API refused, at the question that its message names.
pub(super) fn refused(questions: &Questions, typed: &Fields, answer: &ApiAnswer) -> Form {
    let message = answer.body["message"].as_str().unwrap_or_default();
    let named = message.strip_prefix("`answers`: ").and_then(|said| {
        let rule = |question: &Question| said.strip_prefix(&format!("\"{}\" ", question.label));
        let found = questions.0.iter().enumerate().filter_map(|(n, question)| Some((n, rule(question)?)));
        // A label may be the beginning of another.
        found.min_by_key(|(_, rule)| rule.len())
    });
    match named {
        Some((n, rule)) => Form::wrong(typed, Some(&name(n)), &format!("{rule}.")),
        None => Form::refused(typed, answer),
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde_json::json;

    use super::*;

    fn questions() -> Questions {
        let sent = json!([
            { "label": "Why?", "kind": "paragraph" },
            { "label": "Why?\" needs", "kind": "text", "required": false },
            { "label": "Rules", "kind": "agree" },
        ]);
        Questions::read(&sent).unwrap()
    }

    #[test]
    fn answers_go_to_the_questions_that_were_shown() {
        // The panel asked in another order, and something else.
        let form = Fields::of(&[
            ("asked_1", "Rules"),
            ("answer_1", "yes"),
            ("asked_2", "Age"),
            ("answer_2", "20"),
            ("asked_3", "Why?"),
            ("answer_3", "a\r\nb "),
        ]);
        let typed = typed(&questions(), &form);
        assert_eq!((typed.text("answer_1"), typed.text("answer_3")), ("a\nb", "yes"));
        let body = Value::Object(body(&questions(), &typed));
        assert_eq!(body, json!({ "Why?": "a\nb", "Why?\" needs": "", "Rules": true }));
    }

    #[test]
    fn a_refusal_stands_at_its_question() {
        let refused = |message: &str| {
            let answer =
                ApiAnswer { status: StatusCode::UNPROCESSABLE_ENTITY, body: json!({ "message": message }) };
            refused(&questions(), &Fields::default(), &answer)
        };
        assert_eq!(
            refused("`answers`: \"Rules\" must be agreed to").problem_of("answer_3"),
            "Must be agreed to."
        );
        let either = refused("`answers`: \"Why?\" needs\" needs an answer");
        assert_eq!((either.problem_of("answer_1"), either.problem_of("answer_2")), ("", "Needs an answer."));
        assert_eq!(refused("no").problem_beside(&["answer_1"]), "No.");
    }
}
