//! Messages of the bot, with their embeds and components.

use std::fmt::Write as _;

use serde_json::Value;

use super::markup;
use super::visit::{Visit, name};
use crate::html::{escaped, option};
use crate::message::Message;
use crate::message::components::{BUTTON, LINK, TEXT_SELECT};

pub(super) fn list(visit: &Visit<'_>, messages: &[&Message]) -> String {
    if messages.is_empty() {
        return "<p class=\"note\">No messages.</p>".to_owned();
    }
    messages.iter().map(|message| article(visit, message)).collect()
}

fn article(visit: &Visit<'_>, message: &Message) -> String {
    let mut html = "<article><strong>guildhall</strong>".to_owned();
    if message.ephemeral_for.is_some() {
        html.push_str(" <span class=\"note\">Only you can see this.</span>");
    }
    if message.thinking {
        html.push_str("<p>guildhall is thinking…</p>");
    } else if !message.content.is_empty() {
        let _ = write!(html, "<p>{}</p>", text(visit, &message.content));
    }
    for embed in &message.embeds {
        html.push_str(&drawn_embed(visit, embed));
    }
    for row in &message.components {
        let components = row["components"].as_array().into_iter().flatten();
        let components: String = components.map(|one| component(visit, message, one)).collect();
        let _ = write!(html, "<div class=\"row\">{components}</div>");
    }
    html + "</article>"
}

/// Mentions of people and roles show their names.
fn text(visit: &Visit<'_>, raw: &str) -> String {
    markup::html(raw, |mention| named(visit, mention))
}

fn named(visit: &Visit<'_>, mention: &str) -> Option<String> {
    if let Some(role) = mention.strip_prefix('&') {
        return Some(visit.guild.roles.get(&role.parse().ok()?)?.name.clone());
    }
    let id = mention.parse().ok()?;
    Some(name(id, visit.guild.members.get(&id)?))
}

fn drawn_embed(visit: &Visit<'_>, embed: &Value) -> String {
    let shown = |value: &Value| value.as_str().map(|raw| text(visit, raw)).unwrap_or_default();
    let color = embed["color"].as_u64().map(|color| format!(" style=\"border-color:#{color:06x}\""));
    let mut html = format!("<blockquote{}>", color.unwrap_or_default());
    let title = shown(&embed["title"]);
    match embed["url"].as_str() {
        Some(url) if !title.is_empty() => {
            let _ = write!(html, "<p><strong>{}</strong></p>", link(url, &title, ""));
        }
        _ => {
            let _ = write!(html, "<p><strong>{title}</strong></p>");
        }
    }
    let _ = write!(html, "<p>{}</p>", shown(&embed["description"]));
    for field in embed["fields"].as_array().into_iter().flatten() {
        let _ = write!(html, "<p><b>{}</b>\n{}</p>", shown(&field["name"]), shown(&field["value"]));
    }
    let _ = write!(html, "<p class=\"note\">{}</p>", shown(&embed["footer"]["text"]));
    html.replace("<p></p>", "").replace("<p><strong></strong></p>", "").replace("<p class=\"note\"></p>", "")
        + "</blockquote>"
}

/// `label` is HTML.
fn link(url: &str, label: &str, class: &str) -> String {
    format!("<a{class} href=\"{}\" target=\"_blank\" rel=\"noopener\">{label}</a>", escaped(url))
}

fn component(visit: &Visit<'_>, message: &Message, one: &Value) -> String {
    let label = one["label"].as_str().or_else(|| one["emoji"]["name"].as_str()).unwrap_or("Button");
    if one["type"] == BUTTON && one["style"] == LINK {
        return link(one["url"].as_str().unwrap_or_default(), &escaped(label), " class=\"button\"");
    }
    let disabled = if one["disabled"] == true { " disabled" } else { "" };
    let id = escaped(one["custom_id"].as_str().unwrap_or_default());
    let (address, message) = (visit.address(), message.id);
    let form = format!(
        "<form method=\"post\" action=\"{address}\"><input type=\"hidden\" name=\"message\" value=\"{message}\">"
    );
    if one["type"] == BUTTON {
        let label = escaped(label);
        return format!("{form}<button name=\"press\" value=\"{id}\"{disabled}>{label}</button></form>");
    }
    let multiple = if one["max_values"].as_u64().unwrap_or(1) > 1 { " multiple" } else { "" };
    let hint = escaped(one["placeholder"].as_str().unwrap_or("Choose"));
    format!(
        "{form}<label>{hint} <select name=\"values\"{multiple}{disabled}>{}</select></label>\
         <button name=\"press\" value=\"{id}\"{disabled}>Choose</button></form>",
        choices(visit, one)
    )
}

fn choices(visit: &Visit<'_>, select: &Value) -> String {
    if select["type"] == TEXT_SELECT {
        let options = select["options"].as_array().into_iter().flatten();
        let drawn = options.map(|one| {
            let [value, label] = ["value", "label"].map(|name| one[name].as_str().unwrap_or_default());
            option(value, label, one["default"] == true)
        });
        return drawn.collect();
    }
    // The types of selects follow those of command options by one.
    super::controls::objects(visit, select["type"].as_u64().unwrap_or_default() + 1)
}
