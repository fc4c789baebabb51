//! What gets in at `POST /chat/interactions`: only what the chat platform signed, lately, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::stream::{self, StreamExt};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};
use testkit::{Deployment, both_modes, http_client, in_turn};

both_modes!(only_what_the_platform_signed_is_answered);

in_turn!(
    ten_thousand_mutated_interactions_are_refused(own),
    what_is_signed_but_no_interaction_is_a_bad_request
);

/// The simulator's, as `guildhall simulate` documents its public half.
const SEED: &[u8; 32] = b"guildhall simulator: chat key 01";
const MUTATIONS: usize = 10_000;
const AT_ONCE: usize = 256;

fn sign(timestamp: &str, body: &[u8]) -> String {
    let pair = Ed25519KeyPair::from_seed_unchecked(SEED).unwrap();
    hex::encode(pair.sign(&[timestamp.as_bytes(), body].concat()))
}

fn now() -> String {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().to_string()
}

async fn send(base: &str, timestamp: &str, signature: &str, body: Vec<u8>) -> (u16, Value) {
    let request = http_client()
        .post(format!("{base}/chat/interactions"))
        .header("X-Signature-Ed25519", signature)
        .header("X-Signature-Timestamp", timestamp)
        .body(body);
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// One that this person made in the guild, as an admin of it; each has a number of its own.
pub(super) fn interaction(deployment: &Deployment, user: &str, kind: u8, data: Value) -> Value {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let number = u64::try_from(since).unwrap() + NUMBERS.fetch_add(1, Ordering::Relaxed);
    let user = json!({ "id": user, "username": "u", "global_name": null });
    json!({ "id": number.to_string(), "application_id": "900000000000000001", "type": kind, "token": "none", "version": 1,
            "guild_id": deployment.guild().id, "member": { "user": user, "permissions": "8", "roles": [] }, "data": data })
}

/// As the platform sends it.
pub(super) async fn send_signed(deployment: &Deployment, body: Vec<u8>) -> (u16, Value) {
    let timestamp = now();
    send(&deployment.api_base(0), &timestamp, &sign(&timestamp, &body), body).await
}

/// A command that would change something.
fn ban(deployment: &Deployment) -> Vec<u8> {
    let guild = deployment.guild();
    let target = &guild.members[9].chat;
    let options = json!([{ "name": "member", "type": 6, "value": target },
                         { "name": "reason", "type": 3, "value": "forged" }]);
    let resolved = json!({ "users": { target: { "id": target, "username": "u" } } });
    let data = json!({ "id": "1", "name": "ban", "options": options, "resolved": resolved });
    interaction(deployment, &guild.members[0].chat, 2, data).to_string().into_bytes()
}

async fn bans(deployment: &Deployment) -> usize {
    deployment.audit("moderation.ban").await.len()
}

async fn only_what_the_platform_signed_is_answered(deployment: &Deployment) {
    let guild = deployment.guild();
    let owner = &guild.members[0].chat;
    for flaw in ["wrong_signature", "no_signature", "old_timestamp", "changed_body", "other_key"] {
        let options = json!({ "member": guild.members[8].chat, "reason": "forged" });
        let form = json!({ "guild_id": guild.id, "user_id": owner, "command": "ban", "options": options, "flaw": flaw });
        let report = deployment.simulator.send_interaction(form).await;
        assert_eq!(report["status"], 401, "{flaw}: {report}");
    }
    assert_eq!(bans(deployment).await, 0);
    let base = deployment.api_base(0);
    let (timestamp, body) = (now(), ban(deployment));
    let signature = sign(&timestamp, &body);
    let (status, answer) = send(&base, &timestamp, &signature, body.clone()).await;
    assert_eq!((status, &answer["type"]), (200, &json!(4)), "{answer}");
    assert_eq!(bans(deployment).await, 1);
    // The same call again, and the same interaction signed anew.
    let (status, answer) = send(&base, &timestamp, &signature, body.clone()).await;
    assert_eq!((status, &answer["error"]), (401, &json!("replayed")), "{answer}");
    let later = (timestamp.parse::<i64>().unwrap() + 1).to_string();
    assert_eq!(send(&base, &later, &sign(&later, &body), body).await.0, 401);
    assert_eq!(bans(deployment).await, 1);
}

/// What one mutation changes.
#[derive(Debug, Clone)]
enum Mutation {
    Body(usize, u8),
    Cut(usize),
    Signature(usize, u8),
    SignatureText(String),
    Timestamp(String),
    /// Seconds between the signed and the sent time.
    Shift(i64),
}

fn mutations() -> Vec<Mutation> {
    let one = prop_oneof![
        (any::<usize>(), 1..=u8::MAX).prop_map(|(at, flip)| Mutation::Body(at, flip)),
        any::<usize>().prop_map(Mutation::Cut),
        (any::<usize>(), 1..16_u8).prop_map(|(at, flip)| Mutation::Signature(at, flip)),
        "[0-9a-fA-F]{0,140}".prop_map(Mutation::SignatureText),
        "[0-9]{0,12}|[ -~]{1,20}".prop_map(Mutation::Timestamp),
        prop_oneof![1..10_000_i64, -10_000..0_i64].prop_map(Mutation::Shift),
    ];
    let mut runner = TestRunner::new(Config::default());
    (0..MUTATIONS).map(|_| one.new_tree(&mut runner).unwrap().current()).collect()
}

/// `None`: the mutation changed nothing.
fn mutated(mutation: &Mutation, body: &[u8]) -> Option<(String, String, Vec<u8>)> {
    let timestamp = now();
    let whole = (timestamp.clone(), sign(&timestamp, body), body.to_vec());
    let mut sent = whole.clone();
    match mutation {
        Mutation::Body(at, flip) => {
            let place = at % body.len();
            sent.2[place] ^= flip;
        }
        Mutation::Cut(at) => sent.2.truncate(at % body.len()),
        Mutation::Signature(at, flip) => {
            let place = at % whole.1.len();
            let digit = u8::from_str_radix(&whole.1[place..=place], 16).unwrap() ^ flip;
            sent.1.replace_range(place..=place, &format!("{digit:x}"));
        }
        Mutation::SignatureText(text) => sent.1.clone_from(text),
        Mutation::Timestamp(text) => text.trim().clone_into(&mut sent.0),
        Mutation::Shift(by) => sent.0 = (timestamp.parse::<i64>().unwrap() + by).to_string(),
    }
    (sent != whole).then_some(sent)
}

async fn ten_thousand_mutated_interactions_are_refused(deployment: &Deployment) {
    let (base, body) = (Arc::new(deployment.api_base(0)), ban(deployment));
    let sent: Vec<_> =
        mutations().into_iter().filter_map(|mutation| Some((mutated(&mutation, &body)?, mutation))).collect();
    assert!(sent.len() > MUTATIONS * 9 / 10);
    let answers = stream::iter(sent).map(|((timestamp, signature, body), mutation)| {
        let base = base.clone();
        async move { (send(&base, &timestamp, &signature, body).await.0, mutation) }
    });
    let accepted: Vec<_> = answers
        .buffer_unordered(AT_ONCE)
        .filter(|(status, _)| std::future::ready(*status != 401))
        .collect()
        .await;
    assert!(accepted.is_empty(), "{accepted:?}");
    assert_eq!(bans(deployment).await, 0);
}

async fn what_is_signed_but_no_interaction_is_a_bad_request(deployment: &Deployment) {
    let base = deployment.api_base(0);
    for body in [&b""[..], b"{}", b"[]", b"{\"type\":1}", b"not json", b"{\"id\":\"x\",\"type\":1}"] {
        let timestamp = now();
        let (status, answer) = send(&base, &timestamp, &sign(&timestamp, body), body.to_vec()).await;
        assert_eq!((status, &answer["error"]), (400, &json!("invalid_interaction")), "{answer}");
    }
    let ping =
        json!({ "id": "5", "application_id": "900000000000000001", "type": 1, "token": "t", "version": 1 });
    let (body, timestamp) = (ping.to_string().into_bytes(), now());
    let (status, answer) = send(&base, &timestamp, &sign(&timestamp, &body), body).await;
    assert_eq!((status, answer), (200, json!({ "type": 1 })));
    let get = http_client().get(format!("{base}/chat/interactions")).send().await.unwrap();
    assert_eq!((get.status().as_u16(), get.headers()["allow"].to_str().unwrap()), (405, "POST"));
    let large = vec![b'x'; 300_000];
    let timestamp = now();
    assert_eq!(send(&base, &timestamp, &sign(&timestamp, &large), large).await.0, 413);
}
