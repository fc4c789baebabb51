//! /console/guilds/:guild/moderation/bans/new: bans or mutes a person.

use askama::Template;
use entities::game_server;

use super::order::{Order, refused};
use super::target::{Active, Target};
use super::{Kind, length};
use crate::fields::Fields;
use crate::html::candidate::Unresolved;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Standing;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 5] = ["identifier", "reason", "length", "amount", "place_id"];

#[derive(Template)]
#[template(path = "guilds/moderation/add.html")]
struct Page {
    shell: Shell,
    kind: Kind,
    form: Form,
    url: String,
    /// For people who may see it.
    list_url: Option<String>,
    imports_url: String,
    /// The person that the form names, or why they are not found; `None`: no person is named yet.
    target: Option<Result<Target, Unresolved>>,
    /// Active ones of that person.
    active: Vec<Active>,
    /// Game servers that would be told.
    live: usize,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let kind = visit.param("kind")?;
    show(&visit, kind, &visit.query, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, kind: Kind, typed: &Fields, form: Form) -> Result<Response, PageError> {
    let target = if typed.has("identifier") { Some(Target::read(visit, kind, typed).await?) } else { None };
    let active = match &target {
        Some(Ok(target)) => target.active(visit, &order(kind, target, typed, None)).await?,
        _ => Vec::new(),
    };
    let page = Page {
        shell: visit.shell(&format!("{} a person", kind.title()), Place::Moderation),
        kind,
        url: visit.url(&format!("{}/new", kind.path())),
        list_url: visit.may("moderation.read").then(|| visit.url(kind.path())),
        imports_url: visit.url("/imports/bans"),
        target,
        active,
        live: game_server::live(visit.read(), visit.guild.guild_id, visit.now()).await?.len(),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

fn order<'a>(kind: Kind, target: &Target, typed: &'a Fields, seconds: Option<i64>) -> Order<'a> {
    let (reason, place) = (typed.text("reason"), typed.text("place_id"));
    Order { kind, subject: target.subject, reason, place, seconds }
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let kind: Kind = visit.param("kind")?;
    let typed = &visit.form;
    let wrong = |field, text: &str| show(&visit, kind, typed, Form::wrong(typed, Some(field), text));
    let target = match Target::read(&visit, kind, typed).await? {
        Ok(target) => target,
        Err(problem) => {
            return show(&visit, kind, typed, Form::unresolved(typed, "identifier", problem)).await;
        }
    };
    if target.is_doubtful(typed) {
        let text = format!("{} knows no such id. Check it, or confirm it below.", target.platform());
        return wrong("identifier", &text).await;
    }
    let seconds = match length::read(typed) {
        Ok(seconds) => seconds,
        Err((field, problem)) => return wrong(field, problem).await,
    };
    if target.is_unseen(typed) {
        let name = &target.who.name;
        let text = format!(
            "No member is linked with {name}. Check the account below, then add the {}.",
            kind.word()
        );
        return show(&visit, kind, typed, Form::asks(typed, "identifier", text.into())).await;
    }
    let order = order(kind, &target, typed, seconds);
    let new = match order.impose(&visit).await {
        Ok(new) => new,
        Err(answer) => return show(&visit, kind, typed, refused(&visit, &answer)).await,
    };
    let flash = order.notice(&visit, &target.who.name, &new, target.replaced(&order));
    if !visit.may("moderation.read") {
        // Undo leads to the page of the ban, which they may not see.
        let flash = Flash::new(flash.text);
        return Ok(Response::see(visit.url(&format!("{}/new", kind.path()))).flash(flash));
    }
    Ok(Response::see(visit.url(&kind.one(new.id))).flash(flash))
}
