//! Persons as the console shows them: initials and name, and the ids of both accounts on demand.

use std::collections::HashMap;

use entities::{ChatId, PlayId, Subject, link};

use crate::answer::PageError;
use crate::visit::GuildVisit;
use crate::words;

/// A person with the name of their link, if they have one.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub(crate) name: String,
    pub(crate) chat: Option<ChatId>,
    pub(crate) play: Option<PlayId>,
    /// Their page, if they are linked and the viewer may see it.
    pub(crate) url: Option<String>,
}

impl Who {
    pub(crate) fn initials(&self) -> String {
        words::initials(&self.name)
    }

    pub(crate) fn linked(visit: &GuildVisit, link: &link::Model) -> Self {
        Self {
            name: link.play_username.clone(),
            chat: Some(link.chat_id),
            play: Some(link.play_id),
            url: visit.may("lookup.read").then(|| visit.url(&format!("/members/{}", link.chat_id))),
        }
    }

    fn unlinked(subject: Subject) -> Self {
        let (name, chat, play) = match subject {
            Subject::Chat(chat) => (format!("Discord {chat}"), Some(chat), None),
            Subject::Play(play) => (format!("Roblox {play}"), None, Some(play)),
        };
        Self { name, chat, play, url: None }
    }
}

/// The links of the persons that a page names.
#[derive(Default)]
pub(crate) struct People {
    by_chat: HashMap<ChatId, link::Model>,
    by_play: HashMap<PlayId, link::Model>,
}

impl People {
    pub(crate) async fn read(
        visit: &GuildVisit,
        subjects: impl IntoIterator<Item = Subject>,
    ) -> Result<Self, PageError> {
        let (mut chats, mut plays) = (Vec::new(), Vec::new());
        for subject in subjects {
            chats.extend(subject.chat());
            plays.extend(subject.play());
        }
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let mut people = Self::default();
        if !chats.is_empty() {
            people.keep(link::find_by_chats(conn, guild, &chats).await?);
        }
        if !plays.is_empty() {
            people.keep(link::find_by_plays(conn, guild, &plays).await?);
        }
        Ok(people)
    }

    fn keep(&mut self, links: Vec<link::Model>) {
        for link in links {
            self.by_play.insert(link.play_id, link.clone());
            self.by_chat.insert(link.chat_id, link);
        }
    }

    pub(crate) fn who(&self, visit: &GuildVisit, subject: Subject) -> Who {
        let link = match subject {
            Subject::Chat(chat) => self.by_chat.get(&chat),
            Subject::Play(play) => self.by_play.get(&play),
        };
        link.map_or_else(|| Who::unlinked(subject), |link| Who::linked(visit, link))
    }
}

/// Whom a person typed: an id of either account, or the whole name of a linked player. `Err` says what is wrong.
pub(crate) async fn resolve(visit: &GuildVisit, typed: &str) -> Result<Result<Subject, String>, PageError> {
    if let Ok(subject) = typed.parse() {
        return Ok(Ok(subject));
    }
    if typed.is_empty() {
        return Ok(Err("Give a Discord id, a Roblox id or a player's name.".to_owned()));
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let found = entities::link_search::by_name(conn, guild, typed, None, 2).await?;
    // Names are in order, so the whole name comes before those that it begins.
    let whole: Vec<_> = found.iter().filter(|link| link.play_username.eq_ignore_ascii_case(typed)).collect();
    Ok(match whole.as_slice() {
        [one] => Ok(Subject::Play(one.play_id)),
        [] => Err(format!("No linked member is named {typed:?}. Give the Roblox id or the Discord id.")),
        _ => Err(format!("Several members are named {typed:?}. Give the Roblox id or the Discord id.")),
    })
}
