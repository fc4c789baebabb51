//! /guilds/:guildId/webhooks: entries of the audit log arrive at a receiver, signed (docs/rules.md 14).

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Api, Deployment, Mode, Receiver, both_modes, eventually, in_turn};

both_modes!(
    an_event_arrives_signed,
    a_delivery_is_tried_again_with_the_same_id,
    a_receiver_that_is_gone_ends_the_webhook,
    what_happens_while_it_is_off_is_not_sent,
    a_delivery_is_replayed,
    a_test_is_sent_whatever_the_webhook_is_for,
    two_secrets_sign_after_a_rotation
);
in_turn!(
    what_a_receiver_says_of_one_event_delays_no_other,
    a_receiver_that_fails_is_left_alone,
    entries_beyond_500_open_deliveries_wait_in_the_log(own),
    a_dead_delivery_is_no_entry_of_the_log_that_it_delivers(own),
    redirects_are_not_followed,
    entries_of_clients_are_chosen_by_their_own_word,
    only_urls_of_public_hosts_are_taken,
    a_webhook_is_described_exactly,
    a_removed_webhook_gets_nothing
);

/// A webhook to a receiver of its own.
struct Hook {
    api: Api,
    receiver: Receiver,
    guild: String,
    path: String,
}

impl Hook {
    async fn new(deployment: &Deployment, events: Value) -> Self {
        let (guild, receiver) = (deployment.guild(), Receiver::start().await);
        let api = deployment.api().key(&guild.admin_key);
        let path = format!("/guilds/{}/webhooks", guild.id);
        let made = api.post(&path, json!({ "url": receiver.url(), "events": events })).await.ok();
        receiver.trusts(&made["secret"]);
        let path = format!("{path}/{}", made["id"]);
        Self { api, receiver, guild: guild.id.clone(), path }
    }

    async fn note(&self, body: &str) -> String {
        let staff = json!({ "staff_id": self.staff().await, "body": body });
        self.api.post(&format!("/guilds/{}/staff/notes", self.guild), staff).await.ok()["id"].to_string()
    }

    async fn staff(&self) -> Value {
        let members = self.api.get(&format!("/staff/members/{}", self.guild)).await.ok();
        members["members"][0]["chat_id"].clone()
    }

    async fn post(&self, rest: &str) -> Answer {
        self.api.post(&format!("{}{rest}", self.path), json!({})).await
    }

    async fn deliveries(&self) -> Vec<Value> {
        let listed = self.api.get(&format!("{}/deliveries", self.path)).await.ok();
        listed["deliveries"].as_array().unwrap().clone()
    }

    /// The newest delivery, once it is in this state.
    async fn delivery(&self, state: &str) -> Value {
        eventually(&format!("the newest delivery is {state}"), Duration::from_secs(20), async || {
            let newest = self.deliveries().await.into_iter().next()?;
            (newest["state"] == state).then_some(newest)
        })
        .await
    }

    async fn shown(&self) -> Value {
        let id = self.path.rsplit('/').next().unwrap().parse::<i64>().unwrap();
        let all = self.api.get(&format!("/guilds/{}/webhooks", self.guild)).await.ok();
        all["webhooks"].as_array().unwrap().iter().find(|hook| hook["id"] == id).unwrap().clone()
    }

    /// As many more that are due in a century.
    async fn copy_deliveries(&self, deployment: &Deployment, count: u64) {
        let id = if deployment.mode() == Mode::Distributed { "gen_random_uuid()" } else { "randomblob(16)" };
        let webhook = self.path.rsplit('/').next().unwrap();
        let sql = format!(
            "INSERT INTO job (job_id, guild_id, kind, class, args, state, max_attempts, run_at, created_at)
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             SELECT {id}, guild_id, kind, class, args, 'queued', max_attempts, '2126-01-01T00:00:00+00:00', created_at
             FROM job, n WHERE kind = 'deliver_webhook' AND CAST(args ->> 'webhook' AS text) = '{webhook}'"
        );
        deployment.execute(&sql).await;
    }

