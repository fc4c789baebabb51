//! The copy of a ban on the chat platform (docs/rules.md 4): only bans that Guildhall made are lifted, even after a crash.

use std::sync::Arc;

use entities::audit_entry::Actor;
use entities::job::State;
use entities::sanction::change::{self, Created, Lift, NewSanction, Target};
use entities::sanction::{MirrorState, Model, history};
use entities::{JobId, Person as Accounts, SanctionId, SanctionKind, Subject, chat_ban, moderation_revision};
use runtime::UnitOfWork;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::crashes::Mortal;
use crate::fixture::{Fixture, chat, guild_id, until};
use crate::people::Person;
use crate::process::Process;

const BAN: &str = "PUT /guilds/:guild/bans/:user";
/// The simulator's bot.
const BOT_USER: i64 = 900_000_000_000_000_001;
const UNBAN: &str = "DELETE /guilds/:guild/bans/:user";

impl Process {
    /// Commits a ban of every game and its mirror job, as the API does.
    async fn ban(&self, who: &Person, reason: &str) -> (SanctionId, JobId) {
        let mut work = UnitOfWork::begin(&self.context).await.unwrap();
        let now = work.now();
        let mut change = moderation_revision::begin(work.tx(), guild_id(), now).await.unwrap();
        let new = NewSanction {
            kind: SanctionKind::Ban,
            subject: Subject::Chat(chat(who.chat)),
            person: Subject::Chat(chat(who.chat)).into(),
            place: None,
            reason: reason.to_owned(),
            moderator: chat(42),
            key: None,
            created_at: now,
            number: None,
            expires_at: None,
        };
        let created = change::create(work.tx(), &mut change, vec![new]).await.unwrap();
        let Created { sanction, closed } = created.into_iter().next().unwrap();
        let ban = Model { mirror_chat_id: Some(chat(who.chat)), ..sanction };
        let id = ban.sanction_id;
        let bans: Vec<Model> = closed.into_iter().chain([ban]).collect();
        jobs::mirror::enqueue_mirror(&mut work, &change, &[(Actor::service(), bans)]).await.unwrap();
        self.queue.publish(work.commit().await.unwrap());
        (id, self.state(id).await.mirror_job_id.unwrap())
    }

    /// Lifts all bans and waits for the mirror. Returns its state.
    async fn lift(&self, who: &Person, ban: SanctionId) -> MirrorState {
        let mut work = UnitOfWork::begin(&self.context).await.unwrap();
        let change = moderation_revision::begin(work.tx(), guild_id(), work.now()).await.unwrap();
        let person = Accounts::from(Subject::Chat(chat(who.chat)));
        let target = Target { kind: SanctionKind::Ban, person, place: None };
        let lift = Lift { target, only: None, by: chat(42), reason: None };
        let closed = change::lift(work.tx(), &change, &[lift]).await.unwrap().concat();
        jobs::mirror::enqueue_mirror(&mut work, &change, &[(Actor::service(), closed)]).await.unwrap();
        self.queue.publish(work.commit().await.unwrap());
        self.finish(self.state(ban).await.mirror_job_id.unwrap()).await;
        self.state(ban).await.mirror_state
    }

    async fn state(&self, ban: SanctionId) -> Model {
        history::find(self.context.database.read(), guild_id(), ban).await.unwrap().unwrap()
    }

    /// Bans and waits for the mirror.
    async fn mirrored(&self, who: &Person, reason: &str) -> (SanctionId, MirrorState) {
        let (ban, job) = self.ban(who, reason).await;
        self.finish(job).await;
        (ban, self.state(ban).await.mirror_state)
    }
}

impl Fixture {
    /// The reason of the platform's ban; `None`: not banned.
    async fn banned(&self, who: &Person) -> Option<String> {
        let (status, ban) = self.by_hand("GET", &format!("bans/{}", who.chat), Value::Null).await;
        (status == 200).then(|| ban["reason"].as_str().unwrap_or_default().to_owned())
    }

    async fn ban_by_hand(&self, who: &Person) {
        let (status, answer) = self.by_hand("PUT", &format!("bans/{}", who.chat), json!({})).await;
        assert_eq!(status, 204, "{answer}");
    }

    async fn unban_by_hand(&self, who: &Person) {
        self.by_hand("DELETE", &format!("bans/{}", who.chat), Value::Null).await;
    }

