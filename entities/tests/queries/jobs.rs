//! Which jobs the lists and counts of jobs contain.

use entities::audit_entry::Actor;
use entities::job::insert::{self, NewJob};
use entities::job::listing::{self, Filter};
use entities::job::{Class, Column, Entity, Model, State, Status, cancel, deliveries, moving, rescue};
use entities::job_pause::{self, Note, Scope};
use entities::{GuildId, JobId, Page, WebhookId};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use serde_json::json;

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

fn new(guild: impl Into<Option<GuildId>>, kind: &'static str) -> NewJob {
    NewJob {
        id: JobId(Uuid::now_v7()),
        guild: guild.into(),
        parent: None,
        kind,
        class: Class::Default,
        args: json!({ "chat_id": "5", "webhook": "7" }),
        max_attempts: 3,
        dedupe_key: None,
        total: 0,
        actor: Actor::service(),
        traceparent: None,
    }
}

async fn add(fixture: &Fixture, new: NewJob) -> JobId {
    insert::insert(fixture.conn(), vec![new], at(0)).await.unwrap()[0].0
}

async fn set(fixture: &Fixture, job: JobId, column: Column, value: impl Into<Value>) {
    let update = Entity::update_many().col_expr(column, Expr::value(value));
    update.filter(Column::JobId.eq(job)).exec(fixture.conn()).await.unwrap();
}

/// Puts it into a state, with the columns that a row in this state has.
async fn put(fixture: &Fixture, job: JobId, state: State) {
    let finished_at = (!state.is_open()).then(|| at(1));
    let update = Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::Worker, Expr::value("gone"))
        .col_expr(Column::FinishedAt, Expr::value(finished_at));
    update.filter(Column::JobId.eq(job)).exec(fixture.conn()).await.unwrap();
}

fn ids(rows: &[Model]) -> Vec<JobId> {
    rows.iter().map(|row| row.job_id).collect()
}