    async fn patch(&self, body: Value) -> Answer {
        self.api.patch(&self.path, body).await
    }
}

async fn an_event_arrives_signed(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes", "moderation.ban"])).await;
    let other = json!({ "staff_id": hook.staff().await, "reason": "late", "severity": 1 });
    hook.api.post(&format!("/guilds/{}/staff/strikes", hook.guild), other).await.ok();
    let first = hook.note("one").await;
    hook.note("two").await;
    let got = hook.receiver.wait_for(2).await;
    let told: Vec<&Value> = got.iter().map(|event| &event.body["type"]).collect();
    assert_eq!(told, ["notes.create", "notes.create"], "and no strike");
    assert_ne!(got[0].id, got[1].id);
    let entries = deployment.audit("notes.create").await;
    let entry = entries.iter().find(|entry| entry["target_id"] == first).unwrap();
    let event = got.iter().find(|event| event.body["data"]["target_id"] == entry["target_id"]).unwrap();
    assert_eq!(event.body["timestamp"], entry["created_at"]);
    for (name, value) in event.body["data"].as_object().unwrap() {
        let expected = if name == "guild_id" { &json!(hook.guild) } else { &entry[name] };
        assert_eq!(value, expected, "{name}");
    }
    let delivery = hook.delivery("succeeded").await;
    assert_eq!((&delivery["status"], &delivery["error"]), (&json!(204), &Value::Null));
    assert_eq!(delivery["event"], "notes.create");
}

async fn a_delivery_is_tried_again_with_the_same_id(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([500]);
    hook.note("again").await;
    let got = hook.receiver.wait_for(2).await;
    assert_eq!((got[0].status, got[1].status), (500, 204));
    assert_eq!((&got[0].id, &got[0].body), (&got[1].id, &got[1].body));
    let delivery = hook.delivery("succeeded").await;
    assert_eq!(delivery["attempts"], 2);
    assert_eq!(hook.shown().await["failures"], 0, "it works again");
}

async fn a_receiver_that_is_gone_ends_the_webhook(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([410]);
    hook.note("gone").await;
    let delivery = hook.delivery("failed").await;
    assert_eq!(delivery["error"]["error"], "receiver_gone");
    assert_eq!(hook.shown().await["state"], "gone");
    let entry = &deployment.audit("webhooks.gone").await[0];
    assert_eq!(
        (entry["actor_id"].as_str(), hook.path.ends_with(entry["target_id"].as_str().unwrap())),
        (Some("0"), true)
    );
    hook.post("/test").await.refused(409, &["switch it on"]);
    hook.patch(json!({ "enabled": true })).await.ok();
    hook.post("/test").await.ok();
    assert_eq!(hook.receiver.wait_for(2).await[1].body["type"], "webhook.test");
}

async fn what_happens_while_it_is_off_is_not_sent(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    assert_eq!(hook.patch(json!({ "enabled": false })).await.ok()["state"], "off");
    hook.note("unheard").await;
    assert_eq!(hook.patch(json!({ "enabled": true })).await.ok()["state"], "on");
    let heard = hook.note("heard").await;
    let got = hook.receiver.wait_for(1).await;
    assert_eq!((got.len(), &got[0].body["data"]["target_id"]), (1, &json!(heard)));
}

async fn a_delivery_is_replayed(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.note("twice").await;
    let first = hook.delivery("succeeded").await;
    let again = hook.post(&format!("/deliveries/{}/replay", first["id"].as_str().unwrap())).await.ok();
    assert_ne!(again["id"], first["id"]);
    let got = hook.receiver.wait_for(2).await;
    assert_eq!((&got[0].id, &got[0].body), (&got[1].id, &got[1].body));
    let entries = hook.deliveries().await;
    assert!(entries.iter().all(|delivery| delivery["entry_id"] == first["entry_id"]), "{entries:?}");
    let nobody = "0190aaaa-0000-7000-8000-00000000beef";
    hook.post(&format!("/deliveries/{nobody}/replay")).await.refused(404, &["delivery"]);
}

