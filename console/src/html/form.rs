//! A form as it is shown: empty, or with the person's input and its errors.

mod field;

use http::StatusCode;
use people::{ApiAnswer, labels};

use crate::fields::Fields;
use crate::html::candidate::{Candidate, Unresolved};
pub(crate) use field::Input;

#[derive(Debug, Default)]
pub(crate) struct Form {
    fields: Fields,
    problem: Option<Box<Problem>>,
}

#[derive(Debug)]
struct Problem {
    field: Option<String>,
    text: String,
    /// Beside the field, whose label says what it is about.
    at_field: String,
    /// Of the page that shows the form.
    status: StatusCode,
    /// Who may be meant.
    candidates: Vec<Candidate>,
}

impl Form {
    pub(crate) fn new(fields: Fields) -> Self {
        Self { fields, problem: None }
    }

    /// What the API refused; its message names the field.
    pub(crate) fn refused(fields: &Fields, answer: &ApiAnswer) -> Self {
        let mut form = Self::wrong(fields, answer.field(), &answer.message());
        if let Some(problem) = form.problem.as_mut().filter(|_| answer.status == StatusCode::FORBIDDEN) {
            problem.status = answer.status;
        }
        form
    }

    pub(crate) fn wrong(fields: &Fields, field: Option<&str>, text: &str) -> Self {
        let label = field.map(|field| format!("{}: ", labels::label(field))).unwrap_or_default();
        let at_field = labels::capital(text.strip_prefix(&label).unwrap_or(text));
        let (field, text, status) =
            (field.map(str::to_owned), text.to_owned(), StatusCode::UNPROCESSABLE_ENTITY);
        let problem = Problem { field, text, at_field, status, candidates: Vec::new() };
        Self { fields: fields.clone(), problem: Some(Box::new(problem)) }
    }

    /// What was typed is fine, but somebody else has changed the field meanwhile.
    pub(crate) fn conflict(fields: &Fields, field: &str, text: &str) -> Self {
        let mut form = Self::wrong(fields, Some(field), text);
        if let Some(problem) = &mut form.problem {
            problem.status = StatusCode::CONFLICT;
        }
        form
    }

    /// A question about a field, which is no error.
    pub(crate) fn asks(fields: &Fields, field: &str, question: Unresolved) -> Self {
        let mut form = Self::wrong(fields, Some(field), &question.text);
        if let Some(problem) = &mut form.problem {
            (problem.status, problem.candidates) = (StatusCode::OK, question.candidates);
        }
        form
    }

    /// A field names nobody: an error, unless it can be said who may be meant.
    pub(crate) fn unresolved(fields: &Fields, field: &str, problem: Unresolved) -> Self {
        if problem.candidates.is_empty() {
            return Self::wrong(fields, Some(field), &problem.text);
        }
        Self::asks(fields, field, problem)
    }

    /// Who may be meant by the text of this field.
    pub(crate) fn candidates_of(&self, name: &str) -> &[Candidate] {
        let problem = self.problem.as_ref().filter(|problem| problem.field.as_deref() == Some(name));
        problem.map_or(&[], |problem| &problem.candidates)
    }

    /// Who was chosen for this field, to be sent again with it, unless that was wrong.
    pub(crate) fn choice(&self, name: &str) -> Option<&str> {
        let is_wrong = !self.problem_of(name).is_empty() && self.status() != StatusCode::OK;
        self.fields.choice(name).filter(|_| !is_wrong && self.candidates_of(name).is_empty())
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields.text(name)
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.fields.all(name)
    }

    pub(crate) fn is(&self, name: &str, value: impl AsRef<str>) -> bool {
        self.fields.all(name).contains(&value.as_ref())
    }

    /// The error of this field; empty: none.
    pub(crate) fn problem_of(&self, name: &str) -> &str {
        let problem = self.problem.as_ref().filter(|problem| problem.field.as_deref() == Some(name));
        problem.map_or("", |problem| &problem.at_field)
    }

    /// The error that concerns no field of the form; empty: none.
    pub(crate) fn problem_beside(&self, shown: &[&str]) -> &str {
        let problem = self.problem.as_ref();
        let beside =
            problem.filter(|problem| problem.field.as_deref().is_none_or(|field| !shown.contains(&field)));
        beside.map_or("", |problem| &problem.text)
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.problem.is_some()
    }

    /// Of the page that shows the form.
    pub(crate) fn status(&self) -> StatusCode {
        self.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_stands_at_its_field_with_what_was_typed() {
        let body = json!({ "message": "`rank` must be an integer from 0 to 255; sent: \"x\"" });
        let answer = ApiAnswer { status: StatusCode::BAD_REQUEST, body };
        let form = Form::refused(&Fields::of(&[("rank", "x")]), &answer);
        assert!(form.problem_of("rank").starts_with("Choose a rank") && form.problem_of("role").is_empty());
        assert_eq!((form.text("rank"), form.problem_beside(&["rank"])), ("x", ""));
        assert!(form.problem_beside(&["role"]).starts_with("Rank: choose a rank"));
    }
}
