//! /console/guilds/:guild/moderation/bans/new: bans or mutes a person.

use askama::Template;
use entities::{Person, PlaceId, SanctionId, Subject, sanction::active};
use http::Method;
use serde_json::Value;

use super::{Kind, Row, length, shown};
use crate::answer::{Answer, PageError};
use crate::api::ApiAnswer;
use crate::cookies::{Said, Undo};
use crate::form::Form;
use crate::pages::guilds::people::resolve;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 4] = ["identifier", "reason", "length", "place_id"];

#[derive(Template)]
#[template(path = "guilds/moderation/add.html")]
struct Page {
    shell: Shell,
    kind: Kind,
    form: Form,
    url: String,
    list_url: String,
    /// What the named person has already.
    active: Vec<Row>,
}

/// What is imposed on whom.
pub(super) struct Order<'a> {
    pub(super) kind: Kind,
    pub(super) subject: Subject,
    pub(super) reason: &'a str,
    pub(super) place: &'a str,
    /// `None`: for ever.
    pub(super) seconds: Option<i64>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let kind = visit.param("kind")?;
    show(&visit, kind, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, kind: Kind, form: Form) -> Result<Answer, PageError> {
    let title = format!("{} a member", kind.title());
    let page = Page {
        shell: visit.shell(&title, Place::Moderation),
        kind,
        url: visit.url(&format!("{}/new", kind.path())),
        list_url: visit.url(kind.path()),
        active: known(visit, kind, form.text("identifier")).await?,
        form,
    };
    Ok(Answer::page(&page)?.status(page.form.status()))
}

/// The active ones of this kind of a person: a new one may take their place.
async fn known(visit: &GuildVisit, kind: Kind, typed: &str) -> Result<Vec<Row>, PageError> {
    let Ok(subject) = typed.parse::<Subject>() else { return Ok(Vec::new()) };
    if !visit.may("moderation.read") {
        return Ok(Vec::new());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let person = Person::resolve(conn, guild, subject).await?;
    let mut rows = active::of_person(conn, guild, person, visit.now()).await?;
    rows.retain(|row| row.kind == kind.0);
    shown(visit, &rows).await
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Answer, PageError> {
    let kind: Kind = visit.param("kind")?;
    let form = &visit.form;
    let wrong = |field, text: &str| Form::wrong(form, Some(field), text);
    let subject = match resolve(&visit, form.text("identifier")).await? {
        Ok(subject) => subject,
        Err(problem) => return show(&visit, kind, wrong("identifier", &problem)).await,
    };
    if is_own(&visit, subject).await? {
        return show(&visit, kind, wrong("identifier", "This is your own account.")).await;
    }
    let seconds = match length::read(form) {
        Ok(seconds) => seconds,
        Err(problem) => return show(&visit, kind, wrong("length", problem)).await,
    };
    let order = Order { kind, subject, reason: form.text("reason"), place: form.text("place_id"), seconds };
    let replaced = replaces(&visit, &order).await?;
    let answer = impose(&visit, &order).await;
    let Some(id) = imposed(&answer) else {
        return show(&visit, kind, refused(&visit, &answer)).await;
    };
    let one = visit.url(&kind.one(id));
    if !visit.may("moderation.read") {
        let said = Said::new(format!("{subject} is {}.", kind.done()));
        return Ok(Answer::see(visit.url(&format!("{}/new", kind.path()))).saying(said));
    }
    if replaced {
        let said = format!("{subject} is {}. This one takes the place of an older one.", kind.done());
        return Ok(Answer::see(one).saying(Said::new(said)));
    }
    let undo = Undo::new(format!("{one}/lift"), &[("undo", "yes")]);
    let said = Said::new(format!("{subject} is {}.", kind.done())).with_undo(undo);
    Ok(Answer::see(one).saying(said))
}

/// Whether the account is the visitor's: who bans themselves is out of the guild, and can lift nothing.
async fn is_own(visit: &GuildVisit, subject: Subject) -> Result<bool, PageError> {
    let person = Person::resolve(visit.read(), visit.guild.guild_id, subject).await?;
    Ok(person.chat == Some(visit.session.row.user_id))
}

/// Whether there is one of the same account and place: lifting the new one does not bring it back.
async fn replaces(visit: &GuildVisit, order: &Order<'_>) -> Result<bool, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let rows = active::of_person(conn, guild, order.subject.into(), visit.now()).await?;
    let place = order.place.parse::<PlaceId>().ok();
    Ok(rows.iter().any(|row| row.kind == order.kind.0 && row.place_id == place))
}

pub(super) async fn impose(visit: &GuildVisit, order: &Order<'_>) -> ApiAnswer {
    let mut body = serde_json::Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("identifier", order.subject.to_string().into());
    put("moderator_id", visit.session.row.user_id.to_string().into());
    if !order.reason.is_empty() {
        put("reason", order.reason.into());
    }
    if !order.place.is_empty() {
        let number = order.place.parse::<i64>();
        put("place_id", number.map_or_else(|_| order.place.into(), Value::from));
    }
    if let Some(seconds) = order.seconds {
        put("duration_seconds", seconds.into());
    }
    visit.api(Method::POST, &format!("/moderation/{{g}}/play/{}", order.kind.word()), body).await
}

/// The number of the new ban or mute, if it was made.
pub(super) fn imposed(answer: &ApiAnswer) -> Option<SanctionId> {
    answer.body["data"]["id"].as_i64().filter(|_| answer.status.is_success())?.try_into().ok()
}

/// The form with the API's error; its field for the length has another name.
pub(super) fn refused(visit: &GuildVisit, answer: &ApiAnswer) -> Form {
    match answer.field() {
        Some("duration_seconds") => {
            let text = "It lasts 1 second to 100 years. For longer choose: for ever.";
            Form::wrong(&visit.form, Some("length"), text)
        }
        _ => Form::refused(&visit.form, answer),
    }
}
