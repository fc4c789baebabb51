use runtime::{DatabaseOptions, Events};

use super::*;

#[tokio::test]
async fn a_changed_key_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/guildhall.db", folder.path().display());
    let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
    migrations::apply(database.write()).await.unwrap();
    let caches = Caches::new(&database, Events::in_process().freshness(), &Shutdown::new());
    let (keys, conn) = (&caches.keys, database.read());
    assert!(keys.load(conn, "abcdefgh").await.unwrap().is_none());
    assert!(matches!(keys.get("abcdefgh"), Some(None)), "an unknown id is cached too");
    caches.hear(&Event::KeyChanged { public_id: "abcdefgh".to_owned() });
    assert!(keys.get("abcdefgh").is_none());
    keys.load(conn, "abcdefgh").await.unwrap();
    caches.hear(&Event::Resync);
    assert!(keys.get("abcdefgh").is_none());
}
