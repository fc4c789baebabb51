use runtime::{Breaker, Events};
use testkit::TestDatabase;

use super::*;

#[tokio::test]
async fn a_changed_key_is_read_again() {
    let file = TestDatabase::sqlite().await;
    let database = file.open().await;
    let caches = Caches::new(&database, Events::in_process(Breaker::default()).freshness(), &Shutdown::new());
    let (keys, conn) = (&caches.keys, database.read());
    assert!(keys.load(conn, "abcdefgh").await.unwrap().is_none());
    assert!(matches!(keys.rows.get("abcdefgh"), Some(None)), "an unknown id is cached too");
    caches.hear(&Event::KeyChanged { public_id: "abcdefgh".to_owned() });
    assert!(keys.rows.get("abcdefgh").is_none());
    keys.load(conn, "abcdefgh").await.unwrap();
    caches.hear(&Event::Resync);
    assert!(keys.rows.get("abcdefgh").is_none());
}