async fn a_test_is_sent_whatever_the_webhook_is_for(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["quotas"])).await;
    let job = hook.post("/test").await.ok()["id"].clone();
    let got = hook.receiver.wait_for(1).await;
    assert_eq!(got[0].body["type"], "webhook.test");
    assert_eq!(got[0].body["data"]["guild_id"], hook.guild);
    let delivery = hook.delivery("succeeded").await;
    assert_eq!((&delivery["id"], &delivery["entry_id"]), (&job, &Value::Null));
}

async fn two_secrets_sign_after_a_rotation(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    let new = hook.post("/rotate").await.ok()["secret"].clone();
    hook.note("by the old one").await;
    let got = hook.receiver.wait_for(1).await;
    assert_eq!((got[0].status, got[0].signatures), (204, 2), "the receiver has the old secret yet");
    hook.receiver.trusts(&new);
    hook.note("by the new one").await;
    assert_eq!(hook.receiver.wait_for(2).await[1].status, 204);
    let entry = &deployment.audit("webhooks.rotate").await[0];
    assert!(!entry.to_string().contains(new.as_str().unwrap()), "the audit log shows a secret");
    assert!(!hook.shown().await.to_string().contains("whsec_"), "the list shows a secret");
}

async fn what_a_receiver_says_of_one_event_delays_no_other(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([422]);
    hook.note("not understood").await;
    hook.receiver.wait_for(1).await;
    let understood = hook.note("understood").await;
    let got = hook.receiver.wait_for(2).await;
    assert_eq!(got[1].body["data"]["target_id"], understood, "before the first one again");
    assert_eq!(hook.shown().await["failures"], 0);
}

async fn a_receiver_that_fails_is_left_alone(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([503]);
    hook.note("first").await;
    hook.receiver.wait_for(1).await;
    eventually("the failure is noted", Duration::from_secs(5), async || {
        (hook.shown().await["failures"] == 1).then_some(())
    })
    .await;
    assert!(hook.shown().await["paused_until"].is_string());
    hook.note("second").await;
    let got = hook.receiver.wait_for(3).await;
    assert_eq!(got.iter().map(|event| event.status).collect::<Vec<_>>(), [503, 204, 204]);
    let attempts: Vec<Value> = hook.deliveries().await.iter().map(|one| one["attempts"].clone()).collect();
    assert_eq!(attempts[0], 1, "the second one waited without an attempt");
}

async fn entries_beyond_500_open_deliveries_wait_in_the_log(deployment: &Deployment) {
    let (hook, other) =
        (Hook::new(deployment, json!(["notes"])).await, Hook::new(deployment, json!(["notes"])).await);
    hook.note("to both").await;
    let sent = hook.delivery("succeeded").await["id"].as_str().unwrap().to_owned();
    hook.copy_deliveries(deployment, 500).await;
    let waiting = hook.note("to the other at first").await;
    other.receiver.wait_for(2).await;
    assert_eq!(hook.receiver.received().len(), 1, "500 are open");
    let open = hook.deliveries().await[0]["id"].as_str().unwrap().to_owned();
    assert_ne!(open, sent);
    hook.api.delete(&format!("/jobs/{open}")).await.ok();
    assert_eq!(hook.receiver.wait_for(2).await[1].body["data"]["target_id"], waiting);
}

async fn a_dead_delivery_is_no_entry_of_the_log_that_it_delivers(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([500, 500]);
    hook.note("to nobody").await;
    hook.delivery("retrying").await;
    deployment.execute("UPDATE job SET max_attempts = 2 WHERE kind = 'deliver_webhook'").await;
    hook.delivery("dead").await;
    assert_eq!(deployment.audit("job.failed").await, [] as [Value; 0]);
}

