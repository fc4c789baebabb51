//! Members whom Discord finds by name, with the links that they have.

use entities::{ChatId, Subject, link};

use super::people::Who;
use crate::platform_cache::name_search::MEMBERS_MAX;
use crate::response::PageError;
use crate::visit::GuildVisit;

#[derive(Default)]
pub(crate) struct ByDiscordName {
    pub(crate) found: Vec<Named>,
    /// Why Discord did not search, in words; empty if it did, or was not asked.
    pub(crate) problem: String,
}

pub(crate) struct Named {
    /// On Discord.
    pub(crate) name: String,
    pub(crate) chat: ChatId,
    /// If they are linked.
    pub(crate) member: Option<Who>,
}

impl ByDiscordName {
    /// Discord is not asked for an id or an empty text.
    pub(crate) async fn read(visit: &GuildVisit, typed: &str) -> Result<Self, PageError> {
        if typed.is_empty() || typed.parse::<Subject>().is_ok() {
            return Ok(Self::default());
        }
        let named = match visit.console.name_searches.find(visit.call_context(), typed).await {
            Ok(named) => named,
            Err(problem) => return Ok(Self { problem, ..Self::default() }),
        };
        let chats: Vec<_> = named.iter().map(|one| one.chat_id).collect();
        let links = link::find_by_chats(visit.read(), visit.guild.guild_id, &chats).await?;
        let member =
            |chat| links.iter().find(|link| link.chat_id == chat).map(|link| Who::linked(visit, link));
        let found = named.iter().map(|one| Named {
            name: one.name.clone(),
            chat: one.chat_id,
            member: member(one.chat_id),
        });
        Ok(Self { found: found.collect(), problem: String::new() })
    }

    /// There may be more than these.
    pub(crate) fn is_cut(&self) -> bool {
        self.found.len() >= usize::from(MEMBERS_MAX)
    }
}
