//! /guilds/:guildId/log-channels: news of the audit log in channels of the chat platform (docs/rules.md 15).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Answer, Deployment, JobState, both_modes, eventually, in_turn};

use crate::moderation::Moderating;

both_modes!(
    a_ban_is_posted_as_a_sentence,
    news_are_posted_where_they_belong,
    a_channel_that_refuses_is_switched_off_and_on_again(own),
    what_happens_while_it_is_off_is_not_posted
);
in_turn!(
    a_hundred_news_are_ten_messages_two_seconds_apart,
    only_channels_of_the_guild_are_taken,
    a_log_channel_is_described_exactly,
    a_removed_channel_gets_nothing
);

const SEND: &str = "POST /channels/:channel/messages";
/// News come within seconds, unless the machine is busy.
const WITHIN: Duration = Duration::from_secs(30);

fn path(deployment: &Deployment, channel: &str) -> String {
    format!("/guilds/{}/log-channels/{channel}", deployment.guild().id)
}

async fn put(deployment: &Deployment, channel: &str, body: Value) -> Answer {
    let api = deployment.api().key(&deployment.guild().admin_key);
    api.send(Method::PUT, &path(deployment, channel), Some(body)).await
}

/// Has these news posted in the guild's first channel, which has the guild's id.
async fn set(deployment: &Deployment, news: Value) -> String {
    let channel = deployment.guild().id.clone();
    put(deployment, &channel, json!({ "news": news })).await.ok();
    channel
}

async fn shown(deployment: &Deployment) -> Vec<Value> {
    let api = deployment.api().key(&deployment.guild().admin_key);
    let listed = api.get(&format!("/guilds/{}/log-channels", deployment.guild().id)).await.ok();
    listed["channels"].as_array().unwrap().clone()
}

fn texts(messages: &[Value]) -> Vec<String> {
    let embeds = messages.iter().flat_map(|message| message["embeds"].as_array().unwrap());
    embeds.map(|embed| embed["description"].as_str().unwrap().to_owned()).collect()
}

/// What is posted, once it is so much.
async fn posted(deployment: &Deployment, channel: &str, news: usize) -> Vec<String> {
    eventually(&format!("{news} news"), WITHIN, async || {
        let texts = texts(&deployment.simulator.messages_in(channel).await);
        (texts.len() >= news).then_some(texts)
    })
    .await
}

async fn a_ban_is_posted_as_a_sentence(deployment: &Deployment) {
    let channel = set(deployment, json!(["moderation"])).await;
    let (by, member) = (&deployment.guild().members[0], &deployment.guild().members[7]);
    let more = json!({ "moderator_id": by.chat, "reason": "exploiting, @everyone" });
    deployment.ban(&member.chat, more).await;
    let texts = posted(deployment, &channel, 1).await;
    let plain = |name: &str| name.replace('_', "\\_");
    let expected = format!("**{}** banned **{}**", plain(&by.name), plain(&member.name));
    assert!(texts[0].starts_with(&expected), "{texts:?}");
    assert!(texts[0].contains(r"exploiting, \@everyone"), "{texts:?}");
    let message = &deployment.simulator.messages_in(&channel).await[0];
    assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
    let jobs = deployment.all_jobs_ended("post_news", WITHIN).await;
    assert!(jobs.iter().all(|job| job.state == JobState::Succeeded), "{jobs:?}");
}

async fn news_are_posted_where_they_belong(deployment: &Deployment) {
    let channel = set(deployment, json!(["staff", "failures"])).await;
    deployment.ban("555", json!({})).await;
    let api = deployment.api().key(&deployment.guild().admin_key);
    let settings = format!("/guilds/{}/settings", deployment.guild().id);
    api.patch(&settings, json!({ "strike_days": 12 })).await.ok();
    // Clients do not make news.
    let entry = json!({ "action": "moderation.ban", "target_id": "5" });
    api.post(&format!("/guilds/{}/audit-logs", deployment.guild().id), entry).await.ok();
    api.patch(&settings, json!({ "strike_days": 13 })).await.ok();
    let texts = posted(deployment, &channel, 3).await;
    assert!(texts[0].contains("set which news"), "its own entry: {texts:?}");
    assert!(
        texts[1..].iter().all(|text| text.contains("changed the settings")) && texts.len() == 3,
        "{texts:?}"
    );
}

async fn a_channel_that_refuses_is_switched_off_and_on_again(deployment: &Deployment) {
    let channel = set(deployment, json!(["moderation"])).await;
    deployment.fault(json!({ "route": SEND, "status": 403, "code": 50_013, "count": 1 })).await;
    deployment.ban("555", json!({})).await;
    eventually("the channel is switched off", WITHIN, async || {
        (shown(deployment).await[0]["state"] == "refused").then_some(())
    })
    .await;
    let entries = deployment.audit("log_channels.refused").await;
    assert_eq!((entries.len(), &entries[0]["target_id"]), (1, &json!(channel)));
    deployment.ban("556", json!({})).await;
    set(deployment, json!(["moderation"])).await;
    assert_eq!(shown(deployment).await[0]["state"], "on");
    deployment.ban("557", json!({})).await;
    let texts = posted(deployment, &channel, 1).await;
    assert!(texts.len() == 1 && texts[0].contains("557"), "only what came after: {texts:?}");
}

