//! The product's own pool before a Postgres that stops responding.

use futures_util::future::join_all;
use runtime::{Database, DatabaseOptions};

use super::*;

#[tokio::test]
async fn statements_fail_and_the_pool_recovers_when_postgres_vanishes() {
    let Ok(url) = std::env::var("GUILDHALL_TEST_DATABASE_URL") else {
        eprintln!("skipped proxy::vanished: GUILDHALL_TEST_DATABASE_URL is not set");
        return;
    };
    let proxy = Proxy::before(&url).unwrap();
    let statement_timeout = Some(Duration::from_millis(300));
    let options = DatabaseOptions { max_connections: 2, statement_timeout, ..DatabaseOptions::default() };
    let database = Database::connect(&proxy.url(&url), &options).await.unwrap();
    let open = join_all((0..2).map(|_| database.begin())).await;
    assert!(open.iter().all(Result::is_ok));
    proxy.half_open();
    let vanished = Instant::now();
    // The rollback on the way into the pool gets no response.
    drop(open);
    let asked = async { tokio::join!(join_all((0..3).map(|_| database.ping())), database.begin()) };
    let (pings, begun) = tokio::time::timeout(WAIT_LIMIT, asked).await.expect("every statement ends");
    assert!(pings.iter().all(Result::is_err) && begun.is_err());
    println!("statements ended {:.1?} after postgres had vanished", vanished.elapsed());
    proxy.heal();
    let back = Instant::now();
    while database.ping().await.is_err() {
        assert!(back.elapsed() < WAIT_LIMIT, "the pool no longer works");
    }
    println!("the pool worked again after {:.1?}", back.elapsed());
    // The pool is complete: no connection is missing.
    for opened in join_all((0..2).map(|_| database.begin())).await {
        opened.unwrap().rollback().await.unwrap();
    }
}
