//! Runs that did not come to their end are run again, by one, and one of them is noted.

use super::*;

#[tokio::test]
async fn a_run_cut_with_its_process_is_run_again_at_once_by_one() {
    held!(STARTED, MAY_END, TABLE);
    for place in places().await {
        STARTED.store(0, Ordering::SeqCst);
        let dead = place.ticker(TABLE);
        dead.look().await;
        place.context.clock.advance(Duration::from_secs(60));
        let cut = dead.look().await.remove(0);
        let mut cut = Box::pin(cut.perform());
        assert!(futures_util::poll!(&mut cut).is_pending());
        assert_eq!(STARTED.load(Ordering::SeqCst), 1);
        drop(cut);
        // A later tick is due as well: first the one that was cut.
        place.context.clock.advance(Duration::from_secs(60));
        let (one, two) = (place.ticker(TABLE), place.ticker(TABLE));
        let open = fired_schedule::open(place.context.database.read()).await.unwrap().remove(0);
        let (first, second) = tokio::join!(
            one.claim_open(&one.schedules[0], open.clone()),
            two.claim_open(&two.schedules[0], open)
        );
        let claimed = [first.unwrap(), second.unwrap()];
        assert_eq!(claimed.iter().flatten().count(), 1, "two do not take it over");
        let winner = if claimed[0].is_some() { one } else { two };
        MAY_END.add_permits(2);
        Run::enter(&winner, 0, claimed.into_iter().flatten().next().unwrap()).perform().await;
        assert_eq!(place.settled("slow").await.tick, at("2026-11-20T12:01:00Z"));
        assert_eq!(look(&winner).await, 1);
        assert_eq!(place.settled("slow").await.tick, at("2026-11-20T12:02:00Z"));
        assert_eq!(STARTED.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn of_two_runs_of_a_tick_the_one_that_took_over_is_noted() {
    held!(STARTED, MAY_END, TABLE);
    for place in places().await {
        STARTED.store(0, Ordering::SeqCst);
        let (frozen, other) = (place.ticker(TABLE), place.ticker(TABLE));
        frozen.look().await;
        place.context.clock.advance(Duration::from_secs(60));
        let mut asleep = Box::pin(frozen.look().await.remove(0).perform());
        assert!(futures_util::poll!(&mut asleep).is_pending());
        let taken = other.look().await.remove(0);
        MAY_END.add_permits(1);
        asleep.await;
        let open = fired_schedule::open(place.context.database.read()).await.unwrap();
        assert_eq!(open.len(), 1, "it is not the sleeper's to note any more");
        MAY_END.add_permits(1);
        taken.perform().await;
        let last = place.settled("slow").await;
        assert_eq!(last.holder, *other.leadership.holder);
    }
}

#[tokio::test]
async fn a_failed_run_is_run_again_after_a_while_also_when_it_panicked() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    static TABLE: &[Schedule] = &[Schedule {
        name: "fails",
        cron: "0 0 * * * *",
        run: |_| {
            Box::pin(async {
                match RUNS.fetch_add(1, Ordering::SeqCst) {
                    0 => Err(DbErr::Custom("out of order".to_owned())),
                    1 => panic!("this test means it"),
                    _ => Ok(7),
                }
            })
        },
    }];
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let ticker = place.ticker(TABLE);
        look(&ticker).await;
        place.context.clock.advance(Duration::from_secs(60 * 60));
        for _ in 0..2 {
            let run = ticker.look().await.remove(0);
            let _ = tokio::spawn(run.perform()).await;
            assert_eq!(look(&ticker).await, 0, "not at once");
            place.context.clock.advance(AGAIN_AFTER);
        }
        assert_eq!(look(&ticker).await, 1);
        let last = place.settled("fails").await;
        assert_eq!((last.tick, last.outcome.as_deref()), (at("2026-11-20T13:00:00Z"), Some("7 rows")));
    }
}

#[tokio::test]
async fn a_run_that_a_shutdown_cut_short_is_left_to_the_next_leader() {
    counting!(RUNS, TABLE);
    for place in places().await {
        RUNS.store(0, Ordering::SeqCst);
        let mut context = place.context.clone();
        context.shutdown = Shutdown::new();
        let stopping = Arc::new(Ticker::new(context.clone(), Leadership::alone(&context), TABLE));
        look(&stopping).await;
        place.context.clock.advance(Duration::from_secs(60));
        let run = stopping.look().await.remove(0);
        context.shutdown.begin();
        run.perform().await;
        assert_eq!(look(&place.ticker(TABLE)).await, 1);
        assert_eq!(place.settled("count").await.tick, at("2026-11-20T12:01:00Z"));
        assert_eq!(RUNS.load(Ordering::SeqCst), 2);
    }
}
