//! Panels and submissions numbered in each guild; only one ticket for a submission.

use entities::application_panel::{self, NewPanel};
use entities::application_submission::{self, NewSubmission};
use entities::ticket::{self, Begun};
use entities::{ChannelId, PanelId, SubmissionId};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild};

impl Fixture {
    async fn apply(&self) -> (SubmissionId, PanelId) {
        let panel = NewPanel { id: None, name: "Staff".to_owned(), category: None, staff_roles: None };
        let panel =
            application_panel::add(self.conn(), guild(), panel, at(0)).await.unwrap().unwrap().panel_id;
        let answers = sea_orm::JsonValue::Null;
        let new = NewSubmission { id: None, panel, applicant: chat(1), answers };
        let submission =
            application_submission::add(self.conn(), guild(), new, at(0)).await.unwrap().unwrap();
        (submission.submission_id, panel)
    }

    async fn begin_ticket(&self, of: (SubmissionId, PanelId)) -> Begun {
        let transaction = self.begin().await;
        let begun = ticket::begin(&transaction, guild(), of.0, of.1, at(0)).await.unwrap();
        transaction.commit().await.unwrap();
        begun
    }
}

both_databases! {
    async fn ids_are_given_by_the_guild_or_counted_on(fixture: &Fixture) {
        let panel = |id: Option<i64>| NewPanel {
            id: id.map(|id| PanelId::try_from(id).unwrap()),
            name: "Staff".to_owned(),
            category: None,
            staff_roles: None,
        };
        let add = async |guild, id| {
            let added = application_panel::add(fixture.conn(), guild, panel(id), at(0)).await.unwrap();
            added.map(|panel| panel.panel_id.get())
        };
        assert_eq!(add(guild(), None).await, Some(1));
        assert_eq!(add(guild(), Some(7)).await, Some(7));
        assert_eq!(add(guild(), Some(7)).await, None);
        assert_eq!(add(guild(), None).await, Some(8));
        assert_eq!(add(other_guild(), None).await, Some(1));
    }

    async fn a_submission_has_one_ticket_however_often_it_is_asked_for(fixture: &Fixture) {
        let of = fixture.apply().await;
        let begun = futures_util::future::join_all((0..5).map(|_| fixture.begin_ticket(of))).await;
        assert_eq!(begun.iter().filter(|one| matches!(one, Begun::Fresh(_))).count(), 1);
        let found = ticket::find_by_submission(fixture.conn(), guild(), of.0).await.unwrap().unwrap();
        let (first, second) = (ChannelId::try_from(8).unwrap(), ChannelId::try_from(9).unwrap());
        let open = async |channel| ticket::open(fixture.conn(), guild(), found.ticket_id, channel, at(3)).await.unwrap();
        assert_eq!(open(first).await.unwrap().channel_id, Some(first));
        assert!(open(second).await.is_none());
        assert!(ticket::find(fixture.conn(), other_guild(), found.ticket_id).await.unwrap().is_none());
    }
}
