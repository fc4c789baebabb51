//! The actor of a row, by its number: a chat user, or 0 for the service.

use entities::{ChatId, Subject};

use super::people::{People, Who};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The people of a page, read at once.
pub(super) struct Actors(People);

impl Actors {
    pub(super) async fn read(visit: &GuildVisit, users: Vec<i64>) -> Result<Self, PageError> {
        Ok(Self(People::read(visit, users.into_iter().filter_map(subject)).await?))
    }

    /// `None`: the service itself.
    pub(super) fn who(&self, visit: &GuildVisit, user: i64) -> Option<Who> {
        subject(user).map(|subject| self.0.who(visit, subject))
    }
}

pub(super) fn subject(user: i64) -> Option<Subject> {
    ChatId::try_from(user).ok().map(Subject::Chat)
}
