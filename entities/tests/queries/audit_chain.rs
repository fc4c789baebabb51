//! The chains of the audit log: what somebody with access to the database changes is found.

use entities::audit_chain::verify::{Flaw, Verified, verify};
use entities::audit_chain::{self, Chain, old};
use entities::audit_entry::{self, Actor, Content, NewEntry, Source};
use entities::{Conn, GuildId};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

fn entry(guild: GuildId, action: &'static str, n: i64) -> (Actor, NewEntry) {
    let metadata = json!({ "z": n, "a": { "name": "ünïcode \u{1F600} \"", "list": [1, null, true] } });
    let actor = Actor { actor_id: 812_345_678_901_234_567, key_id: None, request_id: Some(format!("r-{n}")) };
    (actor, NewEntry { guild, action, target: n.to_string(), metadata })
}

/// Numbers as a client may write them; the databases give some of them back in another form.
fn odd_numbers() -> Value {
    let whole = json!([1.0, 1e16, 1.234_567_890_123_456_7e18, -9.1e18, 9.1e18, 1e19, 1.9e19, 3e19, 1.5e300]);
    json!([whole, -0.0, 1e-7, 0.1, u64::MAX, i64::MIN, 9_007_199_254_740_993_i64])
}

impl Fixture {
    async fn write(&self, entries: Vec<(Actor, NewEntry)>, second: i64) {
        let transaction = self.begin().await;
        let inserts = audit_chain::inserts(&transaction, entries, at(second)).await.unwrap();
        transaction.commit_with(inserts).await.unwrap();
    }

    /// Three entries of the log, two of syncs, one of a client.
    async fn fill(&self) {
        for n in 0..3 {
            self.write(vec![entry(guild(), "keys.create", n)], n).await;
        }
        let of_syncs = (0..2).map(|n| entry(guild(), "sync.member", n)).collect();
        self.write(of_syncs, 3).await;
        let metadata = json!({ "numbers": odd_numbers() });
        let entry = Content {
            guild: guild(),
            action: "shop.buy".into(),
            source: Source::Custom,
            actor: Actor::service(),
            target: "sword".into(),
            metadata,
            created_at: at(4),
        };
        let transaction = self.begin().await;
        audit_chain::write_custom(&transaction, entry).await.unwrap();
        transaction.commit().await.unwrap();
    }

    /// As whoever owns the database may.
    async fn disarm(&self) {
        if self.database.is_postgres() {
            return self.execute("ALTER TABLE audit_entry DISABLE TRIGGER USER").await;
        }
        self.execute("DROP TRIGGER audit_entry_erased").await;
        self.execute("DROP TRIGGER audit_entry_deleted").await;
    }
}

async fn verified(conn: &impl Conn, guild: GuildId) -> [Verified; 2] {
    let [log, syncs] = audit_chain::of_guild(conn, guild).await.unwrap();
    [verify(conn, &log, None).await.unwrap(), verify(conn, &syncs, None).await.unwrap()]
}

async fn flaw(conn: &impl Conn) -> Option<(Flaw, i64, bool)> {
    let [log, syncs] = verified(conn, guild()).await;
    let found = log.flaw.or(syncs.flaw)?;
    Some((found.flaw, found.position, found.entry.is_some()))
}

const SWAP: &str = "UPDATE audit_entry SET \
    target_id = other.target_id, metadata = other.metadata, salt = other.salt, digest = other.digest, \
    request_id = other.request_id, created_at = other.created_at, hash = other.hash \
    FROM (SELECT * FROM audit_entry) AS other WHERE audit_entry.action = 'keys.create' AND other.action = 'keys.create' \
    AND audit_entry.position IN (1, 2) AND other.position = 3 - audit_entry.position";

/// What is done, and the flaw, its position, and whether an entry is named.
const TAMPERINGS: [(&str, Flaw, i64, bool); 11] = [
    ("UPDATE audit_entry SET target_id = '9' WHERE target_id = '1' AND position = 2", Flaw::Changed, 2, true),
    ("UPDATE audit_entry SET metadata = '{}' WHERE position = 3", Flaw::Changed, 3, true),
    ("UPDATE audit_entry SET actor_id = 1 WHERE position = 1", Flaw::Changed, 1, true),
    (
        "UPDATE audit_entry SET request_id = NULL WHERE action = 'sync.member' AND position = 2",
        Flaw::Changed,
        2,
        true,
    ),
    ("UPDATE audit_entry SET source = 'service' WHERE action = 'shop.buy'", Flaw::Changed, 4, true),
    ("DELETE FROM audit_entry WHERE action <> 'sync.member' AND position = 2", Flaw::Missing, 2, false),
    ("DELETE FROM audit_entry WHERE action = 'shop.buy'", Flaw::Missing, 4, false),
    ("DELETE FROM audit_entry WHERE action = 'sync.member'", Flaw::Missing, 1, false),
    (SWAP, Flaw::Moved, 1, true),
    (
        "UPDATE audit_entry SET position = 5 - position WHERE action = 'keys.create' AND position IN (2, 3)",
        Flaw::Moved,
        2,
        true,
    ),
    ("UPDATE audit_chain SET last_position = 3 WHERE chain = 'log'", Flaw::Moved, 5, false),
];

