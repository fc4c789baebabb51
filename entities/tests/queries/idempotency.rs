//! Reservations of an idempotency key: a lapsed one is taken over, and its first holder writes nothing more.

use entities::api_key::{self, NewKey, Scopes};
use entities::idempotency::{self, Hold, Request, Reservation};
use entities::key_text::KeyText;
use entities::{JobId, Timestamp};

use crate::fixture::{Fixture, at, both_databases, chat, guild};

impl Fixture {
    async fn request(&self) -> Request {
        let new = NewKey {
            guild: guild(),
            text: KeyText::generate(),
            name: "k".to_owned(),
            owner: chat(1),
            scopes: Scopes::default_set(),
            expires_at: None,
            hot_path_factor: 1,
            parent: None,
            trusted: false,
        };
        let key = api_key::create(self.conn(), new, at(0)).await.unwrap().key_id;
        Request { key, idempotency_key: "once".to_owned(), hash: vec![1] }
    }

    /// Reserves at a second for one second.
    async fn reserve(&self, request: &Request, second: i64) -> (Reservation, Hold) {
        let until: Timestamp = at(second + 1);
        let found = idempotency::reserve(self.conn(), request, at(second), until, at(10_000)).await.unwrap();
        (found, Hold { request: request.clone(), locked_until: until })
    }
}

both_databases! {
    async fn a_key_that_is_released_on_the_way_is_no_error(fixture: &Fixture) {
        let request = fixture.request().await;
        let holders = (0..8).map(async |n| {
            for turn in 0..60 {
                let (found, hold) = fixture.reserve(&request, n * 100 + turn).await;
                if found == Reservation::Fresh {
                    idempotency::release(fixture.conn(), &hold).await.unwrap();
                }
            }
        });
        futures_util::future::join_all(holders).await;
        assert_eq!(fixture.reserve(&request, 5_000).await.0, Reservation::Fresh);
    }

    async fn a_lapsed_reservation_is_taken_over_for_good(fixture: &Fixture) {
        let request = fixture.request().await;
        let (found, slow) = fixture.reserve(&request, 0).await;
        assert_eq!(found, Reservation::Fresh);
        let (found, _) = fixture.reserve(&request, 0).await;
        assert!(matches!(found, Reservation::Taken(_)), "{found:?}");
        let (found, second) = fixture.reserve(&request, 5).await;
        assert_eq!(found, Reservation::Fresh);

        // The first holder is still alive: neither its job nor its answer is written.
        let (late, job) = (JobId(uuid::Uuid::from_u128(1)), JobId(uuid::Uuid::from_u128(2)));
        assert!(!idempotency::attach_job(fixture.conn(), &slow, late).await.unwrap());
        assert!(!idempotency::complete(fixture.conn(), &slow, 200, "{}", None).await.unwrap());
        idempotency::release(fixture.conn(), &slow).await.unwrap();
        assert!(idempotency::attach_job(fixture.conn(), &second, job).await.unwrap());

        // With a job it never lapses, and a repeat writes the answer.
        let (found, _) = fixture.reserve(&request, 60).await;
        let Reservation::Taken(row) = found else { panic!("{found:?}") };
        assert_eq!(row.job_id, Some(job));
        let repeat = Hold { request: request.clone(), locked_until: row.locked_until };
        assert!(idempotency::complete(fixture.conn(), &repeat, 200, "{}", None).await.unwrap());
    }
}
