//! /link/:guild: a member links their Roblox account in one guild.

use askama::Template;
use entities::account::Way;
use entities::link_attempt;
use http::{Method, StatusCode};
use people::{ApiAnswer, typed_player};
use platforms::PictureOf;
use serde_json::{Map, Value};

use super::picture::Picture;
use super::step::{self, Step};
use super::{call, code, guild_of, prove};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::shell::Shell;
use crate::pages::applying::open_to;
use crate::pages::synced;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 1] = ["play_username"];

#[derive(Template)]
#[template(path = "linking/guild.html")]
struct Page {
    shell: Shell,
    url: String,
    guild: String,
    icon: Picture,
    /// The member's name on Discord.
    name: String,
    form: Form,
    step: Step,
    /// Where the member applies for what the guild offers now.
    apply: Option<String>,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    show(&visit, Form::default(), false).await
}

/// The address of a form, which a browser opens again: the page shows what the form led to.
pub(crate) async fn of_form(visit: Visit) -> Result<Response, PageError> {
    Ok(Response::see(format!("/link/{}", guild_of(&visit).await?.guild_id)))
}

/// `anew`: the member proves another account than the one that is known.
async fn show(visit: &Visit, form: Form, anew: bool) -> Result<Response, PageError> {
    let guild = guild_of(visit).await?;
    // Boxed, because every handler ends here.
    let step = Box::pin(step::find(visit, &guild, anew)).await?;
    let id = guild.guild_id;
    let applies = open_to(visit, &[id]).await?.contains(&id);
    let page = Page {
        apply: applies.then(|| format!("/apply/{id}")),
        shell: visit.shell(&format!("Link your Roblox account in {}", guild.name)),
        url: format!("/link/{id}"),
        name: visit.session.row.user_name.clone(),
        icon: Picture::new(id, PictureOf::Guild(id), &guild.name),
        guild: guild.name,
        form,
        step,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Goes on to the platform that the way needs, or to the page with the code, which the browser keeps.
pub(crate) async fn begin(visit: Visit) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let way = way(visit.form.text("way"));
    let away = match way {
        Some(way @ (Way::Connection | Way::SignIn)) => Some(prove::depart(&visit, &guild, way)?),
        _ => None,
    };
    let mut body = Map::new();
    body.insert("chat_id".to_owned(), visit.session.row.user_id.to_string().into());
    let answer = call(&visit, guild.guild_id, Method::POST, "/guilds/{g}/link-attempts", body).await;
    if !answer.status.is_success() {
        return refused(&visit, &answer).await;
    }
    if let Some(departure) = away {
        return departure.after_form(&visit);
    }
    let kept = code::keep(guild.guild_id, &answer.body["data"], way.is_some());
    Ok(Response::see(format!("/link/{}", guild.guild_id)).cookie(kept))
}

/// `None`: by what the member has proven before.
fn way(text: &str) -> Option<Way> {
    Way::ALL.into_iter().find(|way| way.name() == text)
}

pub(crate) async fn profile(visit: Visit) -> Result<Response, PageError> {
    let body = player(visit.form.text("play_username"));
    step_on(visit, "profile", body).await
}

/// The field of the API for what was typed.
fn player(typed: &str) -> Map<String, Value> {
    let given = match typed_player(typed) {
        Ok(id) => Some(("play_id", id.to_string())),
        Err(name) => Some(("play_username", name.to_owned())).filter(|(_, name)| !name.is_empty()),
    };
    given.map(|(field, value)| (field.to_owned(), value.into())).into_iter().collect()
}

pub(crate) async fn confirm(visit: Visit) -> Result<Response, PageError> {
    let body = visit.form.json(&["play_id"]);
    step_on(visit, "confirm", body).await
}

pub(crate) async fn cancel(visit: Visit) -> Result<Response, PageError> {
    step_on(visit, "cancel", Map::new()).await
}

/// A call about the member's present attempt.
async fn step_on(visit: Visit, verb: &str, body: Map<String, Value>) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let user = visit.session.row.user_id;
    let page = format!("/link/{}", guild.guild_id);
    let attempt = link_attempt::of_chat(visit.read(), guild.guild_id, user, visit.now()).await?;
    let Some(attempt) = attempt else {
        return Ok(Response::see(page).flash(Flash::new("This attempt has ended. Begin anew.")));
    };
    let path = format!("/guilds/{{g}}/link-attempts/{}/{verb}", attempt.attempt_id);
    let answer = call(&visit, guild.guild_id, Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return refused(&visit, &answer).await;
    }
    let outcome = answer.body["data"]["attempt"]["outcome"].as_str().unwrap_or_default();
    let flash = match (verb, outcome) {
        ("confirm", "linked") => {
            let message = answer.body["data"]["message"].as_str().unwrap_or_default();
            Some(format!("Linked. Your roles follow in a moment. {message}").trim_end().to_owned())
        }
        ("confirm", "rejected") => {
            let why = answer.body["data"]["reason"].as_str().unwrap_or("the rules of the server forbid it");
            Some(format!("Not linked: {why}."))
        }
        ("cancel", _) => Some("Nothing was linked.".to_owned()),
        _ => None,
    };
    let response = Response::see(page).cookie(code::forget(guild.guild_id));
    Ok(match flash {
        Some(text) => response.flash(Flash::new(text)),
        None => response,
    })
}

