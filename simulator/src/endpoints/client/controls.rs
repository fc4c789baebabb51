//! The forms below the messages: commands with their options, and the open modal.

use std::fmt::Write as _;

use serde_json::Value;

use super::visit::{Visit, name, people};
use crate::html::{escaped, option};
use crate::interactions::command::{BOOLEAN, CHANNEL, INTEGER, NUMBER, ROLE, USER, is_nested, options_at};
use crate::message::components::TEXT_SELECT;
use crate::message::modal::{CHECKBOXES, inputs};

/// The commands that this person may use, each a link to its form, and the open form.
pub(super) fn commands(visit: &Visit<'_>) -> String {
    let may = visit.guild.permissions_of(visit.user, visit.member);
    let allowed = |command: &&Value| {
        let needed = command["default_member_permissions"].as_str().and_then(|text| text.parse::<u64>().ok());
        needed.is_none_or(|needed| may & needed == needed)
    };
    let mut links = String::new();
    for command in visit.state.conversations.commands_of(visit.guild_id).filter(allowed) {
        for typed in typed_names(command, "") {
            let (address, typed) = (visit.address(), escaped(&typed));
            let query = typed.replace(' ', "+");
            let _ =
                write!(links, "<a class=\"button\" href=\"{address}&amp;command={query}#end\">/{typed}</a>");
        }
    }
    if links.is_empty() {
        return "<p class=\"note\">You have no commands here.</p>".to_owned();
    }
    let form = visit.command.as_deref().and_then(|typed| form(visit, typed)).unwrap_or_default();
    format!("<nav class=\"row\" aria-label=\"Commands\">{links}</nav>{form}")
}

/// What a person can type: the command, or each of its subcommands.
fn typed_names(at: &Value, before: &str) -> Vec<String> {
    let name = format!("{before}{}", at["name"].as_str().unwrap_or_default());
    let nested = at["options"].as_array().into_iter().flatten().filter(|option| is_nested(option));
    let inner: Vec<String> = nested.flat_map(|option| typed_names(option, &format!("{name} "))).collect();
    if inner.is_empty() { vec![name] } else { inner }
}

fn form(visit: &Visit<'_>, typed: &str) -> Option<String> {
    let names: Vec<&str> = typed.split_whitespace().collect();
    let (first, rest) = names.split_first()?;
    let at = options_at(visit.state.conversations.command(visit.guild_id, first)?, rest)?;
    let fields = at["options"].as_array().into_iter().flatten().filter(|option| !is_nested(option));
    let fields: String = fields.map(|option| field(visit, option)).collect();
    let description = escaped(at["description"].as_str().unwrap_or_default());
    Some(format!(
        "<form method=\"post\" action=\"{}\"><p><strong>/{typed}</strong> {description}</p>{fields}\
         <button name=\"command\" value=\"{typed}\">Send</button></form>",
        visit.address(),
        typed = escaped(typed)
    ))
}

fn field(visit: &Visit<'_>, one: &Value) -> String {
    let name = escaped(one["name"].as_str().unwrap_or_default());
    let description = escaped(one["description"].as_str().unwrap_or_default());
    let required = if one["required"] == true { " required" } else { "" };
    let attributes = format!(" name=\"option.{name}\"{required}");
    let kind = one["type"].as_u64().unwrap_or_default();
    let choices = one["choices"].as_array().filter(|choices| !choices.is_empty());
    let options = match (choices, kind) {
        (Some(choices), _) => choices.iter().map(choice).collect(),
        (None, BOOLEAN) => option("true", "Yes", false) + &option("false", "No", false),
        (None, _) => objects(visit, kind),
    };
    let limit = |name: &str, attribute: &str| match &one[name] {
        Value::Number(limit) => format!(" {attribute}=\"{limit}\""),
        _ => String::new(),
    };
    let input = match kind {
        _ if !options.is_empty() => {
            format!("<select{attributes}><option value=\"\"></option>{options}</select>")
        }
        INTEGER | NUMBER => {
            let step = if kind == NUMBER { " step=\"any\"" } else { "" };
            let limits = limit("min_value", "min") + &limit("max_value", "max");
            format!("<input type=\"number\"{attributes}{limits}{step}>")
        }
        _ => {
            let limits = limit("min_length", "minlength") + &limit("max_length", "maxlength");
            format!("<input{attributes}{limits} autocomplete=\"off\">")
        }
    };
    format!("<label>{name}: {description}{input}</label>")
}

