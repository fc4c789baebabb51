//! Staff members by what a person typed: an id of either account, or a name on Roblox or Discord.

use entities::staff_directory::{self, Described};
use entities::{ChatId, Subject};
use http::StatusCode;
use people::ApiAnswer;

use super::{own, sees_all};
use crate::fields::Fields;
use crate::html::candidate::{Candidate, Unresolved};
use crate::html::form::Form;
use crate::pages::guilds::by_discord_name::ByDiscordName;
use crate::pages::guilds::candidates::SHOWN;
use crate::pages::guilds::people::Who;
use crate::pages::guilds::typed::{chat_of, chosen};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The field of the filters.
pub(super) const STAFF_FIELD: &str = "staff";

/// What the API refused of a form that names a staff member: that there is none belongs to that field.
pub(super) fn refused(fields: &Fields, answer: &ApiAnswer) -> Form {
    if answer.status == StatusCode::NOT_FOUND && fields.has("staff_id") {
        return Form::wrong(fields, Some("staff_id"), &answer.message());
    }
    Form::refused(fields, answer)
}

/// A staff member that matches.
pub(crate) struct Match {
    pub(crate) chat: ChatId,
    /// On Roblox, or on Discord where they are not linked.
    pub(crate) name: String,
    /// What was typed is an id, or a whole name.
    pub(crate) whole: bool,
    /// The name finds them: it is no number that stands for one.
    by_name: bool,
}

/// Those of these staff members who have this id, or a name with this in it. Discord is asked if Roblox names
/// do not match.
pub(crate) async fn matching(
    visit: &GuildVisit,
    members: &[Described],
    typed: &str,
) -> Result<Vec<Match>, PageError> {
    let by_id = typed.parse::<Subject>().ok();
    let typed = typed.to_lowercase();
    let mut found: Vec<Match> =
        members.iter().filter_map(|member| on_roblox(member, by_id, &typed)).collect();
    if found.iter().any(|one| one.whole) {
        return Ok(found);
    }
    for named in ByDiscordName::read(visit, &typed).await?.found {
        let is_staff = members.iter().any(|member| member.chat_id == named.chat);
        if is_staff && found.iter().all(|one| one.chat != named.chat) {
            let whole = named.name.to_lowercase() == typed;
            let name = named.member.map_or(named.name, |member| member.name);
            found.push(Match { chat: named.chat, name, whole, by_name: true });
        }
    }
    Ok(found)
}

fn on_roblox(member: &Described, by_id: Option<Subject>, typed: &str) -> Option<Match> {
    let is_id = match by_id {
        Some(Subject::Chat(chat)) => member.chat_id == chat,
        Some(Subject::Play(play)) => member.play_id == Some(play),
        None => false,
    };
    let name = member.play_username.as_deref().unwrap_or_default();
    let shown = if name.is_empty() { format!("Discord {}", member.chat_id) } else { name.to_owned() };
    let whole = is_id || name.to_lowercase() == typed;
    (whole || name.to_lowercase().contains(typed)).then_some(Match {
        chat: member.chat_id,
        name: shown,
        whole,
        by_name: !name.is_empty(),
    })
}

/// The filter of a list by person: all (`None`), or the person that it names. If no one matches, the form
/// says so and the list is empty.
pub(super) async fn asked(visit: &GuildVisit, form: Form) -> Result<(Option<ChatId>, Form), PageError> {
    let typed = visit.query.text(STAFF_FIELD);
    if !sees_all(visit) {
        return Ok((Some(own(visit)), form));
    }
    if typed.is_empty() {
        return Ok((None, form));
    }
    Ok(match named(visit, &visit.query, STAFF_FIELD).await? {
        Ok(chat) => (Some(chat), form),
        Err(problem) => (None, Form::unresolved(&visit.query, STAFF_FIELD, problem)),
    })
}

/// The staff member, or former one, whom a field names.
pub(super) async fn named(
    visit: &GuildVisit,
    fields: &Fields,
    field: &str,
) -> Result<Result<ChatId, Unresolved>, PageError> {
    let typed = fields.text(field);
    if typed.is_empty() {
        return Ok(Err("Give the name or an id of a staff member.".into()));
    }
    if typed.parse::<ChatId>().is_err() && chosen(fields, field).is_none() {
        let members = staff_directory::list(visit.read(), visit.guild.guild_id, visit.now()).await?;
        let found = matching(visit, &members, typed).await?;
        let mut whole = found.iter().filter(|one| one.whole);
        match (whole.next(), whole.next(), found.as_slice()) {
            (Some(one), None, _) | (None, _, [one]) => return Ok(Ok(one.chat)),
            // Former staff have records too.
            (_, _, []) => {}
            _ => {
                let text = format!("Several staff members match {typed:?}. Choose one.");
                return Ok(Err(Unresolved { text, candidates: candidates(found) }));
            }
        }
    }
    chat_of(visit, fields, field).await
}

/// As lists of suggestions show them.
pub(crate) fn candidates(found: Vec<Match>) -> Vec<Candidate> {
    let shown = |one: &Match| {
        let who = Who::named(Subject::Chat(one.chat), one.name.clone());
        let is_only_one =
            found.iter().filter(|other| other.name.eq_ignore_ascii_case(&one.name)).count() == 1;
        Candidate {
            id: one.chat.to_string(),
            value: if one.by_name && is_only_one { one.name.clone() } else { one.chat.to_string() },
            initials: who.initials(),
            tone: who.tone(),
            about: format!("Discord {}", one.chat),
            is_banned: false,
            name: who.name,
        }
    };
    found.iter().take(SHOWN).map(shown).collect()
}
