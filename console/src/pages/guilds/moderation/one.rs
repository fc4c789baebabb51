//! /console/guilds/:guild/moderation/bans/:ban: one ban or mute.

use askama::Template;
use entities::sanction::{self, Lifted, MirrorState, active, history};
use entities::{Person, SanctionId};

use super::{Kind, Row, evidence, length, shown};
use crate::answer::{Answer, PageError};
use crate::form::Form;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;

const FIELDS: [&str; 2] = ["reason", "length"];

#[derive(Template)]
#[template(path = "guilds/moderation/one.html")]
struct Page {
    shell: Shell,
    row: Row,
    form: Form,
    may_write: bool,
    /// Addresses in the reason.
    evidence: Vec<String>,
    mirror: Option<Mirror>,
    superseded_by: Option<(SanctionId, String)>,
    /// Others of the person that lifting this one lifts too.
    together: Vec<Row>,
    /// All of the person, elsewhere.
    all_url: String,
    list_url: String,
}

/// The copy of a ban on Discord.
struct Mirror {
    meaning: &'static str,
    word: &'static str,
    about: &'static str,
    error: String,
    job_url: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let row = load(&visit).await?;
    let reason = [("reason", row.reason.as_str())];
    show(&visit, row.clone(), Form::new(crate::fields::Fields::of(&reason))).await
}

/// The ban or mute that the address names.
pub(super) async fn load(visit: &GuildVisit) -> Result<sanction::Model, PageError> {
    // Changes have a right of their own, but what they show is this page.
    if !visit.may("moderation.read") {
        return Err(PageError::NotFound);
    }
    let (kind, id): (Kind, SanctionId) = (visit.param("kind")?, visit.param("id")?);
    let row = history::find(visit.read(), visit.guild.guild_id, id).await?;
    row.filter(|row| row.kind == kind.0).ok_or(PageError::NotFound)
}

pub(super) async fn show(visit: &GuildVisit, row: sanction::Model, form: Form) -> Result<Answer, PageError> {
    let kind = Kind(row.kind);
    let successor = match row.lifted_how {
        Some(Lifted::Superseded) => history::successor(visit.read(), &row).await?,
        _ => None,
    };
    let subject = row.subject().map(|subject| subject.to_string()).unwrap_or_default();
    let others: Vec<_> = lifted_with(visit, &row)
        .await?
        .into_iter()
        .filter(|other| other.sanction_id != row.sanction_id)
        .collect();
    let page = Page {
        shell: visit.shell(&format!("{} #{}", kind.title(), row.sanction_id), Place::Moderation),
        row: shown(visit, std::slice::from_ref(&row)).await?.pop().ok_or(PageError::NotFound)?,
        form,
        may_write: visit.may("moderation.write"),
        evidence: evidence::links(&row.reason),
        mirror: mirror(visit, &row),
        superseded_by: successor.map(|new| (new.sanction_id, visit.url(&kind.one(new.sanction_id)))),
        together: shown(visit, &others).await?,
        all_url: visit.url(&format!("{}?state=all&person={subject}", kind.path())),
        list_url: visit.url(kind.path()),
    };
    Ok(Answer::page(&page)?.status(page.form.status()))
}

/// All that end when this one is lifted, itself included: those of the same person, and of the same place if it has
/// one. Without a place that is every place.
pub(super) async fn lifted_with(
    visit: &GuildVisit,
    row: &sanction::Model,
) -> Result<Vec<sanction::Model>, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let Some(subject) = row.subject().filter(|_| row.in_force(now)) else { return Ok(Vec::new()) };
    let person = Person::resolve(conn, guild, subject).await?;
    let mut rows = active::of_person(conn, guild, person, now).await?;
    rows.retain(|other| other.kind == row.kind && (row.place_id.is_none() || other.place_id == row.place_id));
    Ok(rows)
}

fn mirror(visit: &GuildVisit, row: &sanction::Model) -> Option<Mirror> {
    let (meaning, word, about) = match row.mirror_state {
        MirrorState::None if !Kind(row.kind).is_ban() => return None,
        MirrorState::None => (
            "quiet",
            "not there",
            "Bans of one place, of unlinked players, or with the setting off stay in Roblox.",
        ),
        MirrorState::Pending => ("info", "under way", "A job does it."),
        MirrorState::Done if row.lifted_at.is_none() => ("good", "banned there too", ""),
        MirrorState::Done if row.lifted_how == Some(Lifted::Superseded) => {
            ("quiet", "goes on", "The newer ban decides what is on Discord.")
        }
        MirrorState::Done => ("good", "lifted there too", ""),
        MirrorState::AlreadyBanned => {
            ("quiet", "banned by others", "The Discord ban was there before: Guildhall does not lift it.")
        }
        MirrorState::Failed => ("bad", "failed", "Guildhall tries again by itself for a while."),
    };
    let job = row.mirror_job_id.filter(|_| visit.may("sync.write"));
    Some(Mirror {
        meaning,
        word,
        about,
        error: row.mirror_error.clone().unwrap_or_default(),
        job_url: job.map(|job| visit.url(&format!("/jobs/{job}"))),
    })
}
