use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot::error::RecvError;

use super::*;

/// A running batch: its requests, and their answer channels.
type Worked = (Vec<i32>, Sender<Vec<i32>>);

struct Fixture {
    batches: Arc<Batches<i32, i32>>,
    begun: UnboundedSender<Worked>,
}

impl Fixture {
    fn new(at_once: usize) -> (Self, UnboundedReceiver<Worked>) {
        let (begun, worked) = mpsc::unbounded_channel();
        let batches = Arc::new(Batches::new(at_once));
        (Self { batches, begun }, worked)
    }

    /// Polls the request once, so that it waits.
    async fn ask(&self, guild: i64, request: i32) -> tokio::task::JoinHandle<Result<i32, RecvError>> {
        let (answer, leader) = self.batches.join(guild.try_into().unwrap(), request);
        if let Some(leader) = leader {
            tokio::spawn(lead(leader, self.begun.clone()));
        }
        let asked = tokio::spawn(answer);
        tokio::task::yield_now().await;
        asked
    }
}

/// The test answers each batch.
async fn lead(mut leader: Leader<i32, i32>, begun: UnboundedSender<Worked>) {
    while let Some((requests, waiting)) = leader.next().await {
        let (answer, answers) = oneshot::channel();
        begun.send((requests, answer)).unwrap();
        waiting.send(answers.await.expect("the test answers"));
    }
}

#[tokio::test]
async fn who_waits_is_worked_on_together_and_gets_the_own_answer() {
    let (fixture, mut worked) = Fixture::new(2);
    let first = fixture.ask(1, 10).await;
    let (alone, answer) = worked.recv().await.unwrap();
    assert_eq!(alone, [10]);
    let mut waiting = Vec::new();
    for request in 0..70 {
        waiting.push(fixture.ask(1, request).await);
    }
    assert!(worked.try_recv().is_err(), "the guild's first batch is not done");
    let other = fixture.ask(2, 5).await;
    let (requests, answer_other) = worked.recv().await.unwrap();
    assert_eq!(requests, [5], "another guild does not wait");
    answer_other.send(vec![6]).unwrap();
    answer.send(vec![11]).unwrap();
    assert_eq!((first.await.unwrap().unwrap(), other.await.unwrap().unwrap()), (11, 6));
    for most in [0..64, 64..70] {
        let (requests, answer) = worked.recv().await.unwrap();
        assert_eq!(requests, most.clone().collect::<Vec<_>>());
        answer.send(most.map(|request| request + 1).collect()).unwrap();
    }
    for (request, waiting) in (0..).zip(waiting) {
        assert_eq!(waiting.await.unwrap().unwrap(), request + 1);
    }
    let (again, ()) = tokio::join!(fixture.ask(1, 3), async {
        let (requests, answer) = worked.recv().await.unwrap();
        answer.send(requests).unwrap();
    });
    assert_eq!(again.await.unwrap().unwrap(), 3, "the guild is free again");
}

#[tokio::test]
async fn who_has_gone_is_left_out() {
    let (fixture, mut worked) = Fixture::new(2);
    let first = fixture.ask(1, 10).await;
    let (_, answer) = worked.recv().await.unwrap();
    let (gone, stays) = (fixture.ask(1, 11).await, fixture.ask(1, 12).await);
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    answer.send(vec![10]).unwrap();
    assert_eq!(first.await.unwrap().unwrap(), 10);
    let (requests, answer) = worked.recv().await.unwrap();
    assert_eq!(requests, [12]);
    answer.send(requests).unwrap();
    assert_eq!(stays.await.unwrap().unwrap(), 12);
}

#[tokio::test]
async fn a_panic_fails_those_who_wait_and_frees_the_guild() {
    let (fixture, mut worked) = Fixture::new(2);
    let first = fixture.ask(1, 10).await;
    let (_, answer) = worked.recv().await.unwrap();
    let second = fixture.ask(1, 11).await;
    drop(answer);
    let failed = tokio::time::timeout(Duration::from_secs(10), async {
        (first.await.unwrap().is_err(), second.await.unwrap().is_err())
    });
    assert_eq!(failed.await.unwrap(), (true, true));
    let again = fixture.ask(1, 12).await;
    let (requests, answer) = worked.recv().await.unwrap();
    answer.send(requests).unwrap();
    assert_eq!(again.await.unwrap().unwrap(), 12);
}

#[tokio::test]
async fn who_waits_for_a_place_waits_together() {
    let (fixture, mut worked) = Fixture::new(1);
    let first = fixture.ask(1, 10).await;
    let (_, answer) = worked.recv().await.unwrap();
    let (second, third) = (fixture.ask(2, 20).await, fixture.ask(2, 21).await);
    let fourth = fixture.ask(3, 30).await;
    assert!(worked.try_recv().is_err(), "no place is free");
    answer.send(vec![10]).unwrap();
    for expected in [vec![20, 21], vec![30]] {
        let (requests, answer) = worked.recv().await.unwrap();
        assert_eq!(requests, expected, "first come, first served");
        answer.send(requests).unwrap();
    }
    for (asked, expected) in [(first, 10), (second, 20), (third, 21), (fourth, 30)] {
        assert_eq!(asked.await.unwrap().unwrap(), expected);
    }
}
