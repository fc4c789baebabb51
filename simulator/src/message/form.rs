//! Reads a message that the bot sends or changes, with the platform's limits.

use serde_json::{Map, Value, json};

use crate::fields::Fields;
use crate::form::{self, FormErrors};
use crate::message::components;
use crate::reply::Reply;

/// Flag: only the person who caused the message sees it.
pub(crate) const EPHEMERAL: u64 = 1 << 6;
const MAX_CONTENT: usize = 2000;
const MAX_NONCE: usize = 25;
const MAX_EMBEDS: usize = 10;
/// Characters in all embeds of a message.
const MAX_EMBED_TEXT: usize = 6000;
const MAX_COLOR: i64 = 0xFF_FF_FF;
/// `SUPPRESS_EMBEDS`, `SUPPRESS_NOTIFICATIONS`.
const KNOWN_FLAGS: u64 = EPHEMERAL | 1 << 2 | 1 << 12;
const MENTIONS: [&str; 3] = ["roles", "users", "everyone"];

/// The fields of a message; `None` is absent, null is empty.
#[derive(Debug, Default)]
pub(crate) struct MessageForm {
    pub(crate) content: Option<String>,
    pub(crate) embeds: Option<Vec<Value>>,
    pub(crate) components: Option<Vec<Value>>,
    pub(crate) flags: u64,
    pub(crate) allowed_mentions: Value,
    /// Of a message that is posted once.
    pub(crate) nonce: Option<String>,
}

impl MessageForm {
    pub(crate) fn read(map: &Map<String, Value>) -> Result<Self, Reply> {
        let mut errors = FormErrors::default();
        let mut fields = Fields::new(map, &mut errors);
        fields.text("content", 0..=MAX_CONTENT);
        let mut length = 0;
        fields.each("embeds", 0..=MAX_EMBEDS, |embed| length += check_embed(embed));
        if length > MAX_EMBED_TEXT {
            let text = "Embed size exceeds maximum size of 6000".to_owned();
            fields.error("embeds", ("MAX_EMBED_SIZE_EXCEEDED", text));
        }
        fields.text("nonce", 0..=MAX_NONCE);
        components::check_rows(&mut fields);
        fields.inner("allowed_mentions", check_mentions);
        let flags = fields.number("flags", 0..=i64::MAX).and_then(|flags| u64::try_from(flags).ok());
        let flags = flags.unwrap_or_default();
        if flags & !KNOWN_FLAGS != 0 {
            fields.error("flags", ("FLAGS_INVALID", "The simulator does not know these flags.".to_owned()));
        }
        errors.into_result()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |name| map.get(name).map(|list| list.as_array().cloned().unwrap_or_default());
        let (mut embeds, mut rows) = (list("embeds"), list("components"));
        embeds.iter_mut().flatten().for_each(|embed| embed["type"] = json!("rich"));
        components::number(rows.as_deref_mut().unwrap_or_default(), &mut 0);
        let allowed_mentions = map.get("allowed_mentions").cloned().unwrap_or_default();
        let content = map.get("content").map(text);
        let nonce =
            map.get("nonce").filter(|_| map.get("enforce_nonce") == Some(&Value::Bool(true))).map(text);
        Ok(Self { content, embeds, components: rows, flags, allowed_mentions, nonce })
    }

    /// A message that is sent has something to show.
    pub(crate) fn filled(self) -> Result<Self, Reply> {
        let has_text = self.content.as_ref().is_some_and(|content| !content.trim().is_empty());
        let has = |list: &Option<Vec<Value>>| list.as_ref().is_some_and(|list| !list.is_empty());
        if has_text || has(&self.embeds) || has(&self.components) { Ok(self) } else { Err(empty()) }
    }
}

pub(crate) fn empty() -> Reply {
    Reply::chat_error(400, 50006, "Cannot send an empty message")
}

/// Returns the number of characters that count for the total.
fn check_embed(embed: &mut Fields<'_, '_>) -> usize {
    let length = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
    let mut all = length(embed.text("title", 0..=256)) + length(embed.text("description", 0..=4096));
    embed.address("url");
    embed.number("color", 0..=MAX_COLOR);
    if embed.text("timestamp", 0..=64).is_some_and(|time| chrono::DateTime::parse_from_rfc3339(time).is_err())
    {
        embed.error("timestamp", ("DATE_TIME_TYPE_PARSE", "Could not parse the timestamp.".to_owned()));
    }
    embed.inner("footer", |footer| {
        all += length(footer.required_text("text", 1..=2048));
        footer.address("icon_url");
    });
    embed.inner("author", |author| {
        all += length(author.required_text("name", 1..=256));
        author.address("url");
        author.address("icon_url");
    });
    for picture in ["image", "thumbnail"] {
        embed.inner(picture, |picture| {
            picture.address("url");
        });
    }
    embed.each("fields", 0..=25, |field| {
        all += length(field.required_text("name", 1..=256));
        all += length(field.required_text("value", 1..=1024));
        field.flag("inline");
    });
    all
}

fn check_mentions(mentions: &mut Fields<'_, '_>) {
    let parsed = mentions.list("parse", 0..=3);
    if parsed.iter().any(|kind| !kind.as_str().is_some_and(|kind| MENTIONS.contains(&kind))) {
        let text = format!("Value must be one of {MENTIONS:?}.");
        mentions.error("parse", ("BASE_TYPE_CHOICES", text));
    }
    for kind in ["users", "roles"] {
        let named = mentions.list(kind, 0..=100);
        if !named.is_empty() && parsed.iter().any(|parsed| parsed == kind) {
            let text = format!("parse:[\"{kind}\"] and {kind}: [ids...] are mutually exclusive.");
            mentions.error("", ("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", text));
        }
        for (index, id) in named.iter().enumerate() {
            if id.as_str().is_none_or(|id| id.parse::<u64>().is_err()) {
                mentions.error(&format!("{kind}.{index}"), form::not_snowflake(&id.to_string()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: Value) -> Option<String> {
        let refused = MessageForm::read(body.as_object().unwrap()).err()?;
        Some(refused.body.unwrap()["errors"].to_string())
    }

    #[test]
    fn limits_of_the_platform_are_kept() {
        assert_eq!(refused(json!({ "content": "é".repeat(2000), "embeds": null })), None);
        let field = json!({ "name": "n", "value": "v" });
        for (body, named) in [
            (json!({ "content": "x".repeat(2001) }), "2000 or fewer"),
            (json!({ "content": 5 }), "STRING_TYPE_CONVERT"),
            (json!({ "embeds": vec![json!({ "title": "t" }); 11] }), "between 0 and 10"),
            (json!({ "embeds": [{ "title": "x".repeat(257) }] }), r#"{"0":{"title""#),
            (json!({ "embeds": [{ "fields": vec![field; 26] }] }), "between 0 and 25"),
            (json!({ "embeds": vec![json!({ "description": "x".repeat(3001) }); 2] }), "MAX_EMBED_SIZE"),
            (json!({ "embeds": [{ "url": "javascript:x" }] }), "URL_TYPE_INVALID_URL"),
            (json!({ "embeds": ["x"] }), "DICT_TYPE_CONVERT"),
            (json!({ "flags": 1 << 15 }), "FLAGS_INVALID"),
            (json!({ "allowed_mentions": { "parse": ["all"] } }), "BASE_TYPE_CHOICES"),
            (json!({ "allowed_mentions": { "parse": ["users"], "users": ["1"] } }), "EXCLUSIVE"),
        ] {
            let errors = refused(body.clone()).unwrap_or_default();
            assert!(errors.contains(named), "{body}: {errors}");
        }
    }
}