    async fn asked(&self, route: &str) -> u64 {
        let requests = self.stats().await["requests"][route].clone();
        requests.as_object().map_or(0, |by_status| by_status.values().filter_map(Value::as_u64).sum())
    }
}

async fn fixture() -> (Fixture, Person) {
    // The first one owns the guild.
    let [owner, person] = [0, 1].map(Person::right);
    (Fixture::new(&[owner, person.clone()]).await, person)
}

#[tokio::test]
async fn an_earlier_ban_of_the_platform_is_kept() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    fixture.ban_by_hand(&person).await;
    let asked = (fixture.asked(BAN).await, fixture.asked(UNBAN).await);
    assert_eq!(process.mirrored(&person, "spam").await.1, MirrorState::AlreadyBanned);
    // A newer ban inherits the state.
    let (ban, state) = process.mirrored(&person, "raid").await;
    assert_eq!(state, MirrorState::AlreadyBanned);
    assert_eq!(process.lift(&person, ban).await, MirrorState::AlreadyBanned);
    assert_eq!(fixture.banned(&person).await.as_deref(), Some("by hand"));
    assert_eq!(
        (fixture.asked(BAN).await, fixture.asked(UNBAN).await),
        asked,
        "the platform was asked to change"
    );
    let entries = process.audit("moderation.mirror").await;
    assert!(entries.iter().all(|entry| entry.metadata["mirror_state"] == "already_banned"), "{entries:?}");
    // After that ban is lifted, the next one is made by Guildhall.
    fixture.unban_by_hand(&person).await;
    let (ban, state) = process.mirrored(&person, "spam").await;
    assert_eq!(state, MirrorState::Done);
    assert_eq!(process.lift(&person, ban).await, MirrorState::Done);
    assert_eq!(fixture.banned(&person).await, None);
}

#[tokio::test]
async fn a_newer_ban_inherits_the_platforms_ban() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    assert_eq!(process.mirrored(&person, "spam").await.1, MirrorState::Done);
    let (ban, state) = process.mirrored(&person, "raid").await;
    assert_eq!((state, fixture.asked(BAN).await), (MirrorState::Done, 1));
    assert_eq!(process.lift(&person, ban).await, MirrorState::Done);
    assert_eq!(fixture.banned(&person).await, None);
}

#[tokio::test]
async fn a_ban_renewed_by_a_moderator_is_kept() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    let (ban, _) = process.mirrored(&person, "spam").await;
    fixture.unban_by_hand(&person).await;
    fixture.ban_by_hand(&person).await;
    assert_eq!(process.lift(&person, ban).await, MirrorState::AlreadyBanned);
    assert_eq!(fixture.banned(&person).await.as_deref(), Some("by hand"));
}

#[tokio::test]
async fn a_ban_whose_answer_was_lost_is_lifted() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": BAN, "status": 500, "served": true, "count": 1 })).await;
    let (ban, state) = process.mirrored(&person, "spam").await;
    assert_eq!((state, fixture.asked(BAN).await), (MirrorState::Done, 1));
    assert_eq!(process.lift(&person, ban).await, MirrorState::Done);
    assert_eq!(fixture.banned(&person).await, None);
}

#[tokio::test]
async fn a_ban_by_a_moderator_after_a_crash_is_kept() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    // The row of a worker that died right before its request.
    let (conn, job) = (process.context.database.write(), JobId(uuid::Uuid::now_v7()));
    let (guild_id, chat_id, reason) = (guild_id(), chat(person.chat), "spam".to_owned());
    let asked = chat_ban::Model { guild_id, chat_id, job_id: job, reason, made: false };
    chat_ban::put(conn, asked).await.unwrap();
    fixture.ban_by_hand(&person).await;
    let (ban, state) = process.mirrored(&person, "spam").await;
    assert_eq!(state, MirrorState::AlreadyBanned);
    assert_eq!(process.lift(&person, ban).await, MirrorState::AlreadyBanned);
    assert!(fixture.banned(&person).await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ban_of_a_killed_worker_is_lifted() {
    let (fixture, person) = fixture().await;
    let fixture = Arc::new(fixture);
    let mortal = Mortal::start(&fixture).await;
    // The platform applies the ban at once and answers late.
    fixture.order(&json!({ "route": BAN, "hang_ms": 8_000, "served": true, "count": 1 })).await;
    let (ban, job) = mortal.process.ban(&person, "spam").await;
    until("the platform banned", async || fixture.banned(&person).await.is_some()).await;
    let before = mortal.process.state(ban).await.mirror_state;
    assert_eq!(before, MirrorState::Pending, "the kill came too late");
    mortal.kill();
    let process = fixture.process().await;
    process.finish(job).await;
    assert_eq!(process.state(ban).await.mirror_state, MirrorState::Done);
    assert_eq!(process.lift(&person, ban).await, MirrorState::Done);
    assert_eq!(fixture.banned(&person).await, None);
}

#[tokio::test]
async fn a_ban_that_waits_for_the_platforms_pace_has_not_failed() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": BAN, "status": 429, "retry_after": 10, "count": 1 })).await;
    let (ban, job) = process.ban(&person, "spam").await;
    until("the job waits", async || {
        let row = process.row(job).await;
        row.state == State::Queued && row.error.is_some()
    })
    .await;
    assert_eq!(process.state(ban).await.mirror_state, MirrorState::Pending);
    assert!(process.audit("moderation.mirror_failed").await.is_empty());
}

