//! Tells the platform which commands there are, if it has others.

use entities::ChatId;
use platforms::{PlatformError, Platforms};
use serde_json::{Value, json};

use crate::commands::{definitions, find};

/// What became of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// The platform had them.
    Unchanged,
    Replaced,
    /// The platform has those of another program.
    Kept,
}

/// What becomes of the commands of another program that uses the same bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Replaced,
    Kept,
}

/// The number of commands, and whether the platform had them. It keeps them for all guilds of the application.
pub async fn register(platforms: &Platforms, others: Others) -> Result<(usize, Registered), PlatformError> {
    let application: ChatId = platforms.application().await?.id;
    let (ours, theirs) = (definitions(), platforms.chat_commands(application).await?);
    let registered = if are_same(&theirs) {
        Registered::Unchanged
    } else if others == Others::Kept && are_others(&theirs) {
        Registered::Kept
    } else {
        platforms.put_chat_commands(application, json!(ours)).await?;
        Registered::Replaced
    };
    Ok((ours.len(), registered))
}

/// Whether the platform has the commands of this version.
pub async fn are_registered(platforms: &Platforms, application: ChatId) -> Result<bool, PlatformError> {
    Ok(are_same(&platforms.chat_commands(application).await?))
}

fn are_same(theirs: &[Value]) -> bool {
    is_same(&sorted(json!(definitions())), &sorted(json!(theirs)))
}

/// There are some, and no version of ours has made them.
fn are_others(theirs: &[Value]) -> bool {
    let is_ours = |command: &Value| command["name"].as_str().is_some_and(|name| find(name).is_ok());
    !theirs.is_empty() && !theirs.iter().any(is_ours)
}

fn sorted(mut commands: Value) -> Value {
    if let Some(list) = commands.as_array_mut() {
        list.sort_by_key(|command| command["name"].to_string());
    }
    commands
}

/// Whether the platform's value says the same: it adds fields of its own, and leaves out what is empty or false.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(ours), theirs) => {
            ours.iter().all(|(name, value)| is_same(value, &theirs[name.as_str()]))
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_same(ours, theirs))
        }
        (Value::Array(ours), Value::Null) => ours.is_empty(),
        (Value::Bool(false), Value::Null) => true,
        (ours, theirs) => ours == theirs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platforms_additions_are_no_difference_and_all_else_is() {
        let ours = json!([{ "name": "a", "type": 1, "default_member_permissions": null, "contexts": [0],
                            "options": [{ "name": "x", "type": 3, "required": false }] }]);
        let mut theirs = json!([{ "id": "1", "version": "2", "name": "a", "type": 1, "nsfw": false, "contexts": [0],
                                  "default_member_permissions": null, "options": [{ "name": "x", "type": 3 }] }]);
        assert!(is_same(&ours, &theirs));
        for (place, value) in [
            ("/0/name", json!("b")),
            ("/0/contexts", json!([0, 1])),
            ("/0/default_member_permissions", json!("32")),
            ("/0/options/0/type", json!(4)),
            ("/0/options", json!([])),
        ] {
            let before = std::mem::replace(theirs.pointer_mut(place).unwrap(), value);
            assert!(!is_same(&ours, &theirs), "{place}");
            *theirs.pointer_mut(place).unwrap() = before;
        }
        assert!(
            !is_same(&ours, &json!([])) && !is_same(&json!([]), &ours) && is_same(&json!([]), &json!([]))
        );
    }

    #[test]
    fn commands_without_one_of_ours_are_of_another_program() {
        let named = |names: &[&str]| names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>();
        assert!(are_others(&named(&["play", "skip"])));
        assert!(!are_others(&[]) && !are_others(&named(&["link", "old"])));
    }

    #[test]
    fn the_platform_would_take_each_definition() {
        let definitions = json!(definitions());
        let list = definitions.as_array().unwrap();
        let is_name = |name: &Value| {
            let name = name.as_str().unwrap();
            (1..=32).contains(&name.len())
                && name.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
        };
        let is_described = |text: &Value| (1..=100).contains(&text.as_str().unwrap().chars().count());
        for command in list {
            assert!(is_name(&command["name"]) && is_described(&command["description"]), "{command}");
            let options = command["options"].as_array().unwrap();
            assert!(
                options.iter().all(|one| is_name(&one["name"]) && is_described(&one["description"])),
                "{command}"
            );
            // The required ones come first.
            assert!(options.is_sorted_by_key(|one| one["required"] != true), "{command}");
        }
        let names: std::collections::BTreeSet<_> =
            list.iter().map(|command| command["name"].to_string()).collect();
        assert_eq!(names.len(), list.len());
    }

    #[test]
    fn the_rules_have_a_row_for_each_command() {
        let rules = include_str!("../../docs/rules.md");
        let rows =
            rules.lines().filter_map(|line| line.trim_start().strip_prefix("| `/")?.split(" | ").next());
        let mut documented: Vec<_> =
            rows.flat_map(|row| row.split(", ")).map(|name| name.trim_matches(['`', '/'])).collect();
        // Rows of other tables are paths.
        documented.retain(|name| !name.contains('/'));
        let mut known: Vec<_> = definitions().iter().map(crate::definition::Definition::name).collect();
        documented.sort_unstable();
        known.sort_unstable();
        assert_eq!(documented, known);
    }
}
