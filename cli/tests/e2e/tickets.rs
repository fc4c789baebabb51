//! `/guilds/:guildId/application-...` (docs/rules.md 7): panels, submissions, and one ticket for each.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Answer, Deployment, both_modes, eventually};

both_modes!(
    a_submission_becomes_one_channel_however_often_it_is_asked_for,
    calls_at_once_make_one_channel,
    a_channel_whose_answer_was_lost_is_not_made_twice,
    a_late_channel_is_left_to_the_job,
    what_cannot_be_a_ticket_is_refused,
    another_guild_does_not_find_it,
    the_staff_of_the_panel_see_the_channel,
    panels_and_submissions_are_added_and_listed,
    panels_and_submissions_come_by_command_and_fixture,
);

const CREATE: &str = "POST /guilds/:guild/channels";
const WITHIN: Duration = Duration::from_secs(30);

/// What these tests ask of a deployment.
trait Applying {
    fn deployment(&self) -> &Deployment;

    fn applications(&self, rest: &str) -> String {
        format!("/guilds/{}/application-{rest}", self.deployment().guild().id)
    }

    fn create_ticket(&self, submission: i64) -> String {
        self.applications(&format!("submissions/{submission}/create-ticket"))
    }

    /// Panel 1 and submissions to it from the first members, numbered from 1.
    async fn apply(&self, submissions: usize) {
        let api = self.deployment().api();
        api.post(&self.applications("panels"), json!({ "panel_id": 1, "name": "Staff Team!" })).await.ok();
        for member in &self.deployment().guild().members[..submissions] {
            let body = json!({ "panel_id": 1, "chat_id": member.chat, "answers": { "why": "because" } });
            api.post(&self.applications("submissions"), body).await.ok();
        }
    }

    async fn ticket(&self, submission: i64) -> Answer {
        self.deployment().api().post(&self.create_ticket(submission), json!({ "panel_id": 1 })).await
    }

