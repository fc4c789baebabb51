//! A user of Roblox as the form of a ban or mute shows one who is not linked.

use chrono::TimeDelta;
use entities::{PlayId, SanctionKind, Subject, sanction, shield_flag};

use crate::html::format::{Count, When};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Younger accounts are marked.
const NEW: TimeDelta = TimeDelta::days(30);

pub(super) struct Player {
    pub(super) picture: String,
    /// The name that games show, if it is another one.
    pub(super) display_name: Option<String>,
    pub(super) created: Option<When>,
    pub(super) is_new: bool,
    /// What is known of them here, as far as the viewer may see it.
    pub(super) known: Vec<String>,
}

impl Player {
    pub(super) async fn read(visit: &GuildVisit, play: PlayId) -> Result<Self, PageError> {
        let profile = visit.console.accounts.profile(visit.call_context(), play).await.ok().flatten();
        let created = profile.as_ref().map(|profile| visit.when(profile.created_at));
        let other_name = |name: &String| profile.as_ref().is_some_and(|profile| profile.name != *name);
        Ok(Self {
            picture: visit.url(&format!("/pictures/{play}")),
            is_new: created.is_some_and(|created| created.now - created.at < NEW),
            created,
            display_name: profile.as_ref().map(|profile| profile.display_name.clone()).filter(other_name),
            known: known(visit, play).await?,
        })
    }
}

async fn known(visit: &GuildVisit, play: PlayId) -> Result<Vec<String>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut known = Vec::new();
    if visit.may("moderation.read") {
        let rows = sanction::history::of_person(conn, guild, Subject::Play(play).into(), 100).await?;
        for (kind, word) in [(SanctionKind::Ban, "ban"), (SanctionKind::Mute, "mute")] {
            let count = rows.iter().filter(|row| row.kind == kind).count() as u64;
            if count > 0 {
                known.push(format!("{} here", Count(count, word)));
            }
        }
    }
    if visit.may("shield.read") && !shield_flag::find_many(conn, &[play]).await?.is_empty() {
        known.push("on the Shield list".to_owned());
    }
    Ok(known)
}
