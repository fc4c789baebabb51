//! GET and PATCH /guilds/:guildId/settings (docs/rules.md 8)

use std::borrow::Cow;

use chrono_tz::Tz;
use entities::guild::{self, Settings};
use runtime::Event;
use serde_json::{Map, Value};

use crate::audit;
use crate::call::Call;
use crate::fields::{Field, Fields, Whole, object, whole};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

const TEMPLATE_MAX: usize = 200;
/// What a nickname template may stand for.
const PLACEHOLDERS: [&str; 2] = ["play_username", "play_id"];
/// The kinds of staff action (docs/rules.md 8).
const ACTION_TYPES: [&str; 7] = ["ban", "unban", "mute", "unmute", "warn", "kick", "custom"];
const WEIGHT_MAX: i64 = 1000;

pub(crate) async fn show(call: Call) -> Result<Reply, ApiError> {
    let found = guild::find(call.read(), call.guild()).await?;
    Reply::data(&found.ok_or_else(|| ApiError::not_found("guild"))?.settings())
}

pub(crate) async fn change(call: Call) -> Result<Reply, ApiError> {
    let change = Change::read(&call.fields)?;
    let transaction = call.begin().await?;
    let found = guild::find_for_update(&transaction, call.guild()).await?;
    let before = found.ok_or_else(|| ApiError::not_found("guild"))?.settings();
    let after = change.applied_to(before.clone());
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::data(&after)?.with_message("nothing to change: the settings are like that already"));
    };
    guild::save_settings(&transaction, call.guild(), after.clone()).await?;
    call.audit(&transaction, "settings.update", call.guild(), changes).await?;
    let reply = call.commit(transaction, Reply::data(&after)?.with_message("settings updated")).await?;
    call.app.context.events.publish(Event::SettingsChanged { guild: call.guild() });
    Ok(reply)
}

/// What is given; the rest stays as it is.
struct Change {
    mirror_bans: Option<bool>,
    nickname_template: Option<Template>,
    time_zone: Option<Zone>,
    week_start: Option<Whole<1, 7>>,
    strike_days: Option<Whole<1, 3650>>,
    score_weights: Option<Weights>,
}

impl Change {
    fn read(fields: &Fields) -> Result<Self, ApiError> {
        Ok(Self {
            mirror_bans: fields.changed("mirror_bans")?,
            nickname_template: fields.changed("nickname_template")?,
            time_zone: fields.changed("time_zone")?,
            week_start: fields.changed("week_start")?,
            strike_days: fields.changed("strike_days")?,
            score_weights: fields.changed("score_weights")?,
        })
    }

    fn applied_to(self, settings: Settings) -> Settings {
        Settings {
            mirror_bans: self.mirror_bans.unwrap_or(settings.mirror_bans),
            nickname_template: self
                .nickname_template
                .map_or(settings.nickname_template, |template| template.0),
            time_zone: self.time_zone.map_or(settings.time_zone, |zone| zone.0),
            week_start: self.week_start.map_or(settings.week_start, |day| day.0),
            strike_days: self.strike_days.map_or(settings.strike_days, |days| days.0),
            score_weights: self
                .score_weights
                .map_or(settings.score_weights, |weights| Value::Object(weights.0)),
        }
    }
}

/// Empty switches nicknames off (docs/rules.md 5).
struct Template(String);

impl Field for Template {
    fn allowed() -> Cow<'static, str> {
        let names = PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(" and ");
        format!("a string of at most {TEMPLATE_MAX} characters with no placeholders but {names}").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let text = sent.as_str().filter(|text| text.chars().count() <= TEMPLATE_MAX)?;
        let mut rest =
            PLACEHOLDERS.iter().fold(text.to_owned(), |rest, name| rest.replace(&format!("{{{name}}}"), ""));
        rest.retain(|c| matches!(c, '{' | '}') || c.is_control());
        rest.is_empty().then(|| Self(text.to_owned()))
    }
}

/// A name of the IANA time zone database.
struct Zone(String);

impl Field for Zone {
    fn allowed() -> Cow<'static, str> {
        "an IANA time zone such as \"Europe/Berlin\" or \"UTC\"".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let zone: Tz = sent.as_str()?.parse().ok()?;
        Some(Self(zone.name().to_owned()))
    }
}

/// The whole table of weights; what it leaves out has its default (docs/rules.md 6).
struct Weights(Map<String, Value>);

impl Field for Weights {
    fn allowed() -> Cow<'static, str> {
        format!("an object of integers from 0 to {WEIGHT_MAX}, by {}", ACTION_TYPES.join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let weights = object(sent)?;
        let fits = |(kind, weight): (&String, &Value)| {
            ACTION_TYPES.contains(&kind.as_str())
                && whole(weight).as_i64().is_some_and(|weight| (0..=WEIGHT_MAX).contains(&weight))
        };
        let integers = |(kind, weight): (&String, &Value)| (kind.clone(), whole(weight).into_owned());
        weights.iter().all(fits).then(|| Self(weights.iter().map(integers).collect()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_know_two_placeholders() {
        for fine in ["", "{play_username}", "[{play_id}] {play_username} x", &"é".repeat(200)] {
            assert!(Template::read(&json!(fine)).is_some(), "{fine}");
        }
        for bad in ["{rank}", "{play_username", "}", "{}", "{ play_id }", "a\nb", &"é".repeat(201)] {
            assert!(Template::read(&json!(bad)).is_none(), "{bad}");
        }
    }

    #[test]
    fn zones_are_iana_names() {
        for fine in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"] {
            assert!(Zone::read(&json!(fine)).is_some(), "{fine}");
        }
        for bad in ["", "Berlin", "+02:00", "europe/berlin "] {
            assert!(Zone::read(&json!(bad)).is_none(), "{bad}");
        }
    }

    #[test]
    fn weights_are_small_integers_of_known_kinds() {
        assert!(Weights::read(&json!({})).is_some());
        assert!(Weights::read(&json!([])).is_some());
        assert_eq!(Weights::read(&json!({"ban": 5.0})).unwrap().0["ban"], 5);
        assert!(Weights::read(&json!({"ban": 0, "custom": 1000})).is_some());
        for bad in
            [json!({"ban": 1001}), json!({"ban": -1}), json!({"ban": 1.5}), json!({"jail": 1}), json!([1])]
        {
            assert!(Weights::read(&bad).is_none(), "{bad}");
        }
    }
}
