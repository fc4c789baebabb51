//! /link: a member links their Roblox account, or learns how to prove it. Also the button that staff post in a channel.

use entities::account::Way;
use entities::link_attempt::{self, Model as Attempt, State};
use entities::{AttemptId, PlayId, link};
use http::Method;
use serde_json::{Map, json};

use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::form::{Field, Form, Input};
use crate::interaction::Options;
use crate::message::{Card, Message, Style, moment, plain};
use crate::person::player_of;

/// The id of the posted button.
pub(super) const START: &str = "link:start";
const NAME: &str = "name";

pub(super) struct Link;

impl Command for Link {
    fn definition(&self) -> Definition {
        Definition::new("link", "Link your Roblox account, and get the roles of your ranks")
    }

    async fn run(&self, call: &Call, _subcommand: &str, _options: &Options) -> Outcome {
        start(call).await
    }

    async fn press(&self, call: &Call, about: &str) -> Outcome {
        match about.split(':').collect::<Vec<_>>().as_slice() {
            ["start"] => start(call).await,
            ["another"] => begin(call).await,
            ["agree", attempt, play] => agree(call, attempt, play).await,
            ["cancel", attempt] => cancel(call, attempt).await,
            ["profile", attempt] => {
                Ok(ask_for_player(&attempt.parse().map_err(|_| Problem::outdated())?).into())
            }
            _ => Err(Problem::outdated()),
        }
    }

    async fn send(&self, call: &Call, about: &str, fields: &Options) -> Outcome {
        let attempt: AttemptId = match about.strip_prefix("profile:").map(str::parse) {
            Some(Ok(attempt)) => attempt,
            _ => return Err(Problem::outdated()),
        };
        let (play, _) = player_of(call, fields.text(NAME)).await?;
        let path = format!("/guilds/{{g}}/link-attempts/{attempt}/profile");
        call.api(Method::POST, &path, body(json!({ "play_id": play }))).await?;
        show(call, None).await
    }
}

/// The member's present attempt, or what they are linked with, or else a new attempt.
async fn start(call: &Call) -> Outcome {
    let attempt = own_attempt(call).await?;
    if attempt.is_some_and(|attempt| matches!(attempt.state, State::Proven | State::Held)) {
        return show(call, None).await;
    }
    match link::find_by_chat(call.read(), call.guild.guild_id, call.me()).await? {
        Some(link) => Ok(Message::new(format!(
            "You are linked with **{}** here, since {}. If a role is missing, use /sync.",
            plain(&link.play_username),
            moment(link.verified_at)
        ))
        .button(Style::Secondary, "Link another account", "link:another")
        .into()),
        None => begin(call).await,
    }
}

async fn begin(call: &Call) -> Outcome {
    let chat = call.me().to_string();
    let begun = call.api(Method::POST, "/guilds/{g}/link-attempts", body(json!({ "chat_id": chat }))).await?;
    show(call, begun.data["code"].as_str()).await
}

async fn own_attempt(call: &Call) -> Result<Option<Attempt>, Problem> {
    Ok(link_attempt::of_chat(call.read(), call.guild.guild_id, call.me(), call.now()).await?)
}

/// What the member can do next. `code`: of an attempt that has just begun; it is not stored.
async fn show(call: &Call, code: Option<&str>) -> Outcome {
    let attempt = own_attempt(call).await?;
    let attempt = attempt.ok_or_else(|| Problem::refused("This attempt has ended. Use /link again."))?;
    let cancel = format!("link:cancel:{}", attempt.attempt_id);
    let message = match (attempt.state, attempt.play_id) {
        (State::Proven, Some(play)) => both_accounts(call, &attempt, play).await?,
        (State::Held, _) => Message::new(format!(
            "Staff of this server decide about your link, because the account is {}.",
            attempt.held_for.as_deref().unwrap_or("to be checked")
        )),
        _ => ways(call, &attempt, code)?,
    };
    Ok(message.button(Style::Secondary, "Cancel", cancel).into())
}

