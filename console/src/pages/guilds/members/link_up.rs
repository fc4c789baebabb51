//! /console/guilds/:guild/members/link: staff link a Discord member with a Roblox account. Both are shown before anything is
//! linked, and so is what a move takes from somebody else.

use askama::Template;
use entities::{ChatId, PlayId, Subject, link};
use http::Method;
use serde_json::Map;

use crate::fields::Fields;
use crate::html::candidate::Unresolved;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::people::{Standing, Who, identify};
use crate::pages::guilds::typed::{chat_of, resolve};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 2] = ["chat_id", "play_id"];

#[derive(Template)]
#[template(path = "guilds/members/link_up.html")]
struct Page {
    shell: Shell,
    url: String,
    /// The list, for people who may see it.
    list_url: Option<String>,
    /// Where staff decide about members who linked themselves.
    held_url: String,
    import_url: String,
    form: Form,
    /// The accounts that the form names.
    both: Option<Both>,
}

/// Both accounts, and the links that stand in the way.
struct Both {
    chat: ChatId,
    play: PlayId,
    chat_who: Who,
    play_who: Who,
    /// Doubts about either account, as sentences.
    doubts: Vec<String>,
    /// They are linked with each other already.
    is_linked: bool,
    moves: Vec<String>,
    /// The other member, if both are linked, and what they get.
    swap: Option<(ChatId, String)>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, &visit.query, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, typed: &Fields, form: Form) -> Result<Response, PageError> {
    let (both, form) = match named(visit, typed).await? {
        _ if typed.text("chat_id").is_empty() && typed.text("play_id").is_empty() => (None, form),
        // A link to this page, which names the member alone.
        _ if typed.all("play_id").is_empty() => (None, form),
        Ok((chat, play)) => (Some(Both::read(visit, chat, play).await?), form),
        Err(_) if form.is_refused() => (None, form),
        Err((field, problem)) => (None, Form::unresolved(typed, field, problem)),
    };
    let shell = visit.shell("Link a member", Place::Members);
    let list_url = visit.may("lookup.read").then(|| visit.url("/members"));
    let page = Page {
        shell,
        url: visit.url("/members/link"),
        list_url,
        held_url: visit.url("/members/attempts"),
        import_url: visit.url("/members/import"),
        form,
        both,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

type Wrong = (&'static str, Unresolved);

/// `Err`: the field with its error.
async fn named(visit: &GuildVisit, typed: &Fields) -> Result<Result<(ChatId, PlayId), Wrong>, PageError> {
    let chat = match chat_of(visit, typed, "chat_id").await? {
        Ok(chat) => chat,
        Err(problem) => return Ok(Err(("chat_id", problem))),
    };
    Ok(match resolve(visit, typed, "play_id", Among::Players).await? {
        Ok(Subject::Play(play)) => Ok((chat, play)),
        Ok(Subject::Chat(_)) => Err(("play_id", "This is a Discord id. Give a Roblox id or name.".into())),
        Err(problem) => Err(("play_id", problem)),
    })
}

impl Both {
    async fn read(visit: &GuildVisit, chat: ChatId, play: PlayId) -> Result<Self, PageError> {
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let (of_chat, of_play) =
            (link::find_by_chat(conn, guild, chat).await?, link::find_by_play(conn, guild, play).await?);
        let is_linked = of_chat.as_ref().is_some_and(|link| link.play_id == play);
        let chat_who = identify(visit, Subject::Chat(chat)).await?;
        let play_who = identify(visit, Subject::Play(play)).await?;
        let mut moves = Vec::new();
        let mut swap = None;
        let (own, theirs) =
            (of_chat.filter(|link| link.play_id != play), of_play.filter(|link| link.chat_id != chat));
        if let Some(link) = &own {
            let name = &link.play_username;
            moves.push(format!("This member is linked to {name} ({}). That link ends.", link.play_id));
        }
        if let Some(link) = theirs {
            let (other, _) = identify(visit, Subject::Chat(link.chat_id)).await?;
            moves.push(format!(
                "This Roblox account is linked to {} ({}). That link ends, and with it their roles and nickname.",
                other.name, link.chat_id
            ));
            swap = own.map(|own| {
                let given = format!("{} gets {} ({}).", other.name, own.play_username, own.play_id);
                (link.chat_id, format!("Or both exchange their accounts, and {given}"))
            });
        }
        let doubts = [doubt("Discord", &chat_who.1), doubt("Roblox", &play_who.1)];
        let doubts = doubts.into_iter().flatten().collect();
        Ok(Self { chat, play, chat_who: chat_who.0, play_who: play_who.0, doubts, is_linked, moves, swap })
    }
}

fn doubt(platform: &str, standing: &Standing) -> Option<String> {
    match standing {
        Standing::Unknown => Some(format!("{platform} knows no such account.")),
        Standing::Unanswered(why) => {
            Some(format!("{platform} does not answer, so the account was not checked: {why}."))
        }
        Standing::Unlinked(Some(false)) => {
            Some("This person is not a member of the Discord server.".to_owned())
        }
        Standing::Linked | Standing::Unlinked(_) => None,
    }
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = &visit.form;
    let (chat, play) = match named(&visit, typed).await? {
        Ok(both) => both,
        Err((field, problem)) => {
            return show(&visit, typed, Form::unresolved(typed, field, problem)).await;
        }
    };
    let mut body = Map::new();
    body.insert("play_id".to_owned(), play.get().into());
    body.insert("replace".to_owned(), (typed.text("replace") == "yes").into());
    let answer = visit.api(Method::PUT, &format!("/guilds/{{g}}/links/{chat}"), body).await;
    if !answer.status.is_success() {
        return show(&visit, typed, Form::refused(typed, &answer)).await;
    }
    let name = answer.body["data"]["link"]["play_username"].as_str().unwrap_or_default().to_owned();
    let text = format!("Linked with {name} ({play}). A sync gives the roles and the nickname.");
    let page = if visit.may("lookup.read") { format!("/members/{chat}") } else { "/members/link".to_owned() };
    Ok(Response::see(visit.url(&page)).flash(Flash::new(text)))
}

/// The member of the field `chat_id` and the one of `other` exchange their Roblox accounts.
pub(crate) async fn swap(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = &visit.form;
    let Ok(chat) = typed.text("chat_id").parse::<ChatId>() else {
        let form = Form::wrong(typed, Some("chat_id"), "Say which member swaps.");
        return show(&visit, typed, form).await;
    };
    let other = typed.text("other");
    let body = Map::from_iter([("chat_id".to_owned(), other.into())]);
    let answer = visit.api(Method::POST, &format!("/guilds/{{g}}/links/{chat}/swap"), body).await;
    if !answer.status.is_success() {
        return show(&visit, typed, Form::refused(typed, &answer)).await;
    }
    let name = |n: usize| answer.body["data"]["links"][n]["play_username"].as_str().unwrap_or_default();
    let text = format!(
        "Swapped: linked with {}, and the other member with {}. Syncs give the roles and the nicknames.",
        name(0),
        name(1)
    );
    let back = [("chat_id", &*chat.to_string()), ("other", other)];
    let undo = Undo::new(visit.url("/members/link/swap"), &back);
    let page = if visit.may("lookup.read") { format!("/members/{chat}") } else { "/members/link".to_owned() };
    Ok(Response::see(visit.url(&page)).flash(Flash::new(text).with_undo(undo)))
}

pub(crate) async fn unlink(visit: GuildVisit) -> Result<Response, PageError> {
    let before = super::member::load(&visit).await?;
    let chat = before.chat_id;
    let answer = visit.api(Method::DELETE, &format!("/guilds/{{g}}/links/{chat}"), Map::new()).await;
    if !answer.status.is_success() {
        return super::member::show(&visit, &before, Form::refused(&visit.form, &answer)).await;
    }
    let back = [("chat_id", &*chat.to_string()), ("play_id", &*before.play_id.to_string())];
    let undo = Undo::new(visit.url("/members/link"), &back);
    let text = format!(
        "Unlinked {}. A job takes away the roles and the nickname that came from the link.",
        before.play_username
    );
    Ok(Response::see(visit.url("/members")).flash(Flash::new(text).with_undo(undo)))
}
