//! Every form of a guild, with each of its fields left empty or filled with nonsense: errors are in plain
//! words, without names of the API.

use std::collections::BTreeSet;

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::security::{crawl, populate};
use testkit::console::FoundForm;
use testkit::console::{Console, Page};

in_turn!(what_is_wrong_is_said_in_words_of_people);

/// A valid value of a field, so that only one is wrong at a time.
fn fitting(form: &FoundForm, name: &str) -> String {
    if let Some(choice) = form.choices(name).iter().find(|choice| !choice.is_empty()) {
        return choice.clone();
    }
    let text = match name {
        "expires_at" if form.action.ends_with("/keys") => "7",
        "starts_at" => "2037-01-01",
        "ends_at" | "expires_at" => "2037-02-01",
        "name" | "role_name" | "reason" | "body" | "type" => "words",
        "word" if form.action.contains("/servers/") => "all",
        "word" => "sync",
        "identifier" | "chat_id" => "999999999",
        _ => "1",
    };
    text.to_owned()
}

/// Rate limits count by person, so the forms rotate among people.
const MANAGERS: usize = 8;

/// They have the owner's rights.
async fn managers(deployment: &Deployment) -> Vec<Console> {
    let (guild, mut managers) = (deployment.guild(), Vec::new());
    for member in guild.members.iter().rev().take(MANAGERS) {
        let roles = [&guild.privileged_role];
        let role = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": roles });
        deployment.simulator.change_member(role).await;
        managers.push(Console::of(deployment, guild, &member.chat).await);
    }
    managers
}

/// The fields of a form with this in one of them, and valid values in the empty ones.
fn sent(form: &FoundForm, sender: &Console, wrong: &str, typed: &str) -> Vec<(String, String)> {
    let value = |name: &String| if name == wrong { typed.to_owned() } else { fitting(form, name) };
    let given = |name: &String| form.fields.iter().any(|(known, value)| known == name && !value.is_empty());
    let filled = form.typed.iter().filter(|name| *name == wrong || !given(name));
    let filled: Vec<_> = filled.map(|name| (name.clone(), value(name))).collect();
    let kept = form.fields.iter().filter(|(name, _)| !filled.iter().any(|(known, _)| known == name));
    // Choices that a person ticks.
    let ticked = [("length", "own"), ("scopes", "read"), ("form_token", &sender.form_token())]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    kept.filter(|(name, _)| name != "form_token")
        .cloned()
        .chain(filled.iter().cloned())
        .chain(ticked)
        .collect()
}

/// A name such as `place_id`, or something in backticks.
fn is_of_the_api(text: &str) -> bool {
    let inner =
        |word: &str| word.split('_').count() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    // Placeholders of the nickname template are typed as they are.
    let mut names = words.filter(|word| inner(word) && !matches!(*word, "play_username" | "play_id"));
    text.contains('`') || names.next().is_some()
}

fn faults(form: &FoundForm, wrong: &str, typed: &str, answer: &Page) -> Vec<String> {
    let at = || format!("{} {wrong}={typed:?}", form.action);
    if answer.status == 429 || answer.status >= 500 {
        return vec![format!("{}: {}", at(), answer.status)];
    }
    let bad = answer.problems().into_iter().filter(|problem| is_of_the_api(problem));
    bad.map(|problem| format!("{}: {problem}", at())).collect()
}

async fn what_is_wrong_is_said_in_words_of_people(deployment: &Deployment) {
    populate(deployment).await;
    let (owner, managers) = (Console::owner(deployment).await, managers(deployment).await);
    let start = format!("/console/guilds/{}", deployment.guild().id);
    let mut pages = crawl(&owner, &start, 2).await;
    // No link leads to the second step of a new binding.
    pages.push(owner.get(&format!("{start}/bindings?group_id={}", deployment.guild().group)).await);
    let (mut seen, mut found, mut refused) = (BTreeSet::new(), Vec::new(), 0);
    for form in pages.iter().flat_map(Page::forms).filter(|form| form.is_post && !form.typed.is_empty()) {
        let kind: String = form.action.chars().filter(|c| !c.is_ascii_digit()).collect();
        if !seen.insert((kind, form.typed.clone())) {
            continue;
        }
        let sender = &managers[seen.len() % MANAGERS];
        // Points of every kind of action have one rule.
        for wrong in form.typed.iter().filter(|name| !name.starts_with("weight_") || *name == "weight_ban") {
            for typed in ["", "\u{a7}"] {
                let answer = sender.send_form(&form, &sent(&form, sender, wrong, typed)).await;
                refused += usize::from(!answer.problems().is_empty());
                found.extend(faults(&form, wrong, typed, &answer));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    assert!(seen.len() >= 15 && refused >= 30, "{} forms, {refused} refusals: {seen:#?}", seen.len());
}
