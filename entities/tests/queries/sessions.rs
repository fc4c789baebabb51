//! Sessions: one open for each member, silence never counted, totals clipped to their span.

use entities::period::Span;
use entities::staff_session::{self, NewSession, STALE_AFTER, Started, totals};
use entities::{SessionId, staff_directory};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, place, play};

impl Fixture {
    async fn start(&self, staff: i64, second: i64) -> Started {
        let new = NewSession {
            id: SessionId(uuid::Uuid::now_v7()),
            guild: guild(),
            staff: chat(staff),
            play: play(staff),
            place: place(1),
            server: "server-1".to_owned(),
        };
        let transaction = self.begin().await;
        let started = staff_session::start(&transaction, new, at(second)).await.unwrap().unwrap();
        transaction.commit().await.unwrap();
        started
    }
}

both_databases! {
    async fn a_new_start_ends_the_old_session_at_its_last_heartbeat(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let first = fixture.start(1, 0).await.session;
        staff_session::heartbeat(fixture.conn(), &[first.session_id], at(30)).await.unwrap();
        let second = fixture.start(1, 70).await;
        assert_eq!(second.ended.unwrap().duration_seconds(), 30);
        let starts = futures_util::future::join_all((0..6).map(|_| fixture.start(1, 71))).await;
        assert_eq!(starts.iter().filter(|started| started.ended.is_some()).count(), 6);
        assert!(staff_directory::find(fixture.conn(), guild(), chat(1), at(72)).await.unwrap().unwrap().on_duty);
    }

    async fn a_heartbeat_does_not_wait_for_the_removal_of_another_guild(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let id = fixture.start(1, 0).await.session.session_id;
        if fixture.database.is_postgres() {
            let removal = fixture.begin().await;
            entities::guild::removal::finish(&removal, other_guild(), at(0)).await.unwrap();
            assert_eq!(staff_session::heartbeat(fixture.conn(), &[id], at(10)).await.unwrap(), vec![id]);
            removal.rollback().await.unwrap();
            let removal = fixture.begin().await;
            entities::guild::removal::finish(&removal, guild(), at(0)).await.unwrap();
            let written = async { staff_session::heartbeat(fixture.conn(), &[id], at(20)).await };
            let alive = tokio::time::timeout(std::time::Duration::from_secs(5), written).await;
            assert!(alive.unwrap().unwrap().is_empty());
            removal.rollback().await.unwrap();
        }
        assert_eq!(staff_session::heartbeat(fixture.conn(), &[id], at(30)).await.unwrap(), vec![id]);
    }

    async fn only_staff_start_sessions(fixture: &Fixture) {
        let new = NewSession {
            id: SessionId(uuid::Uuid::now_v7()),
            guild: guild(),
            staff: chat(1),
            play: play(1),
            place: place(1),
            server: "server-1".to_owned(),
        };
        let transaction = fixture.begin().await;
        assert!(staff_session::start(&transaction, new, at(0)).await.unwrap().is_none());
    }

    async fn a_silent_session_is_over_before_the_sweep_comes(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let session = fixture.start(1, 0).await.session;
        let id = session.session_id;
        assert_eq!(staff_session::heartbeat(fixture.conn(), &[id], at(STALE_AFTER)).await.unwrap(), vec![id]);
        // Written late: the newer heartbeat stays.
        staff_session::heartbeat(fixture.conn(), &[id], at(60)).await.unwrap();
        let late = at(2 * STALE_AFTER + 1);
        assert!(staff_session::heartbeat(fixture.conn(), &[id], late).await.unwrap().is_empty());
        assert!(!staff_directory::list(fixture.conn(), guild(), late).await.unwrap()[0].on_duty);
        assert!(staff_session::sweep_stale(fixture.conn(), at(2 * STALE_AFTER), 10).await.unwrap().is_empty());
        let swept = staff_session::sweep_stale(fixture.conn(), late, 10).await.unwrap();
        assert_eq!(swept[0].duration_seconds(), STALE_AFTER);
        assert!(staff_session::sweep_stale(fixture.conn(), late, 10).await.unwrap().is_empty());
        assert!(staff_session::end(fixture.conn(), guild(), id, late).await.unwrap().is_none());
    }

    async fn an_end_counts_up_to_itself_and_comes_too_late_after_silence(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 5).await;
        let (soon, late) = (fixture.start(1, 0).await.session, fixture.start(2, 0).await.session);
        assert!(staff_session::end(fixture.conn(), other_guild(), soon.session_id, at(20)).await.unwrap().is_none());
        let soon = staff_session::end(fixture.conn(), guild(), soon.session_id, at(25)).await.unwrap().unwrap();
        assert_eq!(soon.duration_seconds(), 25);
        assert!(staff_session::end(fixture.conn(), guild(), late.session_id, at(500)).await.unwrap().is_none());
    }

    async fn totals_add_open_and_ended_sessions_and_clip_to_the_span(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 5).await;
        let session = fixture.start(1, 0).await.session;
        staff_session::end(fixture.conn(), guild(), session.session_id, at(100)).await.unwrap();
        let open = fixture.start(1, 200).await.session;
        staff_session::heartbeat(fixture.conn(), &[open.session_id], at(230)).await.unwrap();
        fixture.start(2, 0).await;
        let within = async |span: Span| {
            let rows = totals::of_guild(fixture.conn(), guild(), span).await.unwrap();
            rows.iter().map(|row| (row.staff_id, row.sessions, row.seconds)).collect::<Vec<_>>()
        };
        let told = async |since: Option<_>| within(since.into()).await;
        assert_eq!(told(None).await, [(chat(1), 2, 130), (chat(2), 1, 0)]);
        assert_eq!(told(Some(at(60))).await, [(chat(1), 2, 70)]);
        assert_eq!(told(Some(at(210))).await, [(chat(1), 1, 20)]);
        let span = |since, until| Span { since: Some(at(since)), until: Some(at(until)) };
        assert_eq!(within(span(60, 210)).await, [(chat(1), 2, 50)]);
        assert_eq!(within(span(100, 200)).await, []);
        let own = totals::of_staff(fixture.conn(), guild(), chat(1)).await.unwrap();
        assert_eq!((own.sessions, own.seconds), (2, 130));
        assert_eq!(totals::of_staff(fixture.conn(), guild(), chat(3)).await.unwrap().sessions, 0);
    }
}
