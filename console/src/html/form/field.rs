//! A field of a form, with what was typed in it and what is wrong with it. As templates of their own they are compiled once, and
//! not in each page.

use askama::Template;
use askama::filters::HtmlSafe;

use super::Form;
use crate::html::choice::Choice;

/// What is wrong with a field, and who may be or is meant.
#[derive(Template)]
#[template(path = "form/problem.html")]
pub(crate) struct ProblemAt<'a> {
    form: &'a Form,
    name: &'a str,
}

#[derive(Template)]
#[template(path = "form/field.html")]
pub(crate) struct Field<'a> {
    form: &'a Form,
    name: &'a str,
    label: &'a str,
    hint: &'a str,
    input: Input<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// Of this type.
    Text(&'a str),
    /// Suggests these while somebody types.
    Person(&'a str),
    Select(&'a [Choice]),
}

impl HtmlSafe for ProblemAt<'_> {}
impl HtmlSafe for Field<'_> {}

/// For `parts.html`.
impl Form {
    pub(crate) fn problem_at<'a>(&'a self, name: &'a str) -> ProblemAt<'a> {
        ProblemAt { form: self, name }
    }

    pub(crate) fn field<'a>(
        &'a self,
        name: &'a str,
        label: &'a str,
        hint: &'a str,
        input: Input<'a>,
    ) -> Field<'a> {
        Field { form: self, name, label, hint, input }
    }
}