#[tokio::test]
async fn a_mirror_that_is_cancelled_while_it_is_made_has_failed_unless_it_is_made_all_the_same() {
    let busy = json!({ "status": 429, "retry_after": 10 });
    for (answer, state, error) in
        [(json!({}), MirrorState::Done, None), (busy, MirrorState::Failed, Some("its job was cancelled"))]
    {
        let (fixture, person) = fixture().await;
        let process = fixture.process().await;
        let mut late = json!({ "route": BAN, "hang_ms": 1_000, "count": 1 });
        late.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        fixture.order(&late).await;
        let (ban, job) = process.ban(&person, "spam").await;
        until("the platform is asked", async || {
            let conn = process.context.database.read();
            !chat_ban::of_user(conn, guild_id(), chat(person.chat)).await.unwrap().is_empty()
        })
        .await;
        let transaction = process.context.database.begin().await.unwrap();
        jobs::cancel(&process.queue, &transaction, job).await.unwrap();
        transaction.commit().await.unwrap();
        process.finish(job).await;
        let ban = process.state(ban).await;
        assert_eq!((ban.mirror_state, ban.mirror_error.as_deref()), (state, error));
        process.context.close().await;
    }
}

/// A run that was frozen while it called the platform, and whose job another process has claimed meanwhile.
#[tokio::test]
async fn a_run_that_lost_its_claim_writes_nothing() {
    use entities::job::{Column, Entity};
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": BAN, "hang_ms": 1_000, "served": true, "count": 1 })).await;
    let (ban, job) = process.ban(&person, "spam").await;
    until("the platform banned", async || fixture.banned(&person).await.is_some()).await;
    let token = Expr::col(Column::Token).add(1);
    let claimed = Entity::update_many().col_expr(Column::Token, token).filter(Column::JobId.eq(job));
    claimed.exec(process.context.database.write()).await.unwrap();
    // Waits for the run.
    process.context.close().await;
    let context = fixture.context().await;
    let rows = chat_ban::of_user(context.database.read(), guild_id(), chat(person.chat)).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.made).collect::<Vec<_>>(), [false], "a late write");
    let ban = history::find(context.database.read(), guild_id(), ban).await.unwrap().unwrap();
    assert_eq!((ban.mirror_state, ban.mirror_error), (MirrorState::Pending, None), "a late write");
}

/// They are banned only in the games. The worker asks the platform right before it bans.
#[tokio::test]
async fn the_owner_and_bots_are_not_banned() {
    let (fixture, person) = fixture().await;
    let process = fixture.process().await;
    for who in [&Person::right(0), &Person { chat: BOT_USER, ..person.clone() }] {
        assert_eq!(process.mirrored(who, "spam").await.1, MirrorState::Protected);
        assert_eq!(fixture.banned(who).await, None);
    }
    // While the platform does not say who they are, no user is banned.
    fixture.fault("GET /guilds/:guild/members/:user", 500, 1).await;
    let (ban, job) = process.ban(&person, "spam").await;
    until("the attempt has failed", async || process.state(ban).await.mirror_state == MirrorState::Failed)
        .await;
    assert_eq!(fixture.asked(BAN).await, 0);
    process.finish(job).await;
    assert_eq!(process.state(ban).await.mirror_state, MirrorState::Done);
}