both_databases! {
    async fn what_is_changed_missing_or_moved_is_named(fixture: &Fixture) {
        fixture.fill().await;
        let [log, syncs] = verified(fixture.conn(), guild()).await;
        assert_eq!((log.entries, syncs.entries, log.flaw, syncs.flaw), (4, 2, None, None));
        fixture.disarm().await;
        for (sql, expected, position, named) in TAMPERINGS {
            let transaction = fixture.begin().await;
            assert!(transaction.execute_unprepared(sql).await.unwrap().rows_affected() > 0, "{sql}");
            assert_eq!(flaw(&transaction).await, Some((expected, position, named)), "{sql}");
            transaction.rollback().await.unwrap();
        }
        assert_eq!(flaw(fixture.conn()).await, None);
    }

    async fn entries_neither_change_nor_go(fixture: &Fixture) {
        fixture.fill().await;
        let mut refused = vec![
            "UPDATE audit_entry SET target_id = '9'",
            "UPDATE audit_entry SET salt = NULL, action = 'x.y'",
            "UPDATE audit_entry SET salt = NULL, created_at = '2020-01-01T00:00:00Z'",
            "UPDATE audit_entry SET salt = NULL, hash = NULL",
            "DELETE FROM audit_entry",
            "DELETE FROM audit_entry WHERE position = 4",
        ];
        if fixture.database.is_postgres() {
            refused.push("TRUNCATE audit_entry");
            refused.push("TRUNCATE guild CASCADE");
        }
        for sql in refused {
            let error = fixture.conn().execute_unprepared(sql).await.unwrap_err().to_string();
            assert!(error.contains("entries of the audit log"), "{sql}: {error}");
        }
        // Erasure, and the removal of the guild.
        fixture.execute("UPDATE audit_entry SET salt = NULL, target_id = 'erased', metadata = '{}' WHERE position = 2").await;
        let [log, syncs] = verified(fixture.conn(), guild()).await;
        assert_eq!((log.entries, log.erased, syncs.erased, log.flaw), (4, 1, 1, None));
        fixture.execute("DELETE FROM guild").await;
        assert_eq!(audit_entry::Entity::find().all(fixture.conn()).await.unwrap(), []);
    }

    async fn retention_shortens_the_chains(fixture: &Fixture) {
        let of_both = |action, n| vec![entry(guild(), action, n), entry(other_guild(), action, n)];
        for n in 0..10 {
            // The clock of the sixth was ahead.
            let second = if n == 5 { 1_000 } else { n };
            fixture.write(of_both(if n % 2 == 0 { "keys.create" } else { "sync.member" }, n), second).await;
        }
        let delete = async |chain, before, limit| {
            let transaction = fixture.begin().await;
            let deleted = old::delete(&transaction, chain, at(before), limit).await.unwrap();
            transaction.commit().await.unwrap();
            let chains = [verified(fixture.conn(), guild()).await, verified(fixture.conn(), other_guild()).await];
            for chain in chains.iter().flatten() {
                assert_eq!(chain.flaw, None);
            }
            deleted
        };
        let syncs = Some(Chain::MemberSyncs);
        assert_eq!(delete(syncs, 0, 100).await, 0);
        assert_eq!([delete(syncs, 4, 3).await, delete(syncs, 4, 3).await, delete(syncs, 4, 3).await], [3, 1, 0]);
        assert_eq!([delete(None, 7, 100).await, delete(None, 7, 100).await], [8, 0]);
        let [log, syncs] = verified(fixture.conn(), guild()).await;
        assert_eq!((log.entries, syncs.entries), (1, 3), "those after the one that was ahead stay");
        fixture.write(of_both("keys.create", 10), 10).await;
        assert_eq!(delete(None, 2_000, 100).await, 10);
        let [log, syncs] = audit_chain::of_guild(fixture.conn(), guild()).await.unwrap();
        assert_eq!((log.first_position, log.last_position, syncs.first_position), (7, 6, 6));
        fixture.write(of_both("keys.create", 11), 11).await;
        assert_eq!(verified(fixture.conn(), guild()).await[0].entries, 1);
    }

    async fn writers_of_several_guilds_take_turns(fixture: &Fixture) {
        let writer = async |first: GuildId, second: GuildId| {
            for n in 0..20 {
                let entries = [first, second, first].map(|guild| entry(guild, "keys.create", n));
                let syncs = [second, first].map(|guild| entry(guild, "sync.member", n));
                fixture.write(entries.into_iter().chain(syncs).collect(), n).await;
            }
        };
        tokio::join!(
            writer(guild(), other_guild()), writer(other_guild(), guild()), writer(guild(), guild()),
            writer(other_guild(), guild()),
        );
        let count = async |guild| verified(fixture.conn(), guild).await.map(|chain| (chain.entries, chain.flaw));
        assert_eq!(count(guild()).await, [(140, None), (100, None)]);
        assert_eq!(count(other_guild()).await, [(100, None), (60, None)]);
    }

    async fn a_kept_hash_is_found_as_long_as_its_entry_stands(fixture: &Fixture) {
        // An entry of an older version is before the chain.
        fixture.execute(
            "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at) \
             SELECT guild_id, 'keys.create', 'service', 0, 'x', '{}', '2020-01-01T00:00:00Z' FROM guild",
        ).await;
        fixture.fill().await;
        let [log, _] = audit_chain::of_guild(fixture.conn(), guild()).await.unwrap();
        let kept = log.newest_hash().unwrap().to_vec();
        fixture.write(vec![entry(guild(), "keys.create", 9)], 9).await;
        let known = async |hash: &[u8]| {
            let [log, _] = audit_chain::of_guild(fixture.conn(), guild()).await.unwrap();
            let verified = verify(fixture.conn(), &log, Some(hash)).await.unwrap();
            assert_eq!((verified.flaw, verified.unchained, verified.entries), (None, 1, 5));
            verified.known
        };
        assert!(known(&kept).await);
        assert!(!known(&[7; 32]).await);
    }
}
