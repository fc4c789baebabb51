//! Fields of a form, with what was typed in them and what is wrong with it. As templates of their own they are compiled once,
//! and not in each page.

use askama::Template;
use askama::filters::HtmlSafe;

use super::Form;
use crate::html::choice::Choice;

/// What is wrong with a field, and who may be meant.
#[derive(Template)]
#[template(path = "form/problem.html")]
pub(crate) struct ProblemAt<'a> {
    form: &'a Form,
    name: &'a str,
}

#[derive(Template)]
#[template(path = "form/text.html")]
pub(crate) struct TextField<'a> {
    form: &'a Form,
    name: &'a str,
    label: &'a str,
    hint: &'a str,
    /// The input's type.
    kind: &'a str,
}

/// A field that suggests people while somebody types.
#[derive(Template)]
#[template(path = "form/person.html")]
pub(crate) struct PersonField<'a> {
    form: &'a Form,
    name: &'a str,
    label: &'a str,
    hint: &'a str,
    /// Whom it suggests.
    among: &'a str,
}

#[derive(Template)]
#[template(path = "form/select.html")]
pub(crate) struct SelectField<'a> {
    form: &'a Form,
    name: &'a str,
    label: &'a str,
    hint: &'a str,
    choices: &'a [Choice],
}

impl HtmlSafe for ProblemAt<'_> {}
impl HtmlSafe for TextField<'_> {}
impl HtmlSafe for PersonField<'_> {}
impl HtmlSafe for SelectField<'_> {}

/// For `parts.html`.
impl Form {
    pub(crate) fn problem_at<'a>(&'a self, name: &'a str) -> ProblemAt<'a> {
        ProblemAt { form: self, name }
    }

    pub(crate) fn text_field<'a>(
        &'a self,
        name: &'a str,
        label: &'a str,
        hint: &'a str,
        kind: &'a str,
    ) -> TextField<'a> {
        TextField { form: self, name, label, hint, kind }
    }

    pub(crate) fn person_field<'a>(
        &'a self,
        name: &'a str,
        label: &'a str,
        hint: &'a str,
        among: &'a str,
    ) -> PersonField<'a> {
        PersonField { form: self, name, label, hint, among }
    }

    pub(crate) fn select_field<'a>(
        &'a self,
        name: &'a str,
        label: &'a str,
        hint: &'a str,
        choices: &'a [Choice],
    ) -> SelectField<'a> {
        SelectField { form: self, name, label, hint, choices }
    }
}