fn choice(one: &Value) -> String {
    let value = one["value"].as_str().map_or_else(|| one["value"].to_string(), str::to_owned);
    option(&value, one["name"].as_str().unwrap_or_default(), false)
}

/// What can be chosen for an option of this type: people, roles, channels; for other types nothing.
pub(super) fn objects(visit: &Visit<'_>, kind: u64) -> String {
    match kind {
        USER => {
            let people = people(visit.guild).into_iter();
            people.map(|(id, member)| option(&id.to_string(), &name(id, member), false)).collect()
        }
        ROLE => {
            let roles = visit.guild.roles.iter();
            roles.map(|(id, role)| option(&id.to_string(), &role.name, false)).collect()
        }
        CHANNEL => {
            let channels = visit.guild.channels.iter();
            channels.map(|(id, channel)| option(&id.to_string(), &channel.name, false)).collect()
        }
        _ => String::new(),
    }
}

/// The modal that answered the last interaction.
pub(super) fn modal(visit: &Visit<'_>, seen: &Value) -> String {
    let modal = &seen["modal"];
    let (Some(id), Some(last)) = (modal["custom_id"].as_str(), visit.last) else { return String::new() };
    let fields: String = inputs(modal).map(|(label, input)| modal_input(label, input)).collect();
    format!(
        "<form method=\"post\" action=\"{}\"><h3>{}</h3><input type=\"hidden\" name=\"interaction\" value=\"{last}\">\
         {fields}<button name=\"submit\" value=\"{}\">Submit</button></form>",
        visit.address(),
        escaped(modal["title"].as_str().unwrap_or_default()),
        escaped(id)
    )
}

fn modal_input(label: &str, input: &Value) -> String {
    let kind = input["type"].as_u64().unwrap_or_default();
    if kind != TEXT_SELECT && kind != CHECKBOXES {
        return text_input(label, input);
    }
    let id = escaped(input["custom_id"].as_str().unwrap_or_default());
    let required = if input["required"].as_bool().unwrap_or(true) { " required" } else { "" };
    let options = input["options"].as_array().into_iter().flatten();
    let part = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    if kind == TEXT_SELECT {
        let options: String =
            options.map(|one| option(&part(one, "value"), &part(one, "label"), false)).collect();
        return format!(
            "<label>{}<select name=\"choice.{id}\"{required}><option value=\"\"></option>{options}</select></label>",
            escaped(label)
        );
    }
    let mut boxes = String::new();
    for one in options {
        let (value, label) = (escaped(&part(one, "value")), escaped(&part(one, "label")));
        let _ = write!(
            boxes,
            "<label><input type=\"checkbox\" name=\"choice.{id}\" value=\"{value}\"{required}>{label}</label>"
        );
    }
    format!("<fieldset><legend>{}</legend>{boxes}</fieldset>", escaped(label))
}

fn text_input(label: &str, input: &Value) -> String {
    let text = |name: &str| escaped(input[name].as_str().unwrap_or_default());
    let required = if input["required"].as_bool().unwrap_or(true) { " required" } else { "" };
    let attributes = format!(
        " name=\"field.{}\" placeholder=\"{}\" maxlength=\"{}\"{required}",
        text("custom_id"),
        text("placeholder"),
        input["max_length"].as_u64().unwrap_or(4000)
    );
    let value = text("value");
    let input = if input["style"] == 2 {
        format!("<textarea rows=\"4\"{attributes}>{value}</textarea>")
    } else {
        format!("<input{attributes} value=\"{value}\">")
    };
    format!("<label>{}{input}</label>", escaped(label))
}