async fn redirects_are_not_followed(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.receiver.answers([302]);
    hook.note("there").await;
    hook.receiver.wait_for(1).await;
    let delivery = hook.delivery("retrying").await;
    assert_eq!(delivery["error"]["message"], "the receiver answered 302");
    assert!(delivery["next_attempt_at"].is_string());
}

async fn entries_of_clients_are_chosen_by_their_own_word(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["custom"])).await;
    hook.note("not a custom entry").await;
    let entry = json!({ "action": "event.won", "target_id": "5", "metadata": { "by": "red" } });
    hook.api.post(&format!("/guilds/{}/audit-logs", hook.guild), entry).await.ok();
    let got = hook.receiver.wait_for(1).await;
    assert_eq!(got[0].body["type"], "event.won");
    assert_eq!(got[0].body["data"]["source"], "custom");
}

async fn only_urls_of_public_hosts_are_taken(deployment: &Deployment) {
    let guild = deployment.guild();
    let (api, path) = (deployment.api().key(&guild.admin_key), format!("/guilds/{}/webhooks", guild.id));
    for url in [
        "https://10.0.0.1/",
        "https://[fd00::1]/",
        "https://169.254.169.254/latest",
        "http://1.1.1.1/",
        "ftp://example.org/",
        "example.org",
        "https://user:pass@example.org/",
        "https://example.org/#x",
    ] {
        let refused = api.post(&path, json!({ "url": url, "events": ["notes"] })).await;
        assert_eq!(refused.refused(422, &["url"]).error(), "url_refused");
    }
    api.post(&path, json!({ "url": " ", "events": ["notes"] })).await.refused(400, &["url"]);
    // Its name leads to a private address, which only the delivery learns.
    let hook = Hook::new(deployment, json!(["notes"])).await;
    hook.patch(json!({ "url": "https://localhost.:1/" })).await.ok();
    hook.post("/test").await.ok();
    let delivery = hook.delivery("retrying").await;
    assert!(delivery["error"].to_string().contains("not reached"), "{delivery}");
}

async fn a_webhook_is_described_exactly(deployment: &Deployment) {
    let hook = Hook::new(deployment, json!(["notes", "notes", "keys.create"])).await;
    assert_eq!(hook.shown().await["events"], json!(["keys.create", "notes"]));
    let path = format!("/guilds/{}/webhooks", hook.guild);
    for events in [json!([]), json!(["sync.member"]), json!(["note"]), json!("notes"), json!([7])] {
        let refused = hook.api.post(&path, json!({ "url": hook.receiver.url(), "events": events })).await;
        assert!([400, 422].contains(&refused.status) && refused.to_string().contains("events"), "{refused}");
    }
    hook.patch(json!({})).await.refused(400, &[]);
    let same = hook.patch(json!({ "events": ["notes", "keys.create"] })).await;
    assert!(same.to_string().contains("nothing to change"), "{same}");
    assert_eq!(hook.patch(json!({ "events": ["*"] })).await.ok()["events"], json!(["*"]));
    let entry = &deployment.audit("webhooks.update").await[0];
    assert_eq!(entry["metadata"]["after"], json!({ "events": ["*"] }));
    hook.patch(json!({ "url": format!("{}?secret=1", hook.receiver.url()) })).await.ok();
    let entry = &deployment.audit("webhooks.update").await[0];
    assert!(
        entry["metadata"]["after"]["url"].is_string() && !entry.to_string().contains("secret"),
        "{entry}"
    );
    let keyless = deployment.api().key(&deployment.guild().game_key);
    keyless.get(&path).await.refused(403, &["admin"]);
}

async fn a_removed_webhook_gets_nothing(deployment: &Deployment) {
    let (hook, other) =
        (Hook::new(deployment, json!(["notes"])).await, Hook::new(deployment, json!(["notes"])).await);
    hook.api.delete(&hook.path).await.ok();
    hook.note("to the other").await;
    other.receiver.wait_for(1).await;
    assert!(hook.receiver.received().is_empty());
    hook.post("/test").await.refused(404, &["webhook"]);
}
