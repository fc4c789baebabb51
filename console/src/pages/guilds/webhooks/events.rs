//! The events of a webhook as choices for people: a box stands for one or more areas of actions.

use entities::webhook::{ALL_EVENTS, CUSTOM_EVENTS, Model, event_words};
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::html::form::Form;

/// The words of a box, and what happens then.
const CHOICES: [(&str, &str); 11] = [
    (ALL_EVENTS, "Everything"),
    ("moderation", "Bans and mutes"),
    ("links link_attempts", "Links of members"),
    ("bindings roles sync", "Bindings, syncs and roles by hand"),
    (
        "staff_members staff_roles actions loa notes quotas sessions strikes",
        "Staff: who they are, what they do, leave, strikes, notes, quotas",
    ),
    ("shield", "Shield"),
    ("commands games", "Game servers and their commands"),
    ("application_panels application_submissions ticket", "Applications and tickets"),
    ("job jobs", "Jobs that a person or key ends or starts again"),
    (
        "accounts console guilds keys log_channels settings webhooks",
        "Keys, settings, webhooks, log channels and sign-ins",
    ),
    (CUSTOM_EVENTS, "Entries that your programs add to the audit log"),
];

/// The field for actions without a box.
pub(super) const SINGLE: &str = "single_events";

pub(super) struct Choice {
    pub(super) words: &'static str,
    pub(super) label: &'static str,
    pub(super) chosen: bool,
}

pub(super) fn choices(form: &Form) -> Vec<Choice> {
    CHOICES.map(|(words, label)| Choice { words, label, chosen: form.is("events", words) }).into()
}

/// The fields of the form for a webhook as it is.
pub(super) fn fields(hook: &Model) -> Fields {
    let mut single: Vec<&str> = hook.event_words().collect();
    let mut pairs = vec![("url", hook.url.as_str())];
    for (words, _) in CHOICES {
        if words.split(' ').all(|word| single.contains(&word)) {
            single.retain(|word| !words.split(' ').any(|boxed| boxed == *word));
            pairs.push(("events", words));
        }
    }
    let single = single.join(" ");
    pairs.push((SINGLE, &single));
    Fields::of(&pairs)
}

/// What the form sends to the API; or the form, where it names an event that there is not.
pub(super) fn body(form: &Fields) -> Result<Map<String, Value>, Form> {
    let known = event_words();
    if let Some(unknown) = form.text(SINGLE).split_whitespace().find(|word| !known.contains(word)) {
        let text = format!("There is no event \"{unknown}\". The audit log's filter has all actions.");
        return Err(Form::wrong(form, Some(SINGLE), &text));
    }
    if form.all("events").is_empty() && !form.has(SINGLE) {
        return Err(Form::wrong(form, Some("events"), "Choose at least one, or name single events below."));
    }
    let mut body = form.json(&["url"]);
    let words = form.all("events").into_iter().chain([form.text(SINGLE)]).flat_map(str::split_whitespace);
    body.insert("events".to_owned(), words.map(Value::from).collect());
    Ok(body)
}

/// The events of a webhook in words.
pub(super) fn words(hook: &Model) -> String {
    let fields = fields(hook);
    let boxed = CHOICES.iter().filter(|(words, _)| fields.all("events").contains(words));
    let mut said: Vec<&str> = boxed.map(|(_, label)| *label).collect();
    said.extend(fields.text(SINGLE).split_whitespace());
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_boxes_stand_for_all_areas() {
        let mut boxed: Vec<_> = CHOICES.iter().flat_map(|(words, _)| words.split(' ')).collect();
        let mut areas: Vec<_> = event_words().into_iter().filter(|word| !word.contains('.')).collect();
        boxed.sort_unstable();
        areas.sort_unstable();
        assert_eq!(boxed, areas);
    }

    #[test]
    fn boxes_and_single_events_add_up() {
        let form = Fields::of(&[
            ("url", "https://example.org"),
            ("events", "job jobs"),
            (SINGLE, " moderation.ban\tlinks.add "),
        ]);
        let events = json!(["job", "jobs", "moderation.ban", "links.add"]);
        assert_eq!(
            Value::Object(body(&form).unwrap()),
            json!({ "url": "https://example.org", "events": events })
        );
    }
}