async fn what_happens_while_it_is_off_is_not_posted(deployment: &Deployment) {
    let channel = set(deployment, json!(["moderation"])).await;
    let off = put(deployment, &channel, json!({ "news": ["moderation"], "enabled": false })).await.ok();
    assert_eq!(off["state"], "off");
    deployment.ban("555", json!({})).await;
    set(deployment, json!(["moderation"])).await;
    deployment.ban("556", json!({})).await;
    let texts = posted(deployment, &channel, 1).await;
    assert!(texts.len() == 1 && texts[0].contains("556"), "{texts:?}");
}

async fn a_hundred_news_are_ten_messages_two_seconds_apart(deployment: &Deployment) {
    let guild = deployment.guild();
    let channel = set(deployment, json!(["moderation"])).await;
    let jobs = async |word| deployment.command(&["jobs", word, "--guild", &guild.id]).await.succeeded();
    jobs("pause").await;
    for key in 0..2 {
        // A key writes 50 a minute.
        let api = deployment.api().key(&deployment.new_key("moderation").await);
        for number in 0..50 {
            let player = (100_000 + key * 50 + number).to_string();
            let ban = json!({ "identifier": player, "reason": "raid", "moderator_id": "0", "kick": false });
            api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
        }
    }
    jobs("resume").await;
    let texts = posted(deployment, &channel, 100).await;
    for (number, text) in texts.iter().enumerate() {
        assert!(text.contains(&(100_000 + number).to_string()), "{number}: {text}");
    }
    let messages = deployment.simulator.messages_in(&channel).await;
    assert_eq!(messages.len(), 10);
    // The id of a message has its time, in milliseconds.
    let times: Vec<u64> = messages
        .iter()
        .map(|one| one["message_id"].as_str().unwrap().parse::<u64>().unwrap() >> 22)
        .collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 2_000), "{times:?}");
}

async fn only_channels_of_the_guild_are_taken(deployment: &Deployment) {
    let news = json!({ "news": ["links"] });
    for channel in [&deployment.other_guild().id, "7000000000000000123"] {
        let refused = put(deployment, channel, news.clone()).await.refused(422, &["channel_id"]);
        assert_eq!(refused.error(), "channel_refused");
    }
    put(deployment, "x", news.clone()).await.refused(400, &["channelId"]);
    deployment.fault(json!({ "route": "GET /guilds/:guild/channels", "status": 503, "count": 9 })).await;
    put(deployment, &deployment.guild().id, news).await.refused(503, &[]);
    deployment.clear_faults().await;
    assert_eq!(shown(deployment).await, Vec::<Value>::new());
}

async fn a_log_channel_is_described_exactly(deployment: &Deployment) {
    let channel = deployment.guild().id.clone();
    for news in [json!([]), json!(["bans"]), json!("links"), json!([7])] {
        let refused = put(deployment, &channel, json!({ "news": news })).await;
        assert!([400, 422].contains(&refused.status) && refused.to_string().contains("news"), "{refused}");
    }
    put(deployment, &channel, json!({})).await.refused(400, &["news"]);
    let made = put(deployment, &channel, json!({ "news": ["links", "sync", "links"] })).await.ok();
    assert_eq!((&made["news"], &made["state"]), (&json!(["links", "sync"]), &json!("on")));
    assert_eq!(shown(deployment).await, [made]);
    let same = put(deployment, &channel, json!({ "news": ["sync", "links"] })).await;
    assert!(same.to_string().contains("nothing to change"), "{same}");
    put(deployment, &channel, json!({ "news": ["tickets"] })).await.ok();
    let entries = deployment.audit("log_channels.put").await;
    assert_eq!((entries.len(), &entries[0]["metadata"]["after"]["news"]), (2, &json!(["tickets"])));
    let other = deployment.api().key(&deployment.other_guild().admin_key);
    other.delete(&path(deployment, &channel)).await.refused(403, &[]);
    let keyless = deployment.api().key(&deployment.guild().game_key);
    keyless
        .send(Method::PUT, &path(deployment, &channel), Some(json!({ "news": ["links"] })))
        .await
        .refused(403, &["admin"]);
}

async fn a_removed_channel_gets_nothing(deployment: &Deployment) {
    let channel = set(deployment, json!(["moderation"])).await;
    deployment.ban("555", json!({})).await;
    posted(deployment, &channel, 1).await;
    let api = deployment.api().key(&deployment.guild().admin_key);
    api.delete(&path(deployment, &channel)).await.ok();
    api.delete(&path(deployment, &channel)).await.refused(404, &["log channel"]);
    deployment.ban("556", json!({})).await;
    set(deployment, json!(["moderation"])).await;
    deployment.ban("557", json!({})).await;
    let texts = posted(deployment, &channel, 2).await;
    assert!(texts[1].contains("557"), "{texts:?}");
}