/// Members bring themselves up to date without a right.
pub(crate) async fn sync(visit: Visit) -> Result<Response, PageError> {
    let id = guild_of(&visit).await?.guild_id;
    let user = visit.session.row.user_id;
    let body = Map::from_iter([("user_id".to_owned(), user.to_string().into())]);
    let answer = call(&visit, id, Method::POST, "/interactions/sync", body).await;
    if !answer.status.is_success() {
        return refused(&visit, &answer).await;
    }
    let text = if answer.status == StatusCode::ACCEPTED {
        "This takes longer than usual. Your roles and your nickname follow in a few minutes.".to_owned()
    } else {
        synced::words(&visit, id, &visit.session.row.user_name, &answer.body["data"]).await
    };
    Ok(Response::see(format!("/link/{id}")).flash(Flash::new(text)))
}

pub(crate) async fn unlink(visit: Visit) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let path = format!("/guilds/{{g}}/links/{}", visit.session.row.user_id);
    let answer = call(&visit, guild.guild_id, Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() && answer.status != StatusCode::NOT_FOUND {
        return refused(&visit, &answer).await;
    }
    let text = format!(
        "Unlinked in {}. The roles and the nickname that came from the link go in a moment.",
        guild.name
    );
    let to = if visit.form.text("to") == "mine" {
        "/link".to_owned()
    } else {
        format!("/link/{}", guild.guild_id)
    };
    Ok(Response::see(to).flash(Flash::new(text)))
}

async fn refused(visit: &Visit, answer: &ApiAnswer) -> Result<Response, PageError> {
    let typed: &Fields = &visit.form;
    let form = match answer.field() {
        // The one field that takes either.
        Some("play_id" | "play_username") => {
            let text = answer.message();
            let text = text.strip_prefix("Roblox id: ").unwrap_or(&text);
            Form::wrong(typed, Some("play_username"), text)
        }
        _ => Form::refused(typed, answer),
    };
    show(visit, form, typed.has("play_username")).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_given_by_name_address_or_id() {
        let read = |typed: &str| Value::Object(player(typed)).to_string();
        assert_eq!(read("Brickmason"), r#"{"play_username":"Brickmason"}"#);
        assert_eq!(read("@Brickmason"), r#"{"play_username":"Brickmason"}"#);
        for address in ["156", "https://www.roblox.com/users/156/profile", "roblox.com/users/156?x=1"] {
            assert_eq!(read(address), r#"{"play_id":"156"}"#, "{address}");
        }
        assert_eq!(
            read("https://www.roblox.com/users/x"),
            r#"{"play_username":"https://www.roblox.com/users/x"}"#
        );
        assert_eq!(read(""), "{}");
    }
}
