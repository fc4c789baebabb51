//! `POST /guilds/:guildId/application-submissions/:submissionId/create-ticket`.

use serde_json::{Value, json};

use super::{Applying, staff_roles};
use testkit::{Answer, Deployment, both_modes, in_turn};

both_modes!(
    repeated_calls_create_one_channel,
    the_staff_of_the_panel_see_the_channel,
    a_deleted_category_is_named,
    concurrent_calls_create_one_channel,
    a_channel_whose_answer_was_lost_is_found_again,
    a_caller_gets_the_job_while_the_platform_is_slow,
    submissions_of_another_guild_are_unknown,
);

in_turn!(invalid_tickets_are_refused,);

const CREATE: &str = "POST /guilds/:guild/channels";
const BOT_USER: &str = "900000000000000001";

async fn repeated_calls_create_one_channel(deployment: &Deployment) {
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

/// The sorted ids of the users and roles that may see the channel; @everyone may not.
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
    let (api, guild, roles) = (deployment.api(), deployment.guild(), staff_roles(deployment).await);
    let panels = deployment.applications("panels");
    let in_category = &guild.roles[0];
    let category = deployment.category(in_category).await;
    let own = json!({ "name": "One", "category_id": category["id"], "staff_role_ids": [roles[0]] });
    let own = api.post(&panels, own).await.ok();
    assert_eq!(own["staff_role_ids"], json!([roles[0]]));
    let all = api.post(&panels, json!({ "name": "All" })).await.ok();
    assert_eq!(all["staff_role_ids"], Value::Null);
    let applicant = &guild.members[5].chat;
    for (panel, mut expected) in [(&own, vec![in_category.clone(), roles[0].clone()]), (&all, roles.clone())]
    {
        let ticket = deployment.ticket_of_panel(panel, applicant).await.ok();
        let channels = deployment.channels().await;
        let channel = channels.iter().find(|channel| channel["id"] == ticket["channel_id"]).unwrap();
        expected.extend([applicant.clone(), BOT_USER.to_owned()]);
        expected.sort_unstable();
        assert_eq!(seen_by(channel, &guild.id), expected, "{panel}");
    }
}

async fn a_deleted_category_is_named(deployment: &Deployment) {
    let panel = json!({ "name": "Gone", "category_id": "4242" });
    let panel = deployment.api().post(&deployment.applications("panels"), panel).await.ok();
    let answer = deployment.ticket_of_panel(&panel, &deployment.guild().members[5].chat).await;
    assert_eq!(answer.refused(422, &["category"]).error(), "unknown_category");
}

async fn concurrent_calls_create_one_channel(deployment: &Deployment) {
    deployment.apply(1).await;
    // The delay keeps the first call open while the others arrive.
    deployment.fault(json!({ "route": CREATE, "hang_ms": 1500, "count": 1 })).await;
    let calls = (0..8).map(|_| deployment.ticket(1));
    let tickets: Vec<Value> =
        futures_util::future::join_all(calls).await.into_iter().map(Answer::ok).collect();
    assert!(tickets.iter().all(|ticket| *ticket == tickets[0]), "{tickets:?}");
    assert_eq!((deployment.channels_created().await, deployment.channels().await.len()), (1, 1));
    assert_eq!(deployment.audit("ticket.create").await.len(), 1);
}

async fn a_channel_whose_answer_was_lost_is_found_again(deployment: &Deployment) {
    deployment.apply(1).await;
    // The platform creates the channel and answers with an error.
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

async fn a_caller_gets_the_job_while_the_platform_is_slow(deployment: &Deployment) {
    deployment.apply(1).await;
    // The platform creates the channel, and answers after the client's timeout.
    deployment.fault(json!({ "route": CREATE, "hang_ms": 15_000, "served": true, "count": 1 })).await;
    let api = deployment.api().header("prefer", "wait=1");
    let answer = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await;
    assert_eq!(answer.status, 202, "{answer}");
    let job = answer.body["data"]["job_id"].as_str().unwrap().to_owned();
    // A second caller waits for the same job.
    let second = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await;
    assert_eq!((second.status, &second.body["data"]["job_id"]), (202, &json!(job)), "{second}");
    let ended = deployment.job_ended(&job).await;
    let ticket = api.post(&deployment.create_ticket(1), json!({ "panel_id": 1 })).await.ok();
    let channels = deployment.channels().await;
    assert_eq!(channels.len(), 1, "{channels:?}");
    assert_eq!(channels[0]["id"], ticket["channel_id"]);
    assert_eq!(ended["result"], ticket);
}

async fn invalid_tickets_are_refused(deployment: &Deployment) {
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
    // After a refusal of the platform the next call creates the channel.
    deployment.fault(json!({ "route": CREATE, "status": 403, "count": 1 })).await;
    assert_eq!(deployment.ticket(1).await.refused(502, &[]).error(), "platform_refused");
    deployment.ticket(1).await.ok();
    assert_eq!(deployment.channels_created().await, 1);
}

async fn submissions_of_another_guild_are_unknown(deployment: &Deployment) {
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
    // Panels are numbered within their guild.
    let panels = format!("/guilds/{}/application-panels", other.id);
    assert_eq!(theirs.post(&panels, json!({ "name": "Theirs" })).await.ok()["panel_id"], 1);
    assert_eq!(deployment.channels_created().await, 0);
}
