//! The command that a form orders: the kinds that people choose from, and what each needs.

use entities::{PlayId, Subject};
use serde_json::{Map, Value};

use crate::fields::Fields;
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
        let Some(&(kind, command, label)) = KINDS.iter().find(|(_, value, _)| *value == form.text("kind"))
        else {
            return Ok(Err(Form::wrong(form, Some("kind"), "Choose a command.")));
        };
        let (target, words) = match target(visit, kind, label, server).await? {
            Ok(target) => target,
            Err(form) => return Ok(Err(form)),
        };
        let reason = match reason(form, kind) {
            Ok(reason) => reason,
            Err(form) => return Ok(Err(form)),
        };
        let command = match kind {
            // The library for games shows it to all.
            Kind::Announce => "message",
            Kind::Other => form.text("type"),
            _ => command,
        };
        // Absent ones are left out, so that the API names them.
        let given = [("type", command), ("target_id", &*target), ("reason", reason)].into_iter();
        let given = given.filter(|(_, text)| !text.is_empty());
        let body = given.map(|(name, text)| (name.to_owned(), text.into())).collect();
        Ok(Ok(Self { kind, body, words }))
    }

    /// Whether nobody stays on the server.
    pub(super) fn ends_the_server(&self) -> bool {
        matches!(self.kind, Kind::ShutDown | Kind::Restart)
    }

    /// Whether it concerns all who are there.
    pub(super) fn is_for_everybody(&self) -> bool {
        !matches!(self.kind, Kind::Kick | Kind::Message)
    }
}

/// What the command acts on, and the command in words.
async fn target(
    visit: &GuildVisit,
    kind: Kind,
    label: &str,
    server: Option<&str>,
) -> Result<Result<(String, String), Form>, PageError> {
    let form = &visit.form;
    Ok(match kind {
        Kind::Kick | Kind::Message => match player(visit, server).await? {
            Ok((play, name)) => {
                let verb = if kind == Kind::Kick { "Kick" } else { "Message to" };
                Ok((play.to_string(), format!("{verb} {name}")))
            }
            Err(problem) => Err(Form::unresolved(form, "target_id", problem)),
        },
        Kind::Announce | Kind::ShutDown | Kind::Restart => Ok((EVERYBODY.to_owned(), label.to_owned())),
        Kind::Other => {
            let acts_on = form.text("acts_on");
            if (1..=ACTS_ON_MAX).contains(&acts_on.chars().count()) {
                Ok((acts_on.to_owned(), form.text("type").to_owned()))
            } else {
                let text = "Enter a Roblox id, or what the command acts on, in at most 200 characters.";
                Err(Form::wrong(form, Some("acts_on"), text))
            }
        }
    })
}

/// What the game is to show; of commands that are no message it may be empty.
fn reason(form: &Fields, kind: Kind) -> Result<&str, Form> {
    if !matches!(kind, Kind::Message | Kind::Announce) {
        return Ok(form.text("reason"));
    }
    let text = form.text("text");
    if (1..=TEXT_MAX).contains(&text.chars().count()) {
        return Ok(text);
    }
    let problem = "Enter what the game is to show, in at most 1,000 characters.";
    Err(Form::wrong(form, Some("text"), problem))
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
