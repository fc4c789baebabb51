//! Leave of absence and strikes: no overlap, sweeps that count each row once.

use entities::Page;
use entities::guild::Settings;
use entities::loa::{self, NewLoa, Status, Written};
use entities::period::Span;
use entities::strike::{self, Ended, NewStrike};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, settings};

impl Fixture {
    async fn leave(&self, staff: i64, from: i64, to: i64) -> Written {
        let new = NewLoa {
            staff_id: chat(staff),
            starts_at: at(from),
            ends_at: at(to),
            reason: "exams".to_owned(),
        };
        let transaction = self.begin().await;
        let written = loa::add(&transaction, guild(), new, at(0)).await.unwrap();
        transaction.commit().await.unwrap();
        written
    }
}

fn done(written: Written) -> loa::Model {
    match written {
        Written::Done(row) => row,
        other => panic!("{other:?}"),
    }
}

both_databases! {
    async fn active_leave_of_one_person_does_not_overlap(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 5).await;
        let first = done(fixture.leave(1, 100, 200).await);
        for (from, to) in [(100, 200), (50, 101), (199, 300), (120, 130), (0, 900)] {
            assert_eq!(fixture.leave(1, from, to).await, Written::Overlaps(first.loa_id), "{from} to {to}");
        }
        done(fixture.leave(1, 200, 300).await);
        done(fixture.leave(2, 100, 200).await);
        assert_eq!(fixture.leave(3, 100, 200).await, Written::NotStaff);
        assert_eq!(loa::open_of(fixture.conn(), guild(), chat(1), at(150)).await.unwrap().unwrap().loa_id, first.loa_id);
    }

    async fn concurrent_requests_leave_one_leave(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let written = futures_util::future::join_all((0..6).map(|n| fixture.leave(1, n, 100))).await;
        assert_eq!(written.iter().filter(|one| matches!(one, Written::Done(_))).count(), 1);
    }

    async fn leave_of_somebody_who_left_the_staff_does_not_come_to_overlap(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let (first, second) = (done(fixture.leave(1, 100, 200).await), done(fixture.leave(1, 300, 400).await));
        entities::staff_member::delete(fixture.conn(), guild(), chat(1)).await.unwrap();
        // Both want the days between.
        let change = async |id, from, to| {
            let transaction = fixture.begin().await;
            let mut row = loa::find_for_update(&transaction, guild(), id).await.unwrap().unwrap();
            (row.starts_at, row.ends_at) = (at(from), at(to));
            let saved = loa::save(&transaction, &row, at(0)).await.unwrap();
            transaction.commit().await.unwrap();
            saved
        };
        let both = futures_util::future::join(change(first.loa_id, 100, 290), change(second.loa_id, 210, 400)).await;
        let done = [both.0, both.1].iter().filter(|one| matches!(one, Written::Done(_))).count();
        assert_eq!(done, 1);
    }

    async fn a_change_may_not_make_leave_overlap_and_an_expired_one_may(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let first = done(fixture.leave(1, 100, 200).await);
        let mut second = done(fixture.leave(1, 300, 400).await);
        second.starts_at = at(150);
        assert_eq!(loa::save(fixture.conn(), &second, at(0)).await.unwrap(), Written::Overlaps(first.loa_id));
        second.status = Status::Expired;
        assert_eq!(loa::save(fixture.conn(), &second, at(0)).await.unwrap(), Written::Done(second.clone()));
        let found = loa::find_for_update(fixture.conn(), guild(), second.loa_id).await.unwrap();
        assert_eq!(found, Some(second));
        assert!(loa::find(fixture.conn(), other_guild(), first.loa_id).await.unwrap().is_none());
    }

    async fn leave_that_is_over_expires_once(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let first = done(fixture.leave(1, 100, 200).await);
        done(fixture.leave(1, 200, 300).await);
        assert!(loa::sweep(fixture.conn(), Some(guild()), at(199), 10).await.unwrap().is_empty());
        assert!(loa::sweep(fixture.conn(), Some(other_guild()), at(200), 10).await.unwrap().is_empty());
        let expired = loa::sweep(fixture.conn(), None, at(200), 10).await.unwrap();
        assert_eq!((expired.len(), expired[0].loa_id, expired[0].status), (1, first.loa_id, Status::Expired));
        assert!(loa::sweep(fixture.conn(), None, at(200), 10).await.unwrap().is_empty());
        let with = async |status, now| {
            let filter = loa::Filter { status: Some(status), ..Default::default() };
            loa::list(fixture.conn(), guild(), filter, Page::first(10), at(now)).await.unwrap().len()
        };
        assert_eq!((with(Status::Active, 299).await, with(Status::Expired, 299).await), (1, 1));
        // Its end has passed, and the sweep has not run.
        assert_eq!((with(Status::Active, 300).await, with(Status::Expired, 300).await), (0, 2));
    }

    async fn days_on_leave_are_counted_once_in_the_zone_of_the_guild(fixture: &Fixture) {
        // A midnight in UTC, and the ones after it.
        let day = |n: i64| 16 * 3_600 + n * 86_400;
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 5).await;
        let berlin = Settings { time_zone: "Europe/Berlin".to_owned(), ..settings() };
        // Three days of UTC, which are parts of four days further east, and a minute of the fourth.
        done(fixture.leave(1, day(0), day(3)).await);
        done(fixture.leave(1, day(3) + 60, day(3) + 120).await);
        done(fixture.leave(2, day(10), day(12)).await);
        let days = async |settings: &Settings, span: Span, now| {
            loa::days(fixture.conn(), guild(), span, settings, at(now)).await.unwrap()
        };
        let all = Span::default();
        assert_eq!(days(&settings(), all, day(30)).await, [(chat(1), 4), (chat(2), 2)].into());
        assert_eq!(days(&berlin, all, day(30)).await, [(chat(1), 4), (chat(2), 3)].into());
        assert_eq!(days(&settings(), all, day(2)).await, [(chat(1), 2)].into());
        let span = Span { since: Some(at(day(1))), until: Some(at(day(11))) };
        assert_eq!(days(&settings(), span, day(30)).await, [(chat(1), 3), (chat(2), 1)].into());
    }

    async fn leave_that_is_ended_early_counts_until_then(fixture: &Fixture) {
        let day = |n: i64| 16 * 3_600 + n * 86_400;
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 5).await;
        let mut begun = done(fixture.leave(1, day(0), day(10)).await);
        let mut planned = done(fixture.leave(2, day(5), day(10)).await);
        let days = async |now| {
            loa::days(fixture.conn(), guild(), Span::default(), &settings(), at(now)).await.unwrap()
        };
        for row in [&mut begun, &mut planned] {
            row.set_status(Status::Expired, at(day(2)));
            done(loa::save(fixture.conn(), row, at(day(2))).await.unwrap());
        }
        assert_eq!(days(day(30)).await, [(chat(1), 2)].into());
        // A later change of something else does not end it later.
        begun.set_status(Status::Expired, at(day(20)));
        assert_eq!(begun.until(), at(day(2)));
        begun.set_status(Status::Active, at(day(3)));
        done(loa::save(fixture.conn(), &begun, at(day(3))).await.unwrap());
        assert_eq!(days(day(30)).await, [(chat(1), 10)].into());
        // An older build lets it go on, and does not know the time.
        let mut older = loa::Model { status: Status::Active, ended_at: Some(at(day(2))), ..begun.clone() };
        assert_eq!(older.until(), at(day(10)));
        older.set_status(Status::Expired, at(day(4)));
        assert_eq!(older.until(), at(day(4)));
        // One that is over is not ended.
        begun.set_status(Status::Expired, at(day(10)));
        assert_eq!((begun.ended_at, begun.until()), (None, at(day(10))));
        let since = Span { since: Some(at(day(3))), until: None };
        let found = loa::days(fixture.conn(), guild(), since, &settings(), at(day(4))).await.unwrap();
        assert_eq!(found, [(chat(1), 1)].into());
    }

    async fn strikes_end_by_removal_or_by_time(fixture: &Fixture) {
        let new = |expires| NewStrike {
            staff_id: chat(1),
            reason: "abuse".to_owned(),
            severity: 3,
            issued_by: chat(9),
            expires_at: at(expires),
        };
        let mut ids = Vec::new();
        for expires in [100, 200, 300] {
            ids.push(strike::add(fixture.conn(), guild(), new(expires), at(0)).await.unwrap().strike_id);
        }
        let active = async |now| strike::count_active(fixture.conn(), guild(), chat(1), at(now)).await.unwrap();
        assert_eq!((active(99).await, active(100).await), (3, 2));
        assert!(strike::remove(fixture.conn(), other_guild(), ids[2], at(1)).await.unwrap().is_none());
        let removed = strike::remove(fixture.conn(), guild(), ids[2], at(1)).await.unwrap().unwrap();
        assert_eq!(removed.ended_how, Some(Ended::Removed));
        assert!(strike::remove(fixture.conn(), guild(), ids[2], at(1)).await.unwrap().is_none());
        let expired = strike::sweep(fixture.conn(), None, at(500), 1).await.unwrap();
        assert_eq!((expired.len(), expired[0].strike_id), (1, ids[0]));
        assert_eq!(strike::sweep(fixture.conn(), Some(guild()), at(500), 10).await.unwrap().len(), 1);
        assert!(strike::sweep(fixture.conn(), None, at(500), 10).await.unwrap().is_empty());
        let ended = strike::Filter { active: Some(false), ..Default::default() };
        assert_eq!(strike::list(fixture.conn(), guild(), ended, Page::first(10), at(500)).await.unwrap().len(), 3);
        assert!(strike::delete(fixture.conn(), guild(), ids[0]).await.unwrap().is_some());
        assert!(strike::find(fixture.conn(), guild(), ids[0]).await.unwrap().is_none());
    }
}
