//! The command that a form orders: the kinds that people choose from, and what each needs.

use entities::{PlayId, Subject};
use serde_json::{Map, Value};

use crate::html::candidate::Unresolved;
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::people::{People, Standing, Who, identify};
use crate::pages::guilds::typed::resolve;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// What the form shows; the API's errors name them.
pub(super) const FIELDS: [&str; 8] =
    ["kind", "target_id", "text", "reason", "type", "acts_on", "place_id", "word"];
/// The target of commands for everybody on a server, as the library for games knows it.
const EVERYBODY: &str = "all";
/// Characters of a message, and of what a command of the game's own acts on.
const TEXT_MAX: usize = 1_000;
const ACTS_ON_MAX: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kick,
    Message,
    Announce,
    ShutDown,
    Restart,
    /// A word of the game's own.
    Other,
}

/// Kinds as the form names them, with their labels.
const KINDS: [(Kind, &str, &str); 6] = [
    (Kind::Kick, "kick", "Kick a player"),
    (Kind::Message, "message", "Message a player"),
    (Kind::Announce, "announce", "Announce to everybody"),
    (Kind::ShutDown, "shutdown", "Shut down"),
    (Kind::Restart, "restart", "Restart"),
    (Kind::Other, "other", "Other\u{2026}"),
];

pub(super) fn choices() -> Vec<Choice> {
    KINDS.iter().map(|(_, value, label)| Choice::new((*value).to_owned(), label)).collect()
}

/// A command for servers.
pub(super) struct Order {
    kind: Kind,
    /// The body of the API's call.
    pub(super) body: Map<String, Value>,
    /// "Kick of ada": for the notice.
    pub(super) words: String,
}

impl Order {
    /// What the form orders, on this server or on all; `Err`: the form with its error.
    pub(super) async fn read(
        visit: &GuildVisit,
        server: Option<&str>,
    ) -> Result<Result<Self, Form>, PageError> {
        let form = &visit.form;
        let wrong = |field, text: &str| Ok(Err(Form::wrong(form, Some(field), text)));
        let Some(&(kind, command, label)) = KINDS.iter().find(|(_, value, _)| *value == form.text("kind"))
        else {
            return wrong("kind", "Choose a command.");
        };
        let (mut body, mut words) = (Map::new(), label.to_owned());
        let mut put = |name: &str, text: &str| body.insert(name.to_owned(), text.into());
        // The library for games announces what it is to show to all.
        put("type", if kind == Kind::Announce { "message" } else { command });
        match kind {
            Kind::Kick | Kind::Message => {
                let (play, name) = match player(visit, server).await? {
                    Ok(player) => player,
                    Err(problem) => return Ok(Err(Form::unresolved(form, "target_id", problem))),
                };
                put("target_id", &play.to_string());
                words = format!("{} {name}", if kind == Kind::Kick { "Kick" } else { "Message to" });
            }
            Kind::Announce | Kind::ShutDown | Kind::Restart => {
                put("target_id", EVERYBODY);
            }
            Kind::Other => {
                let (word, acts_on) = (form.text("type"), form.text("acts_on"));
                if acts_on.is_empty() || acts_on.chars().count() > ACTS_ON_MAX {
                    let text = "Enter a Roblox id, or what the command acts on, in at most 200 characters.";
                    return wrong("acts_on", text);
                }
                put("type", word);
                put("target_id", acts_on);
                word.clone_into(&mut words);
            }
        }
        if let Kind::Message | Kind::Announce = kind {
            let text = form.text("text");
            if text.is_empty() || text.chars().count() > TEXT_MAX {
                return wrong("text", "Enter what the game is to show, in at most 1,000 characters.");
            }
            put("reason", text);
        } else if form.has("reason") {
            put("reason", form.text("reason"));
        }
        if kind == Kind::Other && !form.has("type") {
            body.remove("type");
        }
        Ok(Ok(Self { kind, body, words }))
    }

    /// Whether it concerns all who are there.
    pub(super) fn is_for_everybody(&self) -> bool {
        !matches!(self.kind, Kind::Kick | Kind::Message)
    }
}

/// The player whose id the form has: an id alone says little.
pub(super) async fn meant(visit: &GuildVisit, form: &Form) -> Result<Option<Who>, PageError> {
    let Ok(play) = form.text("target_id").parse::<PlayId>().map(Subject::Play) else { return Ok(None) };
    Ok(Some(People::read(visit, [play]).await?.who(visit, play)))
}

/// The player whom the form names.
async fn player(
    visit: &GuildVisit,
    server: Option<&str>,
) -> Result<Result<(PlayId, String), Unresolved>, PageError> {
    let subject = match resolve(visit, &visit.form, "target_id", Among::Playing(server)).await? {
        Ok(subject) => subject,
        Err(problem) => return Ok(Err(problem)),
    };
    if let Subject::Chat(_) = subject {
        let who = People::read(visit, [subject]).await?.who(visit, subject);
        let text =
            "No Roblox account is known of this Discord user. Give the Roblox id or the player's name.";
        return Ok(who.play.map(|play| (play, who.name)).ok_or_else(|| text.into()));
    }
    let (who, standing) = identify(visit, subject).await?;
    Ok(match (subject.play(), standing) {
        (Some(_), Standing::Unknown) => Err("Roblox knows no player with this id.".into()),
        (Some(play), _) => Ok((play, who.name)),
        (None, _) => Err(Unresolved::default()),
    })
}
