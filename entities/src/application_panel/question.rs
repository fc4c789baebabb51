//! The questions of a panel, and the answers that fit them (docs/rules.md 7).

use std::collections::HashSet;
use std::ops::RangeInclusive;

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// Questions of a panel.
pub const QUESTIONS_MAX: usize = 10;
/// Questions that one form of the chat platform takes.
pub const FORM_QUESTIONS: usize = 5;
/// Characters of a label.
pub const LABEL_MAX: usize = 45;
/// Options of a choice.
pub const OPTIONS: RangeInclusive<usize> = 2..=25;
/// Characters of an option.
pub const OPTION_MAX: usize = 100;

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = QuestionKind)]
pub enum QuestionKind {
    /// One line.
    Text,
    Paragraph,
    /// One of the options.
    Choice,
    /// True or false; true if the question is required.
    Agree,
}

impl QuestionKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Characters of an answer; `None`: the answer is no text of the applicant's own.
    pub fn longest(self) -> Option<usize> {
        match self {
            Self::Text => Some(200),
            Self::Paragraph => Some(1_000),
            Self::Choice | Self::Agree => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ApplicationQuestion)]
pub struct Question {
    /// Differs from the others of the panel: answers are named by it.
    #[schema(example = "Why do you apply?")]
    pub label: String,
    pub kind: QuestionKind,
    /// Of a choice.
    #[schema(example = json!(["Red", "Blue"]))]
    pub options: Vec<String>,
    pub required: bool,
}

/// In the order in which they are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct Questions(pub Vec<Question>);

/// What of sent questions is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Leads there from the list: `[1].options`.
    pub place: String,
    pub sent: Value,
    /// Completes "must be …".
    pub rule: &'static str,
}

/// A field, and what it must be.
type Rule = (&'static str, &'static str);

impl Questions {
    pub fn read(sent: &Value) -> Result<Self, Misfit> {
        let misfit = |place: String, sent: &Value, rule| Misfit { place, sent: sent.clone(), rule };
        let none = Vec::new();
        // Lua writes an empty list as an empty object.
        let is_empty = sent.as_object().is_some_and(Map::is_empty);
        let items = if is_empty { Some(&none) } else { sent.as_array() };
        let items = items.filter(|items| items.len() <= QUESTIONS_MAX);
        let items = items.ok_or_else(|| misfit(String::new(), sent, "an array of at most 10 questions"))?;
        let (mut questions, mut labels) = (Vec::new(), HashSet::new());
        for (n, item) in items.iter().enumerate() {
            let wrong = |(field, rule): Rule| misfit(format!("[{n}].{field}"), &item[field], rule);
            let question = Question::read(item).map_err(wrong)?;
            if !labels.insert(question.label.clone()) {
                return Err(wrong(("label", "a text that no other question of the panel has")));
            }
            questions.push(question);
        }
        Ok(Self(questions))
    }

    /// Whether one form of the chat platform takes all of them. With more, people apply on the page.
    pub fn fit_form(&self) -> bool {
        self.0.len() <= FORM_QUESTIONS
    }

    /// The answers as they are kept. A panel without questions takes any. `Err` names the question.
    pub fn check(&self, answers: Map<String, Value>) -> Result<Map<String, Value>, String> {
        if self.0.is_empty() {
            return Ok(answers);
        }
        if let Some(unknown) = answers.keys().find(|label| !self.0.iter().any(|one| one.label == **label)) {
            return Err(format!("the panel does not ask \"{unknown}\""));
        }
        let mut kept = Map::new();
        for question in &self.0 {
            let given = answers.get(&question.label).unwrap_or(&Value::Null);
            match question.checked(given).map_err(|rule| format!("\"{}\" {rule}", question.label))? {
                Some(answer) => _ = kept.insert(question.label.clone(), answer),
                None if question.required => return Err(format!("\"{}\" needs an answer", question.label)),
                None => {}
            }
        }
        Ok(kept)
    }
}

impl Question {
    fn read(sent: &Value) -> Result<Self, Rule> {
        let label = text(&sent["label"], LABEL_MAX).ok_or(("label", "a string of 1 to 45 characters"))?;
        let kind: Option<QuestionKind> = sent["kind"].as_str().and_then(|word| word.parse().ok());
        let kind = kind.ok_or(("kind", "one of text, paragraph, choice, agree"))?;
        let required = match &sent["required"] {
            Value::Null => true,
            sent => sent.as_bool().ok_or(("required", "true or false"))?,
        };
        let options = match &sent["options"] {
            Value::Null => Some(Vec::new()),
            Value::Object(none) if none.is_empty() => Some(Vec::new()),
            sent => sent.as_array().and_then(|all| all.iter().map(|one| text(one, OPTION_MAX)).collect()),
        };
        let differ = |options: &Vec<String>| options.iter().collect::<HashSet<_>>().len() == options.len();
        let fits = |options: &Vec<String>| match kind {
            QuestionKind::Choice => OPTIONS.contains(&options.len()) && differ(options),
            _ => options.is_empty(),
        };
        let rule = match kind {
            QuestionKind::Choice => "2 to 25 different strings of 1 to 100 characters",
            _ => "empty, because only a choice has options",
        };
        let options = options.filter(fits).ok_or(("options", rule))?;
        Ok(Self { label, kind, options, required })
    }

