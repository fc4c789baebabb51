//! Tickets (docs/rules.md 7): one channel for each, even if the result of its creation was unknown.

use entities::application_panel::{self, NewPanel};
use entities::application_submission::{self, NewSubmission};
use entities::audit_entry::Actor;
use entities::staff_role::{self, NewRole};
use entities::ticket::{self, Begun, Model, State};
use entities::{ChannelId, JobId};
use jobs::kinds::CreateTicket;
use queue::{Answer, Draft, Payload};
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use crate::fixture::{Fixture, chat, guild_id, role, until};
use crate::people::{DECORATION, GUILD, OFFICER, Person, TRAINEE};
use crate::process::Process;

const CREATE: &str = "POST /guilds/:guild/channels";

impl Process {
    /// Commits a ticket's row and its job, as the API does.
    async fn ask(&self, applicant: &Person) -> (Model, JobId) {
        self.ask_in(applicant, None, None).await
    }

    /// The same with a category and staff roles of the panel.
    async fn ask_in(
        &self,
        applicant: &Person,
        category: Option<&str>,
        staff_roles: Option<Vec<i64>>,
    ) -> (Model, JobId) {
        let transaction = self.context.database.begin().await.unwrap();
        let now = self.context.clock.now();
        let category = category.map(|id| id.parse::<ChannelId>().unwrap());
        let staff_roles = staff_roles.map(|ids| ids.into_iter().map(role).collect());
        let panel = NewPanel { category, staff_roles, ..NewPanel::named("Staff Application") };
        let panel = application_panel::add(&transaction, guild_id(), panel, now).await.unwrap().unwrap();
        let new = NewSubmission {
            id: None,
            panel: panel.panel_id,
            applicant: chat(applicant.chat),
            answers: json!({}),
        };
        let submission =
            application_submission::add(&transaction, guild_id(), new, now).await.unwrap().unwrap();
        let (submission, panel) = (submission.submission_id, panel.panel_id);
        let begun = ticket::begin(&transaction, guild_id(), submission, panel, now).await.unwrap();
        let Begun::Fresh(ticket) = begun else { panic!("not fresh") };
        let payload = CreateTicket { guild: guild_id(), ticket: ticket.ticket_id };
        let actor = Actor { actor_id: 42, key_id: None, request_id: None };
        let enqueued =
            Draft::new(guild_id(), &payload, actor).unwrap().insert(&transaction, now).await.unwrap();
        ticket::set_job(&transaction, guild_id(), ticket.ticket_id, enqueued.job).await.unwrap();
        transaction.commit().await.unwrap();
        (ticket, enqueued.job)
    }

    async fn ticket(&self, ticket: &Model) -> Model {
        ticket::find(self.context.database.read(), guild_id(), ticket.ticket_id).await.unwrap().unwrap()
    }

    /// Waits for the job's end and returns the channel of its result.
    async fn made(&self, (ticket, job): &(Model, JobId)) -> String {
        let Answer::Succeeded(result) = self.finish(*job).await else { panic!("failed") };
        assert_eq!(result["ticket_id"], ticket.ticket_id.get(), "{result}");
        result["channel_id"].as_str().unwrap().to_owned()
    }
}

/// `VIEW_CHANNEL`.
const VIEW: u64 = 1 << 10;
/// The bot of the simulator.
const BOT_USER: i64 = 900_000_000_000_000_001;

