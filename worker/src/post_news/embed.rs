//! An entry of the audit log as it is posted: a sentence in which people's text formats nothing and pings nobody.

use entities::audit_entry::Model;
use entities::{ChatId, Subject, Timestamp};
use people::audit::{Names, Style, reason, sentence};
use people::chat_text::{cut, plain};
use people::unnamed;
use platforms::{Embed, MAX_EMBED_CHARS, MAX_EMBEDS};

/// Of each embed, so that all of a message fit.
const MAX_CHARS: usize = MAX_EMBED_CHARS / MAX_EMBEDS;
/// Characters of a value that people wrote; the second is for sentences that would be too long.
const VALUE_CHARS: usize = 150;
const SHORT_VALUE_CHARS: usize = 30;

const STYLE: Style = style(text::<VALUE_CHARS>);
const SHORT: Style = style(text::<SHORT_VALUE_CHARS>);

const fn style(text: fn(&str) -> String) -> Style {
    Style { with_id: false, person, time, text }
}

pub(super) fn of(names: &Names, entry: &Model, public_url: Option<&str>) -> Embed {
    let link = public_url.map_or_else(String::new, |url| {
        format!(" [Details]({url}/console/guilds/{}/audit/{})", entry.guild_id, entry.audit_id)
    });
    let room = MAX_CHARS.saturating_sub(link.chars().count());
    let fits = |said: &String| said.chars().count() <= room;
    let said = [STYLE, SHORT].into_iter().map(|style| with_reason(names, entry, style)).find(fits);
    let said = said.unwrap_or_else(|| cut(&with_reason(names, entry, SHORT), room));
    Embed { text: said + &link, at: entry.created_at }
}

fn with_reason(names: &Names, entry: &Model, style: Style) -> String {
    let reason = reason(entry).map_or_else(String::new, |reason| format!(": {}", (style.text)(reason)));
    sentence(names, entry, style) + &reason
}

/// The platform shows the name of its user.
fn person(subject: Subject, name: Option<&str>) -> String {
    match (name, subject) {
        (Some(name), _) => format!("**{}**", text::<VALUE_CHARS>(name)),
        (None, Subject::Chat(chat)) if chat != ChatId::SYSTEM => format!("<@{chat}>"),
        (None, _) => format!("**{}**", unnamed(subject)),
    }
}

/// In the reader's own zone and language.
fn time(at: Timestamp) -> String {
    format!("<t:{}:f>", at.timestamp())
}

fn text<const CHARS: usize>(text: &str) -> String {
    plain(&cut(text, CHARS))
}
