//! Types of the settings' values.

use std::borrow::Cow;

use chrono_tz::Tz;
use entities::account::{Verdict, Way, Ways};
use entities::guild::{Accent, JoinNotice};
use entities::staff_action::ActionType;
use platforms::{GUILD_WORDS, is_template, template_rule};
use serde_json::{Map, Value, json};

use crate::request::parts::Field;
use crate::request::parts::{object, whole};
use crate::request::values::{List, by_serde};
use crate::response::error::ApiError;
use crate::schema::shape::{self, Property, Shape, alternatives, answered};

const WEIGHT_MAX: i64 = 1000;

/// The empty template switches nicknames off (docs/rules.md 5).
#[derive(Debug)]
pub(crate) struct NicknameTemplate(pub(crate) String);

impl Field for NicknameTemplate {
    fn allowed() -> Cow<'static, str> {
        template_rule(GUILD_WORDS).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str().filter(|text| is_template(text, GUILD_WORDS)).map(|text| Self(text.to_owned()))
    }

    fn shape() -> Shape {
        template_shape(GUILD_WORDS)
    }
}

/// Of a template with these placeholders.
pub(crate) fn template_shape(words: &[&str]) -> Shape {
    let pattern = format!(r"^([^{{}}\x00-\x1f\x7f-\x9f]|\{{({})\}})*$", words.join("|"));
    shape::matching(&pattern, "{play_username}")
}

/// A name of the IANA time zone database.
#[derive(Debug)]
pub(crate) struct TimeZone(pub(crate) String);

impl Field for TimeZone {
    fn allowed() -> Cow<'static, str> {
        "an IANA time zone such as \"Europe/Berlin\" or \"UTC\"".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let zone: Tz = sent.as_str()?.parse().ok()?;
        Some(Self(zone.name().to_owned()))
    }

    fn shape() -> Shape {
        shape::string("Europe/Berlin")
    }
}

/// Points by action type (docs/rules.md 6).
#[derive(Debug)]
pub(crate) struct ScoreWeights(pub(crate) Map<String, Value>);

impl Field for ScoreWeights {
    fn allowed() -> Cow<'static, str> {
        let names: Vec<_> = ActionType::ALL.iter().map(|kind| kind.name()).collect();
        format!("an object of integers from 0 to {WEIGHT_MAX}, by {}", names.join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let weights = object(sent)?;
        let weight = |(name, weight): (&String, &Value)| {
            let known = ActionType::ALL.iter().any(|kind| kind.name() == name);
            let points = whole(weight).as_i64().filter(|points| (0..=WEIGHT_MAX).contains(points));
            points.filter(|_| known).map(|points| (name.clone(), points.into()))
        };
        weights.iter().map(weight).collect::<Option<_>>().map(Self)
    }

    fn shape() -> Shape {
        let weight = |kind: &ActionType| Property {
            name: kind.name(),
            required: false,
            shape: shape::whole(0, WEIGHT_MAX, 5),
        };
        shape::object(ActionType::ALL.iter().map(weight)).example(json!({ "ban": 5 }))
    }
}

by_serde!(alternatives::<Self>(), answered::<Self>(); Way, Verdict, JoinNotice, Accent);

/// As many as there are.
type WayList = List<Way, { Way::ALL.len() }>;

/// Distinct ways to link (docs/rules.md 11), in one order whatever was sent.
#[derive(Debug)]
pub(crate) struct LinkWays(pub(crate) Ways);

impl Field for LinkWays {
    fn allowed() -> Cow<'static, str> {
        "an array of distinct ways".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        Ways::distinct(&WayList::read(sent)?.0).map(Self)
    }

    fn shape() -> Shape {
        shape::set(Way::shape(), Way::ALL.len())
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        match WayList::read(sent) {
            Some(_) => ApiError::field(name, sent, &Self::allowed()),
            None => WayList::refuse(name, sent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_iana_names() {
        for fine in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"] {
            assert!(TimeZone::read(&json!(fine)).is_some(), "{fine}");
        }
        for bad in ["", "Berlin", "+02:00", "europe/berlin "] {
            assert!(TimeZone::read(&json!(bad)).is_none(), "{bad}");
        }
    }

    #[test]
    fn weights_are_small_integers_of_known_kinds() {
        assert!(ScoreWeights::read(&json!({})).is_some());
        assert!(ScoreWeights::read(&json!([])).is_some());
        assert_eq!(ScoreWeights::read(&json!({"ban": 5.0})).unwrap().0["ban"], 5);
        assert!(ScoreWeights::read(&json!({"ban": 0, "custom": 1000})).is_some());
        for bad in
            [json!({"ban": 1001}), json!({"ban": -1}), json!({"ban": 1.5}), json!({"jail": 1}), json!([1])]
        {
            assert!(ScoreWeights::read(&bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn ways_are_distinct_and_in_one_order() {
        let read = |sent| LinkWays::read(&sent).map(|ways| ways.0.0);
        assert_eq!(read(json!([])), Some(Vec::new()));
        assert_eq!(read(json!(["sign_in", "code"])), Some(vec![Way::Code, Way::SignIn]));
        assert_eq!(read(json!(["sign_in", "connection", "profile", "code"])), Some(Way::ALL.to_vec()));
        for bad in [json!(["code", "code"]), json!(["Code"]), json!("code"), json!([null]), Value::Null] {
            assert!(LinkWays::read(&bad).is_none(), "{bad}");
        }
    }
}