/// The ids of the users and roles that may see the channel; @everyone may not.
fn seen_by(channel: &Value) -> Vec<String> {
    let bits = |one: &Value, field: &str| one[field].as_str().unwrap().parse::<u64>().unwrap();
    let overwrites = channel["permission_overwrites"].as_array().unwrap();
    let everybody = overwrites.iter().find(|one| one["id"] == guild_id().to_string()).unwrap();
    assert_eq!((bits(everybody, "deny") & VIEW, bits(everybody, "allow") & VIEW), (VIEW, 0), "{channel}");
    let allowed = overwrites.iter().filter(|one| bits(one, "allow") & VIEW != 0);
    allowed.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn only(channels: &Value) -> &Value {
    assert_eq!(channels.as_array().unwrap().len(), 1, "{channels}");
    &channels[0]
}

#[tokio::test]
async fn the_channel_is_named_after_panel_and_applicant_and_its_staff_see_it() {
    let person = Person::right(7);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let category = fixture.make_category(&[(DECORATION, VIEW, 0), (GUILD, VIEW, 0)]).await;
    let asked = process.ask_in(&person, Some(&category), Some(vec![OFFICER, TRAINEE])).await;
    let id = process.made(&asked).await;
    let channels = fixture.channels().await;
    let made = channels.as_array().unwrap().iter().find(|channel| channel["id"] == id.as_str());
    let channel = made.unwrap();
    assert_eq!(channel["name"], "staff-application-player_7");
    assert_eq!(channel["parent_id"], category.as_str());
    let marker = format!("guildhall:ticket:{}:", asked.0.ticket_id);
    assert!(channel["topic"].as_str().unwrap().contains(&marker), "{channel}");
    let mut seen_by: Vec<_> = seen_by(channel);
    seen_by.sort_unstable();
    let mut expected = [DECORATION, OFFICER, TRAINEE, person.chat, BOT_USER].map(|id| id.to_string());
    expected.sort_unstable();
    assert_eq!(seen_by, expected);

    let ticket = process.ticket(&asked.0).await;
    assert_eq!(ticket.state, State::Open);
    assert_eq!(ticket.channel_id.unwrap().to_string(), id);
    let audit = process.audit("ticket.create").await;
    assert_eq!((audit.len(), audit[0].actor_id), (1, 42));
    assert_eq!(audit[0].target_id, ticket.ticket_id.to_string());
    assert_eq!(audit[0].metadata["channel_id"], id.as_str());
    assert_eq!(audit[0].metadata["made_by_an_earlier_run"], false);
}

#[tokio::test]
async fn a_panel_without_staff_roles_admits_every_staff_role_of_the_chat_guild() {
    let person = Person::right(7);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    // The chat guild does not have the last role.
    for id in [OFFICER, TRAINEE, 4_242] {
        let new = NewRole {
            role: role(id),
            role_name: id.to_string(),
            permissions: vec![],
            play_permissions: vec![],
        };
        let (conn, now) = (process.context.database.write(), process.context.clock.now());
        staff_role::upsert(conn, guild_id(), new, now).await.unwrap();
    }
    process.made(&process.ask(&person).await).await;
    let mut seen_by = seen_by(only(&fixture.channels().await));
    seen_by.sort_unstable();
    let mut expected = [OFFICER, TRAINEE, person.chat, BOT_USER].map(|id| id.to_string());
    expected.sort_unstable();
    assert_eq!(seen_by, expected);
}

#[tokio::test]
async fn a_deleted_category_is_named() {
    let person = Person::right(7);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let (_, job) = process.ask_in(&person, Some("4242"), None).await;
    let Answer::Failed(failure) = process.finish(job).await else { panic!("not refused") };
    assert_eq!((failure.status, failure.error.as_str()), (422, "unknown_category"));
}

#[tokio::test]
async fn a_channel_whose_answer_was_lost_is_found_again() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    // The platform creates the channel and answers with an error.
    fixture.order(&json!({ "route": CREATE, "status": 502, "served": true, "count": 1 })).await;
    let asked = process.ask(&person).await;
    let id = process.made(&asked).await;
    assert_eq!(only(&fixture.channels().await)["id"], id.as_str());
    assert_eq!(fixture.stats().await["requests"][CREATE], json!({ "502": 1 }));
    let audit = process.audit("ticket.create").await;
    assert_eq!((audit.len(), &audit[0].metadata["made_by_an_earlier_run"]), (1, &json!(true)));
    let row = process.row(asked.1).await;
    assert_eq!((row.attempt, row.token), (1, 2), "a snooze burned an attempt");
}

#[tokio::test]
async fn a_failed_creation_is_retried() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": CREATE, "status": 500, "count": 1 })).await;
    let asked = process.ask(&person).await;
    let id = process.made(&asked).await;
    assert_eq!(only(&fixture.channels().await)["id"], id.as_str());
    assert_eq!(process.audit("ticket.create").await[0].metadata["made_by_an_earlier_run"], false);
}

#[tokio::test]
async fn a_channel_that_comes_late_from_an_earlier_run_is_waited_for() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    fixture.order(&json!({ "route": CREATE, "status": 500, "count": 1 })).await;
    let (ticket, job) = process.ask(&person).await;
    until("the end of the first run", async || {
        let row = process.row(job).await;
        row.state == entities::job::State::Queued && row.token == 1
    })
    .await;
    // As if it had been cut just before its answer.
    let cut = "UPDATE job SET run_at = '2026-01-01T00:00:00+00:00', checkpoint = 'true' WHERE token = 1";
    process.context.database.write().execute_unprepared(cut).await.unwrap();
    until("it has looked", async || {
        fixture.stats().await["requests"]["GET /guilds/:guild/channels"]["200"] == 2
    })
    .await;
    let topic = format!("guildhall:ticket:{}:{}", ticket.ticket_id, ticket.created_at.timestamp_millis());
    let late = json!({ "name": "late", "type": 0, "topic": topic });
    let (status, late) = fixture.by_hand("POST", "channels", late).await;
    assert_eq!(status, 201, "{late}");
    let id = process.made(&(ticket, job)).await;
    assert_eq!(
        (only(&fixture.channels().await)["id"].as_str(), late["id"].as_str()),
        (Some(&*id), Some(&*id))
    );
}

#[tokio::test]
async fn a_second_job_returns_an_open_ticket_and_does_not_take_over_a_closed_one() {
    let person = Person::right(1);
    let fixture = Fixture::new(std::slice::from_ref(&person)).await;
    let process = fixture.process().await;
    let asked = process.ask(&person).await;
    let id = process.made(&asked).await;
    // A second job for an open ticket.
    let payload = CreateTicket { guild: guild_id(), ticket: asked.0.ticket_id };
    assert_eq!(process.succeed(&payload).await["channel_id"], id.as_str());
    assert_eq!(fixture.channels().await.as_array().unwrap().len(), 1);
    assert_eq!(CreateTicket::KIND, "create_ticket");

    // A ticket that another job owns is not opened by this one.
    fixture.order(&json!({ "route": CREATE, "status": 403, "count": 1 })).await;
    let refused = process.ask(&person).await;
    let Answer::Failed(failure) = process.finish(refused.1).await else { panic!("not refused") };
    assert_eq!(failure.status, 502);
    assert_eq!(process.ticket(&refused.0).await.state, State::Creating);
    let payload = CreateTicket { guild: guild_id(), ticket: refused.0.ticket_id };
    let (status, error, _) = process.fail(&payload).await;
    assert_eq!((status, error.as_str()), (409, "ticket_taken_over"));
    assert_eq!(fixture.channels().await.as_array().unwrap().len(), 1);
}
