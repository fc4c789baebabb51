//! Flags one player or many, after asking: only the operator of the service lifts a flag.

use askama::Template;
use entities::{PlayId, Subject};
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::csv::{self, Line};
use super::{may_flag, show};
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::typed::resolve;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Players that the question names.
const PLAYERS_NAMED: usize = 10;
/// Players that are looked up on Roblox, in one call.
const PLAYERS_CHECKED: usize = 100;
/// What is typed before several players are flagged.
const CONFIRMATION: &str = "flag";
const FIELDS: [&str; 1] = ["word"];

#[derive(Template)]
#[template(path = "guilds/shield/confirm.html")]
struct Confirm {
    shell: Shell,
    form: Form,
    url: String,
    back: String,
    total: Count<u64>,
    named: Vec<Named>,
    others: u64,
    /// Ids that Roblox does not know: an import leaves them out.
    unknown: Vec<PlayId>,
    /// Why the look-up on Roblox failed; empty: it did not.
    unanswered: String,
    /// The lines, to be sent again.
    csv: String,
    /// The word has to be typed.
    typed: bool,
}

struct Named {
    who: Who,
    unknown: bool,
    reason: String,
}

/// One player.
pub(crate) async fn one(visit: GuildVisit) -> Result<Response, PageError> {
    let form = &visit.form;
    let wrong = |field, text| Form::wrong(form, Some(field), text);
    if !may_flag(&visit) {
        return Err(PageError::NotFound);
    }
    let play = match resolve(&visit, form, "play_id", Among::Players).await? {
        Ok(Subject::Play(play)) => play,
        Ok(Subject::Chat(_)) => return show(&visit, wrong("play_id", "This is a Discord id.")).await,
        Err(problem) => return show(&visit, Form::unresolved(form, "play_id", problem)).await,
    };
    if !form.has("reason") {
        return show(&visit, wrong("reason", "Enter a reason: other servers see it.")).await;
    }
    let reason = form.text("reason").split_whitespace().collect::<Vec<_>>().join(" ");
    ask(&visit, &[Line { play, reason }], Form::default()).await
}

/// The lines of a file; with `sure` they are flagged.
pub(crate) async fn many(visit: GuildVisit) -> Result<Response, PageError> {
    if !may_flag(&visit) {
        return Err(PageError::NotFound);
    }
    let form = &visit.form;
    let lines = match csv::read(form.text("csv")) {
        Ok(lines) => lines,
        Err(problem) => return show(&visit, Form::wrong(form, Some("csv"), &problem)).await,
    };
    if !form.has("sure") {
        return ask(&visit, &lines, Form::default()).await;
    }
    if lines.len() > 1 && !form.text("word").eq_ignore_ascii_case(CONFIRMATION) {
        let text = format!("Type {CONFIRMATION} to flag them.");
        return ask(&visit, &lines, Form::wrong(form, Some("word"), &text)).await;
    }
    import(&visit, &lines).await
}

async fn ask(visit: &GuildVisit, lines: &[Line], form: Form) -> Result<Response, PageError> {
    let total = lines.len() as u64;
    let plays: Vec<_> = lines.iter().take(PLAYERS_CHECKED).map(|line| line.play).collect();
    let (people, unknown) = People::players(visit, &plays).await?;
    let (unknown, unanswered) = match unknown {
        Ok(unknown) => (unknown, String::new()),
        Err(problem) => (Vec::new(), problem),
    };
    let named = lines.iter().take(PLAYERS_NAMED).map(|line| Named {
        who: people.who(visit, Subject::Play(line.play)),
        unknown: unknown.contains(&line.play),
        reason: line.reason.clone(),
    });
    let named: Vec<_> = named.collect();
    let status = form.status();
    let page = Confirm {
        shell: visit.shell("Flag players", Place::Shield),
        form,
        url: visit.url("/shield/import"),
        back: visit.url("/shield"),
        total: Count(total, "player"),
        others: total - named.len() as u64,
        named,
        unknown,
        unanswered,
        csv: lines.iter().map(csv::written).collect(),
        typed: lines.len() > 1,
    };
    Ok(Response::page(&page)?.status(status))
}

async fn import(visit: &GuildVisit, lines: &[Line]) -> Result<Response, PageError> {
    let users: Vec<Value> =
        lines.iter().map(|line| json!({ "play_id": line.play.get(), "reason": line.reason })).collect();
    let mut body = Map::new();
    body.insert("users".to_owned(), users.into());
    let answer = visit.api(Method::POST, "/shield/import", body).await;
    if answer.status == StatusCode::ACCEPTED
        && let Some(job) = answer.body["data"]["job_id"].as_str()
    {
        let page = if visit.may("sync.write") { format!("/jobs/{job}") } else { "/shield".to_owned() };
        let flash = Flash::new("The import goes on in the background.");
        return Ok(Response::see(visit.url(&page)).flash(flash));
    }
    if !answer.status.is_success() {
        return ask(visit, lines, Form::refused(&visit.form, &answer)).await;
    }
    let number = |name: &str| answer.body["data"][name].as_u64().unwrap_or(0);
    let (imported, skipped) = (number("imported"), number("skipped"));
    let mut text = format!("{} flagged.", Count(imported, "player"));
    if skipped > 0 {
        let left = Count(skipped, "other player");
        text = format!("{text} {left} skipped: already flagged, or unknown to Roblox.");
    }
    // One player is shown with the new flag.
    let page = match lines {
        [line] => format!("/shield?ids={}", line.play),
        _ => "/shield".to_owned(),
    };
    Ok(Response::see(visit.url(&page)).flash(Flash::new(text)))
}
