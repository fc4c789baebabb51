//! A ban or mute that a form asks for: the call of the API, and its result.

use entities::sanction::change::Target;
use entities::{Person, PlaceId, SanctionId, Subject, Timestamp, sanction};
use http::Method;
use people::ApiAnswer;
use serde_json::Value;

use super::Kind;
use crate::html::form::Form;
use crate::html::format::Length;
use crate::response::{Flash, Undo};
use crate::visit::GuildVisit;

/// The sanction and its target.
pub(super) struct Order<'a> {
    pub(super) kind: Kind,
    pub(super) subject: Subject,
    pub(super) reason: &'a str,
    pub(super) place: &'a str,
    /// `None`: permanent.
    pub(super) seconds: Option<i64>,
}

/// The new ban or mute.
pub(super) struct Imposed {
    pub(super) id: SanctionId,
    pub(super) expires: Option<Timestamp>,
    /// Game servers that were told to remove the player.
    kicks: u64,
}

impl Order<'_> {
    /// Whether it takes the place of this one: of a person and place at most one is active.
    pub(super) fn replaces(&self, person: Person, row: &sanction::Model) -> bool {
        let place = self.place.parse::<PlaceId>().ok();
        Target { kind: self.kind.0, person, place }.concerns(row) && row.place_id == place
    }

    pub(super) async fn impose(&self, visit: &GuildVisit) -> Result<Imposed, ApiAnswer> {
        let answer = visit.api(Method::POST, &self.path(), self.body(visit)).await;
        let data = &answer.body["data"];
        let id = data["id"].as_i64().filter(|_| answer.status.is_success());
        match id.and_then(|id| id.try_into().ok()) {
            Some(id) => {
                let expires = data["expires_at"].as_str().and_then(|at| at.parse().ok());
                Ok(Imposed { id, expires, kicks: data["kicks"].as_u64().unwrap_or_default() })
            }
            None => Err(answer),
        }
    }

    fn path(&self) -> String {
        format!("/moderation/{{g}}/play/{}", self.kind.word())
    }

    fn body(&self, visit: &GuildVisit) -> serde_json::Map<String, Value> {
        let mut body = serde_json::Map::new();
        let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
        put("identifier", self.subject.to_string().into());
        put("moderator_id", visit.session.row.user_id.to_string().into());
        if !self.reason.is_empty() {
            put("reason", self.reason.into());
        }
        if !self.place.is_empty() {
            let number = self.place.parse::<i64>();
            put("place_id", number.map_or_else(|_| self.place.into(), Value::from));
        }
        if let Some(seconds) = self.seconds {
            put("duration_seconds", seconds.into());
        }
        body
    }

    /// Its notice. Undo lifts it, or restores the one that it replaced.
    pub(super) fn notice(
        &self,
        visit: &GuildVisit,
        name: &str,
        new: &Imposed,
        replaced: Option<&sanction::Model>,
    ) -> Flash {
        let (kind, place) = (self.kind, place_words(self.place));
        let text = format!("{} {name}{place} {}.", kind.past(), lasting(visit, new.expires));
        let text = match new.kicks {
            0 => text,
            1 => format!("{text} One game server was told to remove them."),
            kicks => format!("{text} {kicks} game servers were told to remove them."),
        };
        let Some(old) = replaced else {
            let undo = Undo::new(visit.url(&format!("{}/lift", kind.one(new.id))), &[("undo", "yes")]);
            return Flash::new(text).with_undo(undo);
        };
        let (word, old_id, old_end) = (kind.word(), old.sanction_id, lasting(visit, old.expires_at));
        let text = format!("{text} It replaces the {word} that was to last {old_end}.");
        let fields = [("id", old_id.to_string()), ("instead", new.id.to_string())];
        let fields = fields.each_ref().map(|(name, id)| (*name, id.as_str()));
        Flash::new(text).with_undo(Undo::new(visit.url(&format!("{}/again", kind.path())), &fields))
    }
}

/// "for 3 days": a notice has no element for a time, and a length is the same in every zone.
pub(super) fn lasting(visit: &GuildVisit, end: Option<Timestamp>) -> String {
    end.map_or_else(|| "permanently".to_owned(), |end| format!("for {}", Length(end - visit.now())))
}

fn place_words(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" in place {place}") }
}

/// The form with the API's error; its field for the length has another name.
pub(super) fn refused(visit: &GuildVisit, answer: &ApiAnswer) -> Form {
    match answer.field() {
        Some("duration_seconds") => {
            let text = "Give at most 100 years, or choose Permanent.";
            Form::wrong(&visit.form, Some("amount"), text)
        }
        Some("reason") if !visit.form.has("reason") => {
            Form::wrong(&visit.form, Some("reason"), "Say what happened.")
        }
        Some("place_id") => {
            let text = "A place's id has digits only. Leave it empty for every game.";
            Form::wrong(&visit.form, Some("place_id"), text)
        }
        _ => Form::refused(&visit.form, answer),
    }
}