    /// The first guild's channels on the chat platform.
    async fn channels(&self) -> Vec<Value> {
        let url =
            format!("{}/guilds/{}/channels", self.deployment().simulator.base, self.deployment().guild().id);
        let request = testkit::http_client().get(url).header("authorization", "Bot test-token");
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn channels_created(&self) -> u64 {
        let mut channels = 0;
        for guild in &self.deployment().fixture.guilds {
            let state = self.deployment().simulator.guild_state(guild).await;
            channels += state["channels"].as_array().unwrap().len() as u64;
        }
        channels
    }
}

impl Applying for Deployment {
    fn deployment(&self) -> &Deployment {
        self
    }
}

async fn a_submission_becomes_one_channel_however_often_it_is_asked_for(deployment: &Deployment) {
    deployment.apply(2).await;
    let answer = deployment.ticket(1).await;
    assert_eq!(answer.header("x-ratelimit-bucket"), Some("guild_config_write"));
    let ticket = answer.ok();
    assert!(ticket["ticket_id"].is_i64() && ticket["channel_id"].is_string(), "{ticket}");
    assert_eq!(ticket.as_object().unwrap().len(), 2, "{ticket}");
    let channels = deployment.channels().await;
    assert_eq!(channels.len(), 1);
    assert_eq!(channels[0]["id"], ticket["channel_id"]);
    let applicant = &deployment.guild().members[0];
    assert_eq!(channels[0]["name"], format!("staff-team-{}", applicant.name));
    let marker = format!("guildhall:ticket:{}", ticket["ticket_id"]);
    assert!(channels[0]["topic"].as_str().unwrap().contains(&marker), "{channels:?}");

    for panel in [json!(1), json!("1")] {
        let again = deployment.api().post(&deployment.create_ticket(1), json!({ "panel_id": panel })).await;
        assert!(!again.message().is_empty());
        assert_eq!(again.ok(), ticket);
    }
    let other = deployment.ticket(2).await.ok();
    assert_ne!((&other["ticket_id"], &other["channel_id"]), (&ticket["ticket_id"], &ticket["channel_id"]));
    assert_eq!(deployment.channels_created().await, 2);
    let audit = deployment.audit("ticket.create").await;
    assert_eq!(audit.len(), 2);
    assert_eq!(audit[1]["target_id"], ticket["ticket_id"].to_string());
    assert_eq!(audit[1]["metadata"]["channel_id"], ticket["channel_id"]);
    assert_eq!(audit[1]["actor_id"], applicant.chat.as_str());
    assert_eq!(deployment.audit("ticket.create_requested").await.len(), 2);
}

/// The ids that the channel lets in, sorted; everybody else must not see it.
fn seen_by(channel: &Value, guild: &str) -> Vec<String> {
    const VIEW: u64 = 1 << 10;
    let bits = |one: &Value, field: &str| one[field].as_str().unwrap().parse::<u64>().unwrap();
    let overwrites = channel["permission_overwrites"].as_array().unwrap();
    let everybody = overwrites.iter().find(|one| one["id"] == guild).expect("a private channel");
    assert_eq!((bits(everybody, "deny") & VIEW, bits(everybody, "allow") & VIEW), (VIEW, 0), "{channel}");
    let allowed = overwrites.iter().filter(|one| bits(one, "allow") & VIEW != 0);
    let mut ids: Vec<_> = allowed.map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    ids
}

async fn the_staff_of_the_panel_see_the_channel(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let panels = deployment.applications("panels");
    let staff = api.get(&format!("/staff/members/{}", guild.id)).await.ok();
    let mut roles: Vec<Value> =
        staff["members"].as_array().unwrap().iter().map(|member| member["role_id"].clone()).collect();
    roles.sort_by_key(ToString::to_string);
    roles.dedup();
    assert_eq!(roles.len(), 2, "{staff}");
    // A category that lets in one more role.
    let more = &guild.roles[0];
    let overwrite = json!({ "id": more, "type": 0, "allow": "1024", "deny": "0" });
    let category = json!({ "name": "tickets", "type": 4, "permission_overwrites": [overwrite] });
    let url = format!("{}/guilds/{}/channels", deployment.simulator.base, guild.id);
    let request = testkit::http_client().post(url).header("authorization", "Bot test-token");
    let category: Value = request.json(&category).send().await.unwrap().json().await.unwrap();

    let own = json!({ "name": "One", "category_id": category["id"], "staff_role_ids": [roles[0]] });
    let own = api.post(&panels, own).await.ok();
    assert_eq!(own["staff_role_ids"], json!([roles[0]]));
    let all = api.post(&panels, json!({ "name": "All" })).await.ok();
    assert_eq!(all["staff_role_ids"], Value::Null);
    let applicant = &guild.members[5].chat;
    let bot = "900000000000000001";
    for (panel, mut expected) in [
        (&own, vec![more.clone(), roles[0].as_str().unwrap().to_owned()]),
        (&all, roles.iter().map(|role| role.as_str().unwrap().to_owned()).collect()),
    ] {
        let body = json!({ "panel_id": panel["panel_id"], "chat_id": applicant });
        let submission =
            api.post(&deployment.applications("submissions"), body).await.ok()["submission_id"].clone();
        let path = deployment.create_ticket(submission.as_i64().unwrap());
        let ticket = api.post(&path, json!({ "panel_id": panel["panel_id"] })).await.ok();
        let channels = deployment.channels().await;
        let channel = channels.iter().find(|channel| channel["id"] == ticket["channel_id"]).unwrap();
        expected.extend([applicant.clone(), bot.to_owned()]);
        expected.sort_unstable();
        assert_eq!(seen_by(channel, &guild.id), expected, "{panel}");
    }
    // By the command line.
    let role = roles[1].as_str().unwrap();
    let add = ["panels", "add", "--guild", &guild.id, "--name", "Cli", "--staff-role", role];
    deployment.command(&add).await.succeeded();
    assert!(deployment.command(&["panels", "list", "--guild", &guild.id]).await.succeeded().contains(role));
    assert_eq!(api.get(&panels).await.ok()["panels"][2]["staff_role_ids"], json!([role]));
    let unknown = ["panels", "add", "--guild", &guild.id, "--name", "Cli", "--staff-role", "4242"];
    assert!(deployment.command(&unknown).await.refused().contains("4242"));
    let unknown = json!({ "name": "x", "staff_role_ids": [role, "4242"] });
    api.post(&panels, unknown).await.refused(422, &["`staff_role_ids`", "4242"]);
    for bad in [json!("x"), json!([1]), json!({})] {
        let answer = api.post(&panels, json!({ "name": "x", "staff_role_ids": bad })).await;
        answer.refused(400, &["staff_role_ids"]);
    }
    // A category that is gone is named.
    let gone = api.post(&panels, json!({ "name": "Gone", "category_id": "4242" })).await.ok();
    let body = json!({ "panel_id": gone["panel_id"], "chat_id": applicant });
    let submission =
        api.post(&deployment.applications("submissions"), body).await.ok()["submission_id"].clone();
    let path = deployment.create_ticket(submission.as_i64().unwrap());
    let refused = api.post(&path, json!({ "panel_id": gone["panel_id"] })).await.refused(422, &["category"]);
    assert_eq!(refused.error(), "unknown_category");
}

async fn calls_at_once_make_one_channel(deployment: &Deployment) {
    deployment.apply(1).await;
    // Slow enough that all of them come while the first is under way.
    deployment.fault(json!({ "route": CREATE, "hang_ms": 1500, "count": 1 })).await;
    let calls = (0..8).map(|_| deployment.ticket(1));
    let tickets: Vec<Value> =
        futures_util::future::join_all(calls).await.into_iter().map(Answer::ok).collect();
    assert!(tickets.iter().all(|ticket| *ticket == tickets[0]), "{tickets:?}");
    assert_eq!((deployment.channels_created().await, deployment.channels().await.len()), (1, 1));
    assert_eq!(deployment.audit("ticket.create").await.len(), 1);
}

async fn a_channel_whose_answer_was_lost_is_not_made_twice(deployment: &Deployment) {
    deployment.apply(1).await;
    // The channel is made, and the answer is an error.
    deployment.fault(json!({ "route": CREATE, "status": 500, "served": true, "count": 1 })).await;
    let api = deployment.api().header("prefer", "wait=30");
    let ticket = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await.ok();
    let channels = deployment.channels().await;
    assert_eq!(channels.len(), 1, "{channels:?}");
    assert_eq!(channels[0]["id"], ticket["channel_id"]);
    assert_eq!(deployment.audit("ticket.create").await[0]["metadata"]["made_by_an_earlier_run"], true);
    assert_eq!(deployment.ticket(1).await.ok(), ticket);
    assert_eq!(deployment.channels().await.len(), 1);
}

async fn a_late_channel_is_left_to_the_job(deployment: &Deployment) {
    deployment.apply(1).await;
    // Longer than the platform's client waits, and the channel is there all the same.
    deployment.fault(json!({ "route": CREATE, "hang_ms": 15_000, "served": true, "count": 1 })).await;
    let api = deployment.api().header("prefer", "wait=1");
    let answer = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await;
    assert_eq!(answer.status, 202, "{answer}");
    let job = answer.body["data"]["job_id"].as_str().unwrap().to_owned();
    // A second caller waits for the same job.
    let second = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await;
    assert_eq!((second.status, &second.body["data"]["job_id"]), (202, &json!(job)), "{second}");
    let ticket = eventually("the ticket is open", WITHIN, async || {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let answer = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await;
        (answer.status == 200).then(|| answer.ok())
    })
    .await;
    let channels = deployment.channels().await;
    assert_eq!(channels.len(), 1, "{channels:?}");
    assert_eq!(channels[0]["id"], ticket["channel_id"]);
    assert_eq!(deployment.job_ended(&job).await["result"], ticket);
}

async fn what_cannot_be_a_ticket_is_refused(deployment: &Deployment) {
    let api = deployment.api();
    deployment.apply(1).await;
    api.post(&deployment.applications("panels"), json!({ "name": "Other" })).await.ok();
    assert_eq!(deployment.ticket(99).await.refused(404, &["submission"]).error(), "not_found");
    let of_panel =
        async |panel: Value| api.post(&deployment.create_ticket(1), json!({ "panel_id": panel })).await;
    of_panel(json!(99)).await.refused(404, &["panel"]);
    assert_eq!(of_panel(json!(2)).await.refused(422, &["panel_id"]).error(), "another_panel");
    for bad in [Value::Null, json!(0), json!("x"), json!(1.5), json!([1])] {
        of_panel(bad).await.refused(400, &["panel_id"]);
    }
    api.post(&deployment.applications("submissions/x/create-ticket"), json!({ "panel_id": 1 }))
        .await
        .refused(400, &["submissionId"]);
    let reader = api.key(&deployment.new_key("read").await);
    reader.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await.refused(403, &["staff"]);
    assert_eq!(deployment.channels_created().await, 0);
    // The platform refuses: said to the caller, and the next call tries anew.
    deployment.fault(json!({ "route": CREATE, "status": 403, "count": 1 })).await;
    assert_eq!(deployment.ticket(1).await.refused(502, &[]).error(), "platform_refused");
    deployment.ticket(1).await.ok();
    assert_eq!(deployment.channels_created().await, 1);
}

async fn another_guild_does_not_find_it(deployment: &Deployment) {
    deployment.apply(1).await;
    let other = deployment.other_guild();
    let theirs = deployment.api().key(&other.admin_key);
    let path = format!("/guilds/{}/application-submissions/1/create-ticket", other.id);
    let hidden = theirs.post(&path, json!({ "panel_id": 1 })).await.refused(404, &[]);
    let unknown = path.replace("/1/", "/4242/");
    let unknown = theirs.post(&unknown, json!({ "panel_id": 1 })).await.refused(404, &[]);
    assert_eq!(hidden.without_request_id(), unknown.without_request_id());
    theirs.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await.refused(403, &[]);
    let list = format!("/guilds/{}/application-submissions", other.id);
    assert_eq!(theirs.get(&list).await.ok()["submissions"], json!([]));
    // Their own numbers begin anew.
    let panels = format!("/guilds/{}/application-panels", other.id);
    assert_eq!(theirs.post(&panels, json!({ "name": "Theirs" })).await.ok()["panel_id"], 1);
    assert_eq!(deployment.channels_created().await, 0);
}

async fn panels_and_submissions_are_added_and_listed(deployment: &Deployment) {
    let (api, chat) = (deployment.api(), &deployment.guild().members[0].chat);
    let (panels, submissions) = (deployment.applications("panels"), deployment.applications("submissions"));
    let panel = api.post(&panels, json!({ "name": "Staff", "category_id": "77" })).await.ok();
    assert_eq!((&panel["panel_id"], &panel["category_id"]), (&json!(1), &json!("77")), "{panel}");
    api.post(&panels, json!({ "panel_id": 7, "name": "Seven" })).await.ok();
    api.post(&panels, json!({ "panel_id": 7, "name": "Seven" })).await.refused(409, &["panel_id"]);
    assert_eq!(api.post(&panels, json!({ "name": "Eight" })).await.ok()["panel_id"], 8);
    let listed = api.get(&panels).await.ok();
    let ids: Vec<_> = listed["panels"].as_array().unwrap().iter().map(|panel| &panel["panel_id"]).collect();
    assert_eq!(ids, [1, 7, 8]);
    assert_eq!(listed["panels"][0], panel);

    let body = |panel: i64| json!({ "panel_id": panel, "chat_id": chat, "answers": { "age": 20 } });
    let first = api.post(&submissions, body(1)).await.ok();
    assert_eq!((&first["submission_id"], &first["answers"]), (&json!(1), &json!({ "age": 20 })), "{first}");
    let mut numbered = body(7);
    numbered["submission_id"] = json!(5);
    api.post(&submissions, numbered.clone()).await.ok();
    api.post(&submissions, numbered).await.refused(409, &["submission_id"]);
    api.post(&submissions, body(99)).await.refused(404, &["panel"]);
    let numbers = async |query: &str| -> (Vec<i64>, Value) {
        let data = api.get(&format!("{submissions}?{query}")).await.ok();
        let rows = data["submissions"].as_array().unwrap();
        (rows.iter().map(|row| row["submission_id"].as_i64().unwrap()).collect(), data["next_cursor"].clone())
    };
    assert_eq!(numbers("").await, (vec![5, 1], Value::Null));
    assert_eq!(numbers("limit=1").await, (vec![5], json!(5)));
    assert_eq!(numbers("limit=1&cursor=5").await, (vec![1], Value::Null));
    assert_eq!(numbers("panel_id=1").await, (vec![1], Value::Null));
    for (path, bad, field) in [
        (&panels, json!({}), "name"),
        (&panels, json!({ "name": "x".repeat(101) }), "name"),
        (&panels, json!({ "name": "x", "category_id": 77 }), "category_id"),
        (&submissions, json!({ "panel_id": 1 }), "chat_id"),
        (&submissions, json!({ "panel_id": 1, "chat_id": chat, "answers": [1] }), "answers"),
    ] {
        api.post(path, bad).await.refused(400, &[field]);
    }
    // Only for admins.
    let staff = api.key(&deployment.guild().game_key);
    staff.post(&panels, json!({ "name": "x" })).await.refused(403, &["admin"]);
    staff.post(&submissions, body(1)).await.refused(403, &["admin"]);
    staff.get(&panels).await.ok();
    assert_eq!(deployment.audit("application_panels.add").await.len(), 3);
    assert_eq!(deployment.audit("application_submissions.add").await.len(), 2);
}

async fn panels_and_submissions_come_by_command_and_fixture(deployment: &Deployment) {
    let (guild, chat) = (deployment.guild(), &deployment.guild().members[2].chat);
    let mut fixture = deployment.fixture.json();
    fixture["guilds"][0]["panels"] = json!([{ "panel_id": 1, "name": "Staff", "category_id": null }]);
    let submission =
        json!({ "submission_id": 1, "panel_id": 1, "chat_id": chat, "answers": { "why": "because" } });
    fixture["guilds"][0]["submissions"] = json!([submission]);
    std::fs::write(deployment.folder().join("applications.json"), fixture.to_string()).unwrap();
    let said = deployment.command(&["seed", "applications.json"]).await.succeeded();
    assert!(said.contains("1 panel (1 new), 1 submission (1 new)"), "{said}");
    let said = deployment.command(&["seed", "applications.json"]).await.succeeded();
    assert!(said.starts_with("nothing new"), "{said}");

    let added =
        deployment.command(&["panels", "add", "--guild", &guild.id, "--name", "Events"]).await.succeeded();
    assert_eq!(added.trim(), "added panel 2");
    let add = ["submissions", "add", "--guild", &guild.id, "--panel", "2", "--applicant", chat];
    assert_eq!(deployment.command(&add).await.succeeded().trim(), "added submission 2");
    let unknown = ["submissions", "add", "--guild", &guild.id, "--panel", "9", "--applicant", chat];
    assert!(deployment.command(&unknown).await.refused().contains("no panel 9"));
    let ticket = deployment.ticket(1).await.ok();
    let list = deployment.command(&["submissions", "list", "--guild", &guild.id]).await.succeeded();
    assert!(list.contains(ticket["channel_id"].as_str().unwrap()), "{list}");
    let list = deployment.command(&["panels", "list", "--guild", &guild.id]).await.succeeded();
    assert!(list.contains("Staff") && list.contains("Events"), "{list}");
}
