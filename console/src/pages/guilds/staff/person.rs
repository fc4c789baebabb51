//! Staff members by what a person typed: an id of either account, or a name on Roblox or Discord.

use entities::staff_directory::{self, Described};
use entities::{ChatId, Subject};

use super::{own, sees_all};
use crate::html::form::Form;
use crate::pages::guilds::by_discord_name::ByDiscordName;
use crate::pages::guilds::people::chat_of;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The field of the filters.
pub(super) const STAFF_FIELD: &str = "staff";

/// A staff member that matches.
pub(crate) struct Match {
    pub(crate) chat: ChatId,
    /// On Roblox, or on Discord where they are not linked.
    pub(crate) name: String,
    /// What was typed is an id, or a whole name.
    pub(crate) whole: bool,
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
            found.push(Match { chat: named.chat, name, whole });
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
    let members = staff_directory::list(visit.read(), visit.guild.guild_id, visit.now()).await?;
    let found = matching(visit, &members, typed).await?;
    let whole: Vec<_> = found.iter().filter(|one| one.whole).collect();
    let named = match (whole.as_slice(), found.as_slice()) {
        ([one], _) => Ok(one.chat),
        ([], [one]) => Ok(one.chat),
        // Former staff have records too.
        ([], []) => chat_of(visit, typed).await?,
        _ => {
            let names: Vec<_> = found.iter().map(|one| one.name.as_str()).take(5).collect();
            Err(format!("Several staff members match: {}. Enter a whole name or an id.", names.join(", ")))
        }
    };
    Ok(match named {
        Ok(chat) => (Some(chat), form),
        Err(problem) => (None, Form::wrong(&visit.query, Some(STAFF_FIELD), &problem)),
    })
}
