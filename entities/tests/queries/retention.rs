//! Old rows are deleted in batches, found by an index, and no total changes.

use entities::audit_chain::{self, Chain};
use entities::job::old;
use entities::moderation_revision::Standing;
use entities::staff_action::{self, ActionType};
use entities::{approval, change_log, retention, staff_session};
use runtime::Transaction;

use crate::actions::action;
use crate::fixture::{Fixture, at, both_databases, chat, guild, on_postgres};

const DAY: i64 = 86_400;

impl Fixture {
    async fn count(&self, rows: &str) -> i64 {
        let sql = format!("SELECT CAST(count(*) AS bigint) FROM {rows}");
        let statement =
            sea_orm::Statement::from_string(sea_orm::ConnectionTrait::get_database_backend(self.conn()), sql);
        let row = sea_orm::ConnectionTrait::query_one_raw(self.conn(), statement).await.unwrap().unwrap();
        row.try_get_by_index(0).unwrap()
    }

    /// Repeats one batch, each in a transaction, until nothing is left; returns the rows of each.
    async fn batches(&self, batch: impl AsyncFn(&Transaction) -> u64) -> Vec<u64> {
        let mut all = Vec::new();
        loop {
            let transaction = self.begin().await;
            let rows = batch(&transaction).await;
            transaction.commit().await.unwrap();
            if rows == 0 {
                return all;
            }
            all.push(rows);
        }
    }

    /// All totals of the two members.
    async fn totals(&self) -> (Vec<(i64, i64)>, Vec<(i64, i64)>) {
        let conn = self.conn();
        let counts = staff_action::totals::of_guild(conn, guild(), ActionType::ALL, None).await.unwrap();
        let times = staff_session::totals::of_guild(conn, guild(), None).await.unwrap();
        for staff in [chat(1), chat(2)] {
            let own = staff_action::totals::of_staff(conn, guild(), staff).await.unwrap();
            assert_eq!(
                own,
                counts.iter().filter(|one| one.staff_id == staff).map(|one| one.count).sum::<i64>()
            );
            let own = staff_session::totals::of_staff(conn, guild(), staff).await.unwrap();
            assert!(own.sessions == 0 || times.contains(&own), "{own:?}");
        }
        let counts = counts.iter().map(|one| (one.staff_id.get(), one.count)).collect();
        (counts, times.iter().map(|one| (one.sessions, one.seconds)).collect())
    }
}