both_databases! {
    async fn a_job_is_listed_by_the_status_that_it_shows(fixture: &Fixture) {
        let (conn, now) = (fixture.conn(), at(100));
        let job = add(fixture, new(guild(), "sync_member")).await;
        for state in <State as sea_orm::Iterable>::iter() {
            put(fixture, job, state).await;
            for (token, seconds) in [0, 1].into_iter().flat_map(|token| [99, 100, 101].map(|at| (token, at))) {
                set(fixture, job, Column::Token, i64::from(token)).await;
                set(fixture, job, Column::RunAt, at(seconds)).await;
                let shown = listing::find(conn, guild(), job).await.unwrap().unwrap().status(now);
                for status in Status::ALL {
                    let filter = Filter { status: Some(*status), ..Filter::default() };
                    let listed = listing::list(conn, filter, Page::first(9), now).await.unwrap();
                    assert_eq!(listed.len() == 1, *status == shown, "{state:?}, run {token}, due at {seconds}");
                }
            }
        }
    }

    async fn lists_leave_out_what_is_not_asked_for(fixture: &Fixture) {
        let (conn, now) = (fixture.conn(), at(1));
        let own = add(fixture, new(guild(), "sync_member")).await;
        let chunk = add(fixture, NewJob { parent: Some(own), ..new(guild(), "sync_chunk") }).await;
        let other = add(fixture, new(other_guild(), "assign_role")).await;
        let periodic = add(fixture, new(None, "prune")).await;
        let all = listing::list(conn, Filter::default(), Page::first(9), now).await.unwrap();
        assert_eq!(ids(&all), [periodic, other, own], "newest first, no chunk");
        let of_guilds = listing::list_of_guilds(conn, Filter::default(), Page::first(9), now).await.unwrap();
        assert_eq!(ids(&of_guilds), [other, own]);
        let moving = moving::of_ids(conn, &[own, chunk, other]).await.unwrap();
        assert_eq!(ids(&moving).into_iter().max(), Some(other));
        assert_eq!(moving.len(), 2, "no chunk");
        let open = moving::open(conn, &[guild()], 9).await.unwrap();
        assert_eq!(ids(&open), [own], "of this guild");
        let arguments = listing::arguments(conn, &all).await.unwrap();
        assert_eq!(arguments[&own]["chat_id"], "5");
        assert!(!arguments.contains_key(&periodic), "it concerns nobody");
    }

    async fn running_jobs_are_counted_by_class(fixture: &Fixture) {
        let conn = fixture.conn();
        for (class, state) in [
            (Class::Default, State::Running),
            (Class::Default, State::Running),
            (Class::Default, State::Queued),
            (Class::Bulk, State::Running),
            (Class::Bulk, State::Succeeded),
        ] {
            let job = add(fixture, NewJob { class, ..new(guild(), "sync_member") }).await;
            put(fixture, job, state).await;
        }
        let mut counts = Vec::new();
        for class in [Class::Default, Class::Bulk, Class::Delivery] {
            counts.push(listing::count_running(conn, class).await.unwrap());
        }
        assert_eq!(counts, [2, 1, 0]);
    }

    async fn nobody_waits_for_the_jobs_of_a_paused_guild(fixture: &Fixture) {
        let conn = fixture.conn();
        let key = Some("all".to_owned());
        add(fixture, NewJob { class: Class::Bulk, dedupe_key: key, ..new(guild(), "sync_all") }).await;
        add(fixture, NewJob { class: Class::Maintenance, ..new(None, "prune") }).await;
        let available = async |class: Class| {
            let backlog = listing::backlog(conn, class, at(9)).await.unwrap();
            (backlog.available, backlog.oldest.is_some())
        };
        let asked_for = async |of: Option<GuildId>| listing::is_bulk_asked_for(conn, of).await.unwrap();
        for (paused, of_any, waiting) in [(other_guild(), true, (1, true)), (guild(), false, (0, false))] {
            job_pause::create(conn, Scope::Guild(paused), Note::default(), at(1)).await.unwrap();
            assert_eq!(asked_for(None).await, of_any);
            assert_eq!((asked_for(Some(guild())).await, asked_for(Some(other_guild())).await), (true, false));
            assert_eq!(available(Class::Bulk).await, waiting);
            assert_eq!(available(Class::Maintenance).await, (1, true), "it is of no guild");
        }
    }

    async fn running_jobs_of_processes_that_are_gone_are_orphans(fixture: &Fixture) {
        let mut running = None;
        for state in <State as sea_orm::Iterable>::iter() {
            let job = add(fixture, new(guild(), "sync_member")).await;
            put(fixture, job, state).await;
            if state == State::Running {
                running = Some(job);
            }
        }
        let transaction = fixture.begin().await;
        let orphans = rescue::orphaned(&transaction, None, 9).await.unwrap();
        assert_eq!(ids(&orphans), [running.unwrap()]);
        assert_eq!(rescue::orphaned(&transaction, running, 9).await.unwrap(), [], "after it");
        transaction.rollback().await.unwrap();
    }

    async fn jobs_inserted_together_are_held_beyond_the_share_of_their_guild(fixture: &Fixture) {
        add(fixture, new(guild(), "sync_member")).await;
        let many = [guild(), other_guild(), guild(), guild(), guild(), guild(), other_guild()];
        let many = many.map(|guild| new(guild, "sync_member")).to_vec();
        let added = insert::insert(fixture.conn(), many, at(0)).await.unwrap();
        let queued: Vec<_> = added.iter().map(|(_, message)| message.is_some()).collect();
        // Of four in flight one is there already.
        assert_eq!(queued, [true, true, true, true, false, false, true]);
    }

    async fn only_the_open_jobs_of_a_guild_are_locked_for_its_removal(fixture: &Fixture) {
        let mut running = Vec::new();
        for guild in [guild(), other_guild()] {
            let job = add(fixture, new(guild, "sync_member")).await;
            put(fixture, job, State::Running).await;
            add(fixture, new(guild, "assign_role")).await;
            running.push(job);
        }
        let transaction = fixture.begin().await;
        assert_eq!(cancel::lock_open(&transaction, guild()).await.unwrap(), running[..1]);
        transaction.rollback().await.unwrap();
    }

    async fn the_open_deliveries_of_a_webhook_are_counted_up_to_a_limit(fixture: &Fixture) {
        let conn = fixture.conn();
        let count = async |webhook: i64, limit| {
            let webhook = WebhookId::try_from(webhook).unwrap();
            deliveries::count_open(conn, guild(), webhook, limit).await.unwrap()
        };
        let mut jobs = Vec::new();
        for _ in 0..4 {
            jobs.push(add(fixture, new(guild(), deliveries::DELIVER_WEBHOOK)).await);
        }
        add(fixture, new(other_guild(), deliveries::DELIVER_WEBHOOK)).await;
        add(fixture, new(guild(), "sync_member")).await;
        put(fixture, jobs[0], State::Succeeded).await;
        assert_eq!([count(7, 9).await, count(7, 2).await, count(8, 9).await], [3, 2, 0]);
    }
}
