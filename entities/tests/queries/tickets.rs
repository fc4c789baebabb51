//! Panels and submissions numbered in each guild; only one ticket for a submission.

use std::collections::HashSet;

use entities::application_panel::{self, NewPanel};
use entities::application_submission::{self, Filter, NewSubmission, State};
use entities::ticket::{self, Begun};
use entities::{ChannelId, Page, PanelId, SubmissionId, application_comment};

use crate::fixture::{Fixture, at, both_databases, chat, guild, on_postgres, other_guild};
use crate::rows_read::rows_read;

impl Fixture {
    async fn apply(&self) -> (SubmissionId, PanelId) {
        let panel = NewPanel::named("Staff");
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
            ..NewPanel::named("Staff")
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

    async fn who_has_applied_is_known_until_the_decision(fixture: &Fixture) {
        let (submission, panel) = fixture.apply().await;
        let open = async |who| application_submission::open_of(fixture.conn(), guild(), panel, who).await.unwrap();
        assert_eq!((open(chat(1)).await, open(chat(2)).await), (Some(submission), None));
        assert_eq!(application_submission::open_of(fixture.conn(), other_guild(), panel, chat(1)).await.unwrap(), None);
        let row = application_submission::find_for_update(fixture.conn(), guild(), submission).await.unwrap().unwrap();
        let comment = async |text: &str| {
            application_comment::add(fixture.conn(), &row, chat(3), text.to_owned(), at(1)).await.unwrap().comment_id
        };
        let (one, two) = (comment("one").await, comment("two").await);
        let said = async |guild, page| application_comment::list(fixture.conn(), guild, submission, page).await.unwrap();
        let ids: Vec<_> = said(guild(), Page::first(5)).await.into_iter().map(|row| row.comment_id).collect();
        assert_eq!(ids, [two, one]);
        assert_eq!(said(other_guild(), Page::first(5)).await, []);
        let decided = application_submission::Model {
            state: State::Accepted, decided_at: Some(at(2)), decided_by: Some(chat(3)), ..row
        };
        application_submission::save(fixture.conn(), &decided).await.unwrap();
        assert_eq!(open(chat(1)).await, None);
        let filter = |state| Filter { state: Some(state), ..Filter::default() };
        let listed = async |state| {
            let rows = application_submission::list(fixture.conn(), guild(), filter(state), Page::first(5)).await;
            rows.unwrap().len()
        };
        assert_eq!((listed(State::Accepted).await, listed(State::Open).await), (1, 0));
    }

    async fn a_removed_panel_stays_for_its_submissions(fixture: &Fixture) {
        let (_, panel) = fixture.apply().await;
        let unused = application_panel::add(fixture.conn(), guild(), NewPanel::named("x"), at(0)).await.unwrap().unwrap();
        for id in [panel, unused.panel_id] {
            let row = application_panel::find_for_update(fixture.conn(), guild(), id).await.unwrap().unwrap();
            application_panel::remove(fixture.conn(), row, at(1)).await.unwrap();
        }
        assert_eq!(application_panel::list(fixture.conn(), guild()).await.unwrap(), []);
        let open = async || application_panel::guilds_with_open(fixture.conn(), &[guild(), other_guild()]).await.unwrap();
        assert_eq!(open().await, HashSet::new());
        application_panel::add(fixture.conn(), other_guild(), NewPanel::named("x"), at(0)).await.unwrap();
        assert_eq!(open().await, HashSet::from([other_guild()]));
        let all = application_panel::list_all(fixture.conn(), guild()).await.unwrap();
        assert_eq!(all.into_iter().map(|row| (row.panel_id, row.removed_at)).collect::<Vec<_>>(), [(panel, Some(at(1)))]);
    }
}

const MANY: &str = "
INSERT INTO application_submission (guild_id, submission_id, panel_id, chat_id, answers, created_at)
SELECT 7000000000000000000, 10 + i, 1, 1000000000000001000 + i, 'null', '2026-04-12T18:33:21+00:00'
FROM generate_series(1, 20000) i";

/// Any member opens the page that shows them.
#[tokio::test]
async fn the_applications_of_one_person_are_read_without_the_others() {
    on_postgres(async |fixture| {
        let (submission, panel) = fixture.apply().await;
        fixture.execute(MANY).await;
        fixture.execute("VACUUM ANALYZE").await;
        let conn = fixture.begin().await;
        for panel in [None, Some(panel)] {
            let filter = Filter { panel, applicant: Some(chat(1)), state: None };
            let rows = application_submission::list(&conn, guild(), filter, Page::first(26)).await.unwrap();
            assert_eq!(rows.iter().map(|row| row.submission_id).collect::<Vec<_>>(), [submission]);
        }
        let read = rows_read(&conn, "application_submission").await;
        assert!(read < 20, "{read}");
    })
    .await;
}