both_databases! {
    async fn totals_over_all_time_stay_when_actions_and_sessions_go(fixture: &Fixture) {
        for day in 0..20 {
            let new = vec![action(1, ActionType::Ban), action(1 + day % 2, ActionType::Warn)];
            approval::record(fixture.conn(), new, at(day * DAY)).await.unwrap();
            let start = at(day * DAY).timestamp();
            fixture.execute(&format!(
                "INSERT INTO staff_session (session_id, guild_id, staff_id, play_id, place_id, server_id,
                 started_second, heartbeat_second, ended_second)
                 VALUES ({}, {}, {}, 1, 1, 's', {start}, {start} + 600, {start} + 600)",
                fixture.uuid(day), guild(), chat(1 + day % 2)
            )).await;
        }
        let before = fixture.totals().await;
        assert_eq!((before.0.len(), before.1[0]), (3, (10, 6_000)));
        let lately = async || {
            let since = Some(at(16 * DAY));
            let actions = staff_action::totals::of_guild(fixture.conn(), guild(), ActionType::ALL, since).await;
            let sessions = staff_session::totals::of_guild(fixture.conn(), guild(), since).await;
            (actions.unwrap(), sessions.unwrap())
        };
        let month = lately().await;
        for until in [5, 15] {
            let actions = fixture.batches(async |conn| staff_action::old::fold(conn, at(until * DAY), 7).await.unwrap()).await;
            assert!(actions.len() > 1 && actions.iter().all(|rows| *rows <= 7), "{actions:?}");
            let sessions = fixture.batches(async |conn| staff_session::sum::fold(conn, at(until * DAY), 4).await.unwrap()).await;
            assert!(sessions.len() > 1 && sessions.iter().all(|rows| *rows <= 4), "{sessions:?}");
            assert_eq!(fixture.totals().await, before);
            assert_eq!(lately().await, month);
        }
        // The last old one of each kind and member, and those that are not old.
        assert_eq!(fixture.count("staff_action").await, 3 + 10);
        assert_eq!(fixture.count("staff_session").await, 5);
        // Numbers go on.
        approval::record(fixture.conn(), vec![action(1, ActionType::Ban)], at(20 * DAY)).await.unwrap();
        assert_eq!(fixture.totals().await.0[0].1, before.0[0].1 + 1);
    }

    async fn the_last_submission_and_what_has_a_newer_ticket_stay(fixture: &Fixture) {
        let time = |second: i64| at(second).to_rfc3339();
        fixture.execute(&format!(
            "INSERT INTO application_panel (guild_id, panel_id, name, created_at) VALUES ({}, 1, 'p', '{}')",
            guild(), time(0)
        )).await;
        for n in 1..=6 {
            fixture.execute(&format!(
                "INSERT INTO application_submission (guild_id, submission_id, panel_id, chat_id, answers, created_at)
                 VALUES ({}, {n}, 1, 9, '[]', '{}')", guild(), time(n)
            )).await;
        }
        for (n, second) in [(1, 10), (2, 1_000)] {
            fixture.execute(&format!(
                "INSERT INTO ticket (guild_id, submission_id, panel_id, state, channel_id, created_at, opened_at)
                 VALUES ({}, {n}, 1, 'open', 5, '{}', '{}')", guild(), time(n), time(second)
            )).await;
        }
        // One was decided lately, and one was for a panel that was removed.
        fixture.execute(&format!(
            "UPDATE application_submission SET state = 'refused', decided_at = '{}' WHERE submission_id = 4", time(900)
        )).await;
        fixture.execute(&format!(
            "INSERT INTO application_panel (guild_id, panel_id, name, created_at, removed_at) VALUES ({}, 2, 'p', '{}', '{}')",
            guild(), time(0), time(1)
        )).await;
        fixture.execute("UPDATE application_submission SET panel_id = 2 WHERE submission_id = 3").await;
        let rows = fixture.batches(async |conn| retention::submissions(conn, at(500), 2).await.unwrap()).await;
        assert_eq!(rows, [4, 1], "a ticket, two submissions and the panel of one, then the third");
        assert_eq!(fixture.count("application_submission WHERE submission_id IN (2, 4, 6)").await, 3);
        assert_eq!(fixture.count("application_panel").await, 1);
        assert_eq!((fixture.count("application_submission").await, fixture.count("ticket").await), (3, 1));
    }

    async fn who_knows_an_old_revision_gets_the_whole_list(fixture: &Fixture) {
        for n in 1..=6 {
            let lifted = if n == 6 { "NULL, NULL".to_owned() } else { format!("'{}', 'lifted'", at(n).to_rfc3339()) };
            fixture.execute(&format!(
                "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, lifted_at, lifted_how,
                 mirror_state, revision) VALUES ({}, 'ban', {n}, 'r', 9, '{}', {lifted}, 'none', {n})",
                guild(), at(0).to_rfc3339()
            )).await;
        }
        fixture.execute(&format!("INSERT INTO moderation_revision (guild_id, revision) VALUES ({}, 6)", guild())).await;
        let standing = async || Standing::read(fixture.conn(), guild()).await.unwrap();
        let known = async |seen| {
            let standing = standing().await;
            standing.seen_by(standing.shown() - 6 + seen)
        };
        assert_eq!(standing().await.revision, 6);
        assert!(standing().await.shown() < 100_000_000_000_000, "every language writes 14 digits exactly");
        assert_eq!((known(0).await, known(1).await, known(7).await), (None, Some(1), None));
        let rows = fixture.batches(async |conn| retention::sanctions(conn, at(4), 2).await.unwrap()).await;
        assert_eq!((rows, fixture.count("sanction").await), (vec![2, 1], 3));
        assert_eq!((known(2).await, known(3).await, known(6).await), (None, Some(3), Some(6)));
    }

    async fn a_large_job_goes_in_parts(fixture: &Fixture) {
        let ended = at(0).to_rfc3339();
        let job = |n: i64, parent: &str| format!(
            "INSERT INTO job (job_id, guild_id, parent_id, kind, class, args, state, max_attempts, run_at, created_at,
             finished_at) VALUES ({}, {}, {parent}, 'k', 'bulk', '{{}}', 'succeeded', 1, '{ended}', '{ended}', '{ended}')",
            fixture.uuid(n), guild()
        );
        fixture.execute(&job(0, "NULL")).await;
        for n in 1..=5 {
            fixture.execute(&job(n, &fixture.uuid(0))).await;
            fixture.execute(&format!(
                "INSERT INTO job_failure (job_id, chat_id, error, message, created_at) VALUES ({}, {n}, 'e', 'm', '{ended}')",
                fixture.uuid(0)
            )).await;
        }
        assert_eq!(fixture.batches(async |conn| old::prune(conn, at(0), 2).await.unwrap()).await, [0; 0]);
        let rows = fixture.batches(async |conn| old::prune(conn, at(1), 2).await.unwrap()).await;
        assert_eq!(rows, [4, 4, 3], "of each at most two, the job last");
    }
}

impl Fixture {
    fn uuid(&self, n: i64) -> String {
        let hex = format!("{n:032x}");
        if self.database.is_postgres() { format!("'{hex}'::uuid") } else { format!("x'{hex}'") }
    }
}

/// Rows that are not old yet, in the tables that grow most.
const MANY: [&str; 3] = [
    "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at)
     SELECT 7000000000000000000, CASE i % 2 WHEN 0 THEN 'sync.member' ELSE 'moderation.ban' END, 'service', 0, i::text,
     '{}', now() FROM generate_series(1, 20000) i",
    "INSERT INTO job (job_id, kind, class, args, state, max_attempts, run_at, created_at, finished_at)
     SELECT gen_random_uuid(), 'k', CASE i % 2 WHEN 0 THEN 'maintenance' ELSE 'bulk' END, '{}', 'succeeded', 1, now(),
     now(), now() FROM generate_series(1, 20000) i",
    "INSERT INTO change_log (event_id, event, created_at)
     SELECT gen_random_uuid(), '{}', now() FROM generate_series(1, 20000) i",
];

#[tokio::test]
async fn where_nothing_is_old_nothing_is_read() {
    on_postgres(async |fixture| {
        for sql in MANY {
            fixture.execute(sql).await;
        }
        fixture.execute("VACUUM ANALYZE").await;
        let conn = fixture.begin().await;
        let before = at(-365 * 100 * DAY);
        for rows in [
            audit_chain::old::delete(&conn, None, before, 1_000).await,
            audit_chain::old::delete(&conn, Some(Chain::MemberSyncs), before, 1_000).await,
            old::prune(&conn, before, 1_000).await,
            old::prune_maintenance(&conn, before, 1_000).await,
            change_log::prune(&conn, before, 1_000).await,
        ] {
            assert_eq!(rows.unwrap(), 0);
        }
        for table in ["audit_entry", "job", "change_log"] {
            let read = crate::rows_read::rows_read(&conn, table).await;
            assert!(read < 10, "{table}: {read}");
        }
    })
    .await;
}
