//! The form about the days of a leave and its reason.

use entities::{ChatId, Timestamp};
use serde_json::{Map, Value};

use super::super::days;
use super::super::person::STAFF_FIELD;
use crate::html::form::Form;
use crate::visit::GuildVisit;

pub(super) const FIELDS: [&str; 5] = [STAFF_FIELD, "staff_id", "starts_at", "ends_at", "reason"];

/// The times that the form names. A day that is already the one of `before` keeps its exact time.
pub(super) fn times(
    visit: &GuildVisit,
    before: Option<(Timestamp, Timestamp)>,
) -> Result<(Timestamp, Timestamp), Form> {
    let (form, zone) = (&visit.form, days::zone(visit));
    let wrong = |field, text| Form::wrong(form, Some(field), text);
    let (first, last) = (form.text("starts_at"), form.text("ends_at"));
    let kept = before.filter(|before| days::day(before.0, zone) == first).map(|before| before.0);
    let begin = kept.or_else(|| days::begin(first, zone));
    let begin = begin.ok_or_else(|| wrong("starts_at", "Choose the first day."))?;
    let kept = before.filter(|before| days::last_day(before.1, zone) == last).map(|before| before.1);
    let end = kept.or_else(|| days::end(last, zone));
    let end = end.ok_or_else(|| wrong("ends_at", "Choose the last day."))?;
    if end <= begin {
        return Err(wrong("ends_at", "The last day is before the first day."));
    }
    Ok((begin, end))
}

/// The fields of a form about these days.
pub(super) fn fields(
    visit: &GuildVisit,
    (starts, ends): (Timestamp, Timestamp),
    reason: String,
) -> [(&'static str, String); 3] {
    let zone = days::zone(visit);
    [("starts_at", days::day(starts, zone)), ("ends_at", days::last_day(ends, zone)), ("reason", reason)]
}

pub(super) fn borrowed<'f>(fields: &'f [(&'static str, String); 3]) -> [(&'static str, &'f str); 3] {
    fields.each_ref().map(|(name, value)| (*name, value.as_str()))
}

/// The form's fields for the API, or the form with its errors.
pub(super) fn body(
    visit: &GuildVisit,
    before: Option<(Timestamp, Timestamp)>,
) -> Result<Map<String, Value>, Form> {
    let (begin, end) = times(visit, before)?;
    if !visit.form.has("reason") {
        return Err(Form::wrong(&visit.form, Some("reason"), "Enter a reason, in a few words."));
    }
    let mut body = visit.form.json(&["reason"]);
    body.insert("starts_at".to_owned(), days::sent(begin).into());
    body.insert("ends_at".to_owned(), days::sent(end).into());
    Ok(body)
}

/// The same with the staff member.
pub(super) fn body_of(visit: &GuildVisit, staff: ChatId) -> Result<Map<String, Value>, Form> {
    let mut body = body(visit, None)?;
    body.insert("staff_id".to_owned(), staff.to_string().into());
    Ok(body)
}
