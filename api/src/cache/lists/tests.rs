use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use runtime::{Breaker, Events};
use tokio::sync::Notify;

use super::*;

fn list(text: &'static str) -> Arc<Ready> {
    Arc::new(Ready::new(Bytes::from_static(text.as_bytes()).into(), None, None))
}

fn text(list: &Ready) -> Vec<u8> {
    list.body.parts().concat()
}

/// Lets the other tasks run until they wait.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn calls_at_the_same_time_share_one_build() {
    let (lists, guild, clock) = (
        Lists::new("test", Events::in_process(Breaker::default()).freshness()),
        "1".parse().unwrap(),
        Clock::system(),
    );
    let (builds, done) = (AtomicUsize::new(0), Notify::new());
    let call = async || {
        let build = async {
            builds.fetch_add(1, Ordering::Relaxed);
            done.notified().await;
            Ok::<_, ()>(list("one"))
        };
        text(&lists.get_or_build(guild, 7, &clock, || build).await.unwrap())
    };
    let finish = async {
        settle().await;
        done.notify_one();
    };
    let (one, two, three, ()) = tokio::join!(call(), call(), call(), finish);
    assert_eq!(
        (builds.load(Ordering::Relaxed), one == b"one", one == two, two == three),
        (1, true, true, true)
    );
}

/// The list changes during each build: calls that came before a build began share it, and later ones do not
/// get it.
#[tokio::test]
async fn a_list_that_changes_while_it_is_built_is_right_only_for_calls_before_its_build() {
    let (lists, guild, clock) = (
        Lists::new("test", Events::in_process(Breaker::default()).freshness()),
        "1".parse().unwrap(),
        Clock::system(),
    );
    let builds = AtomicUsize::new(0);
    let call = async || {
        let build = async {
            let number = builds.fetch_add(1, Ordering::Relaxed);
            settle().await;
            lists.forget(guild);
            Ok::<_, ()>(list(["first", "second", "third"][number]))
        };
        text(&lists.get_or_build(guild, 7, &clock, || build).await.unwrap())
    };
    let (one, two, three) = tokio::join!(call(), call(), call());
    assert_eq!(
        (one.as_slice(), two.as_slice(), three.as_slice()),
        (&b"first"[..], &b"second"[..], &b"second"[..])
    );
    assert_eq!(call().await, b"third");
}
