//! /console/guilds/:guild/staff: staff, their permissions and their actions. Staff without `staff.read` see
//! the list of staff, the leaderboard, the quotas, and only their own records of the rest.

pub(crate) mod activity;
mod calendar;
mod days;
pub(super) mod labels;
pub(crate) mod leaderboard;
pub(crate) mod leave;
pub(crate) mod member;
pub(crate) mod members;
pub(crate) mod notes;
pub(crate) mod pending;
pub(super) mod permissions;
pub(super) mod person;
pub(crate) mod quotas;
pub(crate) mod roles;
pub(crate) mod strikes;
mod tabs;

use entities::{ChatId, Subject};

use super::people::{People, Who};
use crate::response::PageError;
use crate::visit::GuildVisit;

fn own(visit: &GuildVisit) -> ChatId {
    visit.session.row.user_id
}

pub(super) fn sees_all(visit: &GuildVisit) -> bool {
    visit.may("staff.read")
}

/// Whether the viewer decides about matters of this person: only admins decide about themselves.
pub(super) fn decides(visit: &GuildVisit, staff: ChatId) -> bool {
    visit.may("staff.write") && (visit.rights.admin || staff != own(visit))
}

/// Persons with links to their pages as staff.
struct Staff(People);

impl Staff {
    async fn read(visit: &GuildVisit, chats: Vec<ChatId>) -> Result<Self, PageError> {
        let subjects: Vec<_> = chats.into_iter().map(Subject::Chat).collect();
        Ok(Self(People::read(visit, subjects).await?))
    }

    fn who(&self, visit: &GuildVisit, chat: ChatId) -> Who {
        let shown = sees_all(visit) || chat == own(visit);
        let url = shown.then(|| visit.url(&format!("/staff/{chat}")));
        Who { url, ..self.0.who(visit, Subject::Chat(chat)) }
    }
}

/// The name of one person.
async fn name_of(visit: &GuildVisit, chat: ChatId) -> Result<String, PageError> {
    Ok(Staff::read(visit, vec![chat]).await?.who(visit, chat).name)
}