/// Asks, with both accounts in view.
async fn both_accounts(call: &Call, attempt: &Attempt, play: PlayId) -> Result<Message, Problem> {
    let name = attempt.play_username.clone().unwrap_or_default();
    // Without an answer of the platform the card has no age, or no picture.
    let (profile, picture) = tokio::join!(
        call.platforms().play.profile(call.platform(), play),
        call.platforms().pictures.player_address(call.platform(), play)
    );
    let (profile, picture) = (profile.ok().flatten(), picture.ok().flatten());
    let since = |at| format!("since {}", moment(at));
    let text = format!(
        "**Link {} with {}?** This server then knows that both are you.",
        plain(&call.asked.user.name),
        plain(&name)
    );
    let avatar = call.asked.avatar.as_deref();
    let avatar = avatar.and_then(|hash| call.platforms().pictures.avatar_address(call.me(), hash));
    let chat = Card {
        title: plain(&call.asked.user.name),
        text: format!("Discord, {}", call.me().made_at().map(since).unwrap_or_default()),
        url: None,
        picture: avatar,
    };
    let game = Card {
        title: plain(&name),
        text: profile
            .map_or_else(|| "Roblox".to_owned(), |profile| format!("Roblox, {}", since(profile.created_at))),
        url: Some(format!("https://www.roblox.com/users/{play}/profile")),
        picture,
    };
    let agree = format!("link:agree:{}:{play}", attempt.attempt_id);
    Ok(Message::new(text).card(chat).card(game).button(Style::Primary, "Link these accounts", agree))
}

/// How the member can prove an account.
fn ways(call: &Call, attempt: &Attempt, code: Option<&str>) -> Result<Message, Problem> {
    let mut lines = Vec::new();
    if let Some(code) = code.filter(|_| call.offers(Way::Code)) {
        lines.push(format!(
            "Type the code **{code}** in a game of this server. The game asks whether {} is you. Keep the code to yourself.",
            plain(&call.asked.user.name)
        ));
    }
    if call.offers(Way::Profile) {
        let words = &attempt.words;
        lines.push(format!("Put these words into the About text of your Roblox profile, then press *Check my profile*: `{words}`"));
    }
    let page = call.link_page().filter(|_| call.offers(Way::Connection) || call.offers(Way::SignIn));
    if page.is_some() {
        lines.push("Open the page: sign in with Roblox there, or use the account that you have connected to Discord.".to_owned());
    }
    if lines.is_empty() {
        return Err(Problem::refused(
            "There is no way to link here at the moment: ask the staff of this server.",
        ));
    }
    let list: Vec<_> = lines.iter().map(|line| format!("- {line}")).collect();
    let text = format!(
        "**Prove that a Roblox account is yours**, within 15 minutes, in one of these ways:\n{}",
        list.join("\n")
    );
    let mut message = Message::new(text).link("Open the page", page);
    if call.offers(Way::Profile) {
        message = message.button(
            Style::Primary,
            "Check my profile",
            format!("link:profile:{}", attempt.attempt_id),
        );
    }
    Ok(message)
}

fn ask_for_player(attempt: &AttemptId) -> Form {
    Form {
        id: format!("link:profile:{attempt}"),
        title: "Check my profile".to_owned(),
        fields: vec![Field {
            id: NAME.to_owned(),
            label: "Your Roblox name".to_owned(),
            required: true,
            input: Input::Line { hint: "Or the address of your profile", longest: 200 },
        }],
    }
}

async fn agree(call: &Call, attempt: &str, play: &str) -> Outcome {
    let (attempt, play) = (attempt.parse::<AttemptId>(), play.parse::<PlayId>());
    let (Ok(attempt), Ok(play)) = (attempt, play) else { return Err(Problem::outdated()) };
    let path = format!("/guilds/{{g}}/link-attempts/{attempt}/confirm");
    let ended = call.api(Method::POST, &path, body(json!({ "play_id": play }))).await?.data;
    let (attempt, why) =
        (&ended["attempt"], ended["reason"].as_str().unwrap_or("the rules of this server forbid it"));
    let name = attempt["play_username"]
        .as_str()
        .map_or_else(|| "this account".to_owned(), |name| format!("**{}**", plain(name)));
    let mut text = match (attempt["outcome"].as_str(), attempt["state"].as_str()) {
        (Some("linked"), _) => format!("Linked with {name}. Your roles follow in a moment."),
        (_, Some("held")) => {
            format!("Staff of this server decide about this link first, because the account is {why}.")
        }
        _ => format!("Not linked: {why}."),
    };
    if let Some(more) = ended["message"].as_str() {
        text = format!("{text}\n{}", plain(more));
    }
    Ok(Message::new(text).into())
}

async fn cancel(call: &Call, attempt: &str) -> Outcome {
    let attempt: AttemptId = attempt.parse().map_err(|_| Problem::outdated())?;
    call.api(Method::POST, &format!("/guilds/{{g}}/link-attempts/{attempt}/cancel"), Map::new()).await?;
    Ok(Message::new("Nothing was linked.").into())
}
