//! Checks commands as they are registered, with the platform's limits.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::form::{self, FormErrors};
use crate::interactions::command::{ATTACHMENT, GROUP, INTEGER, NUMBER, STRING, SUBCOMMAND, is_nested};
use crate::reply::Reply;

/// Typed in the chat. The others stand in the menus of people and messages; the simulator has no such menus.
const CHAT_INPUT: &[u64] = &[1];
const MAX_OPTIONS: usize = 25;
const MAX_CHOICES: usize = 25;
const OPTION_TYPES: [u64; 11] = [SUBCOMMAND, GROUP, STRING, INTEGER, 5, 6, 7, 8, 9, NUMBER, ATTACHMENT];

pub(crate) fn check(commands: &[Value]) -> Result<(), Reply> {
    let mut errors = FormErrors::default();
    // The list is the body itself: a field without a name.
    let body = Map::from_iter([(String::new(), Value::from(commands))]);
    let mut names = HashSet::new();
    Fields::new(&body, &mut errors).each("", 0..=commands.len(), |command| {
        if command.get("type").is_some() {
            command.choice("type", CHAT_INPUT);
        }
        let repeated = ("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique");
        check_names(command, &mut names, repeated);
        command.flag("nsfw");
        command.flag("dm_permission");
        let permissions = command.text("default_member_permissions", 0..=20);
        if let Some(text) = permissions.filter(|text| text.parse::<u64>().is_err()) {
            command.error("default_member_permissions", form::not_a_number(text));
        }
        check_options(command);
    });
    errors.into_result()
}

fn check_names<'f>(
    fields: &mut Fields<'f, '_>,
    names: &mut HashSet<&'f str>,
    (code, text): (&'static str, &str),
) {
    fields.required_text("description", 1..=100);
    let Some(name) = fields.required_text("name", 1..=32) else { return };
    let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
    if !name.bytes().all(allowed) {
        let text = "Command name is invalid".to_owned();
        fields.error("name", ("APPLICATION_COMMAND_INVALID_NAME", text));
    }
    if !names.insert(name) {
        fields.error("name", (code, text.to_owned()));
    }
}

fn check_options(fields: &mut Fields<'_, '_>) {
    let mut names = HashSet::new();
    let mut optional = false;
    let given = fields.list("options", 0..=MAX_OPTIONS);
    let nested = given.iter().filter(|option| is_nested(option)).count();
    if nested > 0 && nested < given.len() {
        let text = "Sub-command and sub-command group option types are mutually exclusive to all other types";
        fields.error("options", ("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", text.to_owned()));
    }
    if given.is_empty() {
        // Either none, or a mistake that is noted.
        return;
    }
    fields.each("options", 0..=MAX_OPTIONS, |option| {
        let repeated = ("APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names must be unique");
        check_names(option, &mut names, repeated);
        let kind = option.choice("type", &OPTION_TYPES);
        let required = option.flag("required");
        if required && optional {
            let text = "Required options must be placed before non-required options".to_owned();
            option.error("required", ("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text));
        }
        optional |= !required;
        option.flag("autocomplete");
        option.number("min_length", 0..=6000);
        option.number("max_length", 1..=6000);
        check_choices(option, kind);
        if kind == SUBCOMMAND || kind == GROUP {
            check_options(option);
        }
    });
}

fn check_choices(option: &mut Fields<'_, '_>, kind: u64) {
    option.each("choices", 0..=MAX_CHOICES, |choice| {
        choice.required_text("name", 1..=100);
        match kind {
            STRING => {
                choice.required_text("value", 1..=100);
            }
            INTEGER if choice.get("value").is_none_or(|value| !value.is_i64()) => {
                choice.error("value", form::not_a_number("value"));
            }
            NUMBER if choice.get("value").is_none_or(|value| !value.is_number()) => {
                choice.error("value", form::not_a_number("value"));
            }
            _ => {}
        }
    });
}