    /// `None`: there is no answer.
    fn checked(&self, given: &Value) -> Result<Option<Value>, String> {
        match (self.kind, given) {
            (QuestionKind::Agree, Value::Null) => Ok(None),
            (QuestionKind::Agree, Value::Bool(false)) if self.required => Err("must be agreed to".to_owned()),
            (QuestionKind::Agree, Value::Bool(agreed)) => Ok(Some(Value::Bool(*agreed))),
            (QuestionKind::Agree, _) => Err("takes true or false".to_owned()),
            (_, Value::Null) => Ok(None),
            (_, Value::String(text)) => self.checked_text(text.trim()),
            _ => Err("takes a text".to_owned()),
        }
    }

    fn checked_text(&self, text: &str) -> Result<Option<Value>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        match self.kind.longest() {
            Some(longest) if text.chars().count() > longest => {
                Err(format!("takes at most {longest} characters"))
            }
            None if !self.options.iter().any(|option| option == text) => {
                Err(format!("takes one of its options: {}", self.options.join(", ")))
            }
            _ => Ok(Some(text.into())),
        }
    }
}

/// Without spaces around it.
fn text(sent: &Value, longest: usize) -> Option<String> {
    let text = sent.as_str()?.trim();
    (1..=longest).contains(&text.chars().count()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn questions() -> Questions {
        let sent = json!([
            { "label": " Why? ", "kind": "paragraph" },
            { "label": "Name", "kind": "text", "required": false },
            { "label": "Team", "kind": "choice", "options": ["Red", "Blue"], "required": null },
            { "label": "Rules", "kind": "agree", "options": {} },
        ]);
        Questions::read(&sent).unwrap()
    }

    #[test]
    fn what_is_wrong_with_a_question_is_named() {
        assert_eq!(questions().0[0].label, "Why?");
        assert_eq!(Questions::read(&json!({})), Ok(Questions::default()));
        let good = json!({ "label": "a", "kind": "text" });
        let many: Vec<_> = (0..26).map(|n| n.to_string()).collect();
        for (sent, place) in [
            (json!("x"), ""),
            (json!(vec![good.clone(); 11]), ""),
            (json!([good, 7]), "[1].label"),
            (json!([good, good]), "[1].label"),
            (json!([{ "label": "x".repeat(46), "kind": "text" }]), "[0].label"),
            (json!([{ "label": " ", "kind": "text" }]), "[0].label"),
            (json!([{ "label": "a", "kind": "file" }]), "[0].kind"),
            (json!([{ "label": "a" }]), "[0].kind"),
            (json!([{ "label": "a", "kind": "text", "required": "yes" }]), "[0].required"),
            (json!([{ "label": "a", "kind": "text", "options": ["b"] }]), "[0].options"),
            (json!([{ "label": "a", "kind": "choice", "options": ["b"] }]), "[0].options"),
            (json!([{ "label": "a", "kind": "choice", "options": ["b", "b"] }]), "[0].options"),
            (json!([{ "label": "a", "kind": "choice", "options": ["b", 7] }]), "[0].options"),
            (json!([{ "label": "a", "kind": "choice", "options": many }]), "[0].options"),
        ] {
            assert_eq!(Questions::read(&sent).unwrap_err().place, place, "{sent}");
        }
    }

    #[test]
    fn answers_fit_their_questions() {
        let check = |answers: Value| questions().check(answers.as_object().unwrap().clone());
        let good = json!({ "Why?": " order ", "Team": "Red", "Rules": true, "Name": "" });
        assert_eq!(
            Value::Object(check(good.clone()).unwrap()),
            json!({ "Why?": "order", "Team": "Red", "Rules": true })
        );
        for (label, answer, named) in [
            ("Why?", json!(null), "\"Why?\" needs an answer"),
            ("Why?", json!("x".repeat(1_001)), "\"Why?\" takes at most 1000 characters"),
            ("Why?", json!(7), "\"Why?\" takes a text"),
            ("Name", json!("x".repeat(201)), "\"Name\" takes at most 200 characters"),
            ("Team", json!("Green"), "\"Team\" takes one of its options: Red, Blue"),
            ("Rules", json!(false), "\"Rules\" must be agreed to"),
            ("Rules", json!("yes"), "\"Rules\" takes true or false"),
            ("Age", json!("7"), "the panel does not ask \"Age\""),
        ] {
            let mut bad = good.clone();
            bad[label] = answer;
            assert_eq!(check(bad).unwrap_err(), named);
        }
        let any = json!({ "age": 20 });
        assert_eq!(
            Questions::default().check(any.as_object().unwrap().clone()),
            Ok(any.as_object().unwrap().clone())
        );
    }
}
