//! Persons as the console shows them: initials and name, and the ids of both accounts on demand.

use std::collections::{HashMap, HashSet};

use entities::{ChatId, PlayId, Subject, link};
use people::unnamed;

use crate::html::format::initials;
use crate::platform_cache::accounts::{Account, soon};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// A person with the name of their link, if they have one.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub(crate) name: String,
    pub(crate) chat: Option<ChatId>,
    pub(crate) play: Option<PlayId>,
    /// Their page, if they are linked and the viewer may see it.
    pub(crate) url: Option<String>,
    /// The picture of the player.
    pub(crate) face: Option<String>,
}

impl Who {
    pub(crate) fn initials(&self) -> String {
        initials(&self.name)
    }

    /// The person behind an account. Only people who may look members up see the other account.
    fn behind(visit: &GuildVisit, subject: Subject, link: &link::Model) -> Self {
        if visit.may("lookup.read") {
            return Self::linked(visit, link);
        }
        Self::named(subject, link.play_username.clone()).with_face(visit)
    }

    /// With both accounts for people who may look members up, otherwise only the name.
    pub(crate) fn linked(visit: &GuildVisit, link: &link::Model) -> Self {
        let shown = visit.may("lookup.read");
        Self {
            name: link.play_username.clone(),
            chat: shown.then_some(link.chat_id),
            play: shown.then_some(link.play_id),
            url: shown.then(|| visit.url(&format!("/members/{}", link.chat_id))),
            face: None,
        }
        .with_face(visit)
    }

    fn with_face(mut self, visit: &GuildVisit) -> Self {
        self.face = self.play.map(|play| visit.url(&format!("/pictures/{play}")));
        self
    }

    pub(crate) fn unlinked(subject: Subject) -> Self {
        if subject == Subject::Chat(ChatId::SYSTEM) {
            return Self { name: unnamed(subject), chat: None, play: None, url: None, face: None };
        }
        Self::named(subject, unnamed(subject))
    }

    /// Without a link, by the name that the platform has.
    pub(crate) fn named(subject: Subject, name: String) -> Self {
        Self { name, chat: subject.chat(), play: subject.play(), url: None, face: None }
    }
}

/// The links of the persons that a page names, and the names of those without one.
#[derive(Default)]
pub(crate) struct People {
    by_chat: HashMap<ChatId, link::Model>,
    by_play: HashMap<PlayId, link::Model>,
    names: HashMap<Subject, String>,
}

impl People {
    pub(crate) async fn read(
        visit: &GuildVisit,
        subjects: impl IntoIterator<Item = Subject>,
    ) -> Result<Self, PageError> {
        let subjects: HashSet<Subject> = subjects.into_iter().collect();
        let mut people = Self::linked(visit, &subjects).await?;
        let unlinked: Vec<_> = subjects.into_iter().filter(|one| people.link(*one).is_none()).collect();
        people.names = visit.console.names.find(visit.call_context(), &unlinked).await;
        Ok(people)
    }

    /// The same for players, asking Roblox at once. Includes those that Roblox does not know; or why it does
    /// not answer.
    pub(crate) async fn players(
        visit: &GuildVisit,
        plays: &[PlayId],
    ) -> Result<(Self, Result<Vec<PlayId>, String>), PageError> {
        let mut people = Self::linked(visit, &plays.iter().copied().map(Subject::Play).collect()).await?;
        let mut unlinked = plays.to_vec();
        unlinked.retain(|play| !people.by_play.contains_key(play));
        if unlinked.is_empty() {
            return Ok((people, Ok(unlinked)));
        }
        let read = visit.platforms().play.usernames(visit.call_context(), &unlinked);
        let unknown = soon(read).await.map(|names| {
            people.names.extend(names.into_iter().map(|(play, name)| (Subject::Play(play), name)));
            unlinked.retain(|play| !people.names.contains_key(&Subject::Play(*play)));
            unlinked
        });
        Ok((people, unknown))
    }

    async fn linked(visit: &GuildVisit, subjects: &HashSet<Subject>) -> Result<Self, PageError> {
        let chats: Vec<_> = subjects.iter().filter_map(|subject| subject.chat()).collect();
        let plays: Vec<_> = subjects.iter().filter_map(|subject| subject.play()).collect();
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let mut people = Self::default();
        if !chats.is_empty() {
            people.keep(link::find_by_chats(conn, guild, &chats).await?);
        }
        if !plays.is_empty() {
            people.keep(link::find_by_plays(conn, guild, &plays).await?);
        }
        let faces = people.by_play.keys().chain(&plays).copied();
        visit.platforms().pictures.prepare(visit.call_context(), faces);
        Ok(people)
    }

    fn keep(&mut self, links: Vec<link::Model>) {
        for link in links {
            self.by_play.insert(link.play_id, link.clone());
            self.by_chat.insert(link.chat_id, link);
        }
    }

    fn link(&self, subject: Subject) -> Option<&link::Model> {
        match subject {
            Subject::Chat(chat) => self.by_chat.get(&chat),
            Subject::Play(play) => self.by_play.get(&play),
        }
    }

    pub(crate) fn who(&self, visit: &GuildVisit, subject: Subject) -> Who {
        match (self.link(subject), self.names.get(&subject)) {
            (Some(link), _) => Who::behind(visit, subject, link),
            (None, Some(name)) => Who::named(subject, name.clone()).with_face(visit),
            (None, None) => Who::unlinked(subject).with_face(visit),
        }
    }
}

/// The known data of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    Linked,
    /// The platform has it, without a link here. Of Discord users: whether they are in the server.
    Unlinked(Option<bool>),
    /// The platform has no such account.
    Unknown,
    /// Why the platform does not answer.
    Unanswered(String),
}

/// The person behind an account: by their link, or else as the platform names them.
pub(crate) async fn identify(visit: &GuildVisit, subject: Subject) -> Result<(Who, Standing), PageError> {
    let people = People::linked(visit, &HashSet::from([subject])).await?;
    if let Some(link) = people.link(subject) {
        return Ok((Who::behind(visit, subject, link), Standing::Linked));
    }
    Ok(match visit.console.accounts.find(visit.call_context(), subject).await {
        Ok(Account::Known { name, is_member }) => {
            (Who::named(subject, name).with_face(visit), Standing::Unlinked(is_member))
        }
        Ok(Account::Unknown) => (Who::unlinked(subject), Standing::Unknown),
        Err(problem) => (Who::unlinked(subject), Standing::Unanswered(problem)),
    })
}
