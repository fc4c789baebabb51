//! Samples of the backlog: once a minute, with the worst of each half hour, each for as long as it is kept.

use chrono::TimeDelta;
use entities::Timestamp;
use entities::job::Class;
use entities::queue_sample::{self, Every, Sample};

use crate::fixture::{Fixture, both_databases};

fn sample(waiting: i64, oldest_seconds: i64) -> [Sample; 2] {
    let of = |class, waiting| Sample { class, waiting, oldest_seconds };
    [of(Class::Bulk, waiting), of(Class::Interactive, 0)]
}

impl Fixture {
    async fn bulk(&self, every: Every) -> Vec<(i64, i64)> {
        let rows = queue_sample::list(self.conn(), every, Timestamp::UNIX_EPOCH).await.unwrap();
        let bulk = rows.into_iter().filter(|row| row.class == Class::Bulk);
        bulk.map(|row| (row.waiting, row.oldest_seconds)).collect()
    }
}

both_databases! {
    async fn a_minute_is_measured_once_and_a_half_hour_keeps_the_worst(fixture: &Fixture) {
        let conn = fixture.conn();
        let noon: Timestamp = "2026-11-22T12:00:15Z".parse().unwrap();
        for (minute, waiting, oldest) in [(0, 5, 30), (1, 9, 10), (2, 1, 20), (30, 2, 2)] {
            let now = noon + TimeDelta::minutes(minute);
            assert!(queue_sample::write(conn, &sample(waiting, oldest), now).await.unwrap());
            assert!(!queue_sample::write(conn, &sample(99, 99), now).await.unwrap(), "measured already");
        }
        assert_eq!(fixture.bulk(Every::Minute).await, [(5, 30), (9, 10), (1, 20), (2, 2)]);
        assert_eq!(fixture.bulk(Every::HalfHour).await, [(9, 30), (2, 2)]);

        let later = noon + TimeDelta::hours(24) + TimeDelta::minutes(1);
        assert_eq!(queue_sample::prune(conn, later, 100).await.unwrap(), 4);
        assert_eq!(fixture.bulk(Every::Minute).await, [(1, 20), (2, 2)]);
        let next_year = noon + TimeDelta::days(365);
        assert_eq!(queue_sample::prune(conn, next_year, 3).await.unwrap(), 3);
        assert_eq!(queue_sample::prune(conn, next_year, 100).await.unwrap(), 5);
    }
}
