//! The simulator's answers parse as the types of another Discord client, so that they fit more than ours.

use entities::guild::grants::Grants;
use platforms::ChatRole;
use reqwest::Method;
use serde_json::{Value, json};
use simulator::RateLimit;
use twilight_model::channel::Channel;
use twilight_model::guild::{Guild, Member, Permissions, Role};
use twilight_model::oauth::Application;
use twilight_model::user::CurrentUser;

use crate::peer::{GUILD, MEMBER_ROLE, Peer, chat};

async fn get(peer: &Peer, path: &str) -> String {
    let url = format!("{}/api/v10{path}", peer.url);
    peer.http.get(url).header("authorization", "Bot t").send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn objects_parse_as_twilight_types() {
    let peer = Peer::start(3, RateLimit::Discord).await;
    let bot: CurrentUser = serde_json::from_str(&get(&peer, "/users/@me").await).unwrap();
    let roles: Vec<Role> =
        serde_json::from_str(&get(&peer, &format!("/guilds/{GUILD}/roles")).await).unwrap();
    let members = get(&peer, &format!("/guilds/{GUILD}/members?limit=1000")).await;
    let members: Vec<Member> = serde_json::from_str(&members).unwrap();
    assert_eq!((roles.len(), members.len()), (5, 4));
    assert_eq!(members[0].user.id, bot.id);
    let guild: Guild = serde_json::from_str(&get(&peer, &format!("/guilds/{GUILD}")).await).unwrap();
    assert_eq!((guild.name.as_str(), guild.roles.len()), ("G", 5));
    let _: Application = serde_json::from_str(&get(&peer, "/applications/@me").await).unwrap();
    let url = format!("{}/guilds/{GUILD}/channels", peer.url);
    let request =
        peer.http.post(url).header("authorization", "Bot t").json(&json!({ "name": "a b", "type": 0 }));
    let channel: Channel =
        serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(channel.name.as_deref(), Some("a-b"));
}

#[test]
fn administrating_managing_and_acting_on_members_make_a_role_privileged() {
    let privileged = Permissions::ADMINISTRATOR
        | Permissions::MANAGE_GUILD
        | Permissions::MANAGE_ROLES
        | Permissions::MANAGE_CHANNELS
        | Permissions::MANAGE_WEBHOOKS
        | Permissions::MANAGE_GUILD_EXPRESSIONS
        | Permissions::MANAGE_EVENTS
        | Permissions::MANAGE_THREADS
        | Permissions::MANAGE_MESSAGES
        | Permissions::MANAGE_NICKNAMES
        | Permissions::BAN_MEMBERS
        | Permissions::KICK_MEMBERS
        | Permissions::MODERATE_MEMBERS;
    for bit in (0..64).map(|n| 1_u64 << n) {
        let body = json!({ "id": "7", "name": "r", "position": 1, "permissions": bit.to_string() });
        let role: ChatRole = serde_json::from_value(body).unwrap();
        assert_eq!(
            role.check_privileges(&Grants::default()).is_err(),
            privileged.bits() & bit != 0,
            "{bit:#x}"
        );
        assert_eq!(role.check_privileges(&vec![role.id].into()), Ok(()));
    }
}

#[tokio::test]
async fn limits_and_errors_have_the_platforms_format() {
    let peer = Peer::start(1, RateLimit::Discord).await;
    let url = format!("{}/guilds/{GUILD}/members/{}", peer.url, chat(5));
    let get = || peer.http.get(&url).header("authorization", "Bot t").send();
    let missing = get().await.unwrap();
    assert_eq!(missing.headers()["x-ratelimit-limit"], "5");
    assert_eq!(missing.headers()["x-ratelimit-remaining"], "4");
    let number = |name: &str| missing.headers()[name].to_str().unwrap().parse::<f64>().unwrap();
    let reset_after = number("x-ratelimit-reset-after");
    assert!(reset_after > 0.0 && reset_after <= 0.2, "{reset_after}");
    let reset_in = number("x-ratelimit-reset") - std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    assert!(reset_in.abs() < 60.0, "not seconds since 1970: {reset_in}");
    assert_eq!(missing.json::<Value>().await.unwrap(), json!({ "code": 10013, "message": "Unknown User" }));
    let limited = loop {
        let response = get().await.unwrap();
        if response.status() == 429 {
            break response;
        }
    };
    assert_eq!(limited.headers()["x-ratelimit-scope"], "user");
    assert_eq!(limited.headers()["retry-after"], "1");
    let body: Value = limited.json().await.unwrap();
    assert_eq!((&body["global"], body["retry_after"].as_f64().unwrap() <= 1.0), (&json!(false), true));
}

#[tokio::test]
async fn single_roles_and_updates_have_buckets_of_their_own_in_each_guild() {
    let peer = Peer::start(1, RateLimit::Discord).await;
    let member = format!("{}/guilds/{GUILD}/members/{}", peer.url, chat(0));
    let role = format!("{member}/roles/{MEMBER_ROLE}");
    let send = async |method: Method, url: &str| {
        let request = peer.http.request(method, url).header("authorization", "Bot t");
        request.json(&json!({ "nick": "x" })).send().await.unwrap()
    };
    let mut statuses = Vec::new();
    for method in [Method::PUT, Method::DELETE].into_iter().cycle().take(11) {
        statuses.push(send(method, &role).await.status().as_u16());
    }
    assert_eq!(statuses, [&[204; 10][..], &[429]].concat(), "granting and removing share ten");
    let mut update = send(Method::PATCH, &member).await;
    for _ in 0..9 {
        assert_eq!(update.status(), 200);
        update = send(Method::PATCH, &member).await;
    }
    let limited = send(Method::PATCH, &member).await;
    let [granted, updated] = [send(Method::PUT, &role).await, limited];
    assert_eq!((granted.status().as_u16(), updated.status().as_u16()), (429, 429));
    assert_ne!(granted.headers()["x-ratelimit-bucket"], updated.headers()["x-ratelimit-bucket"]);
    // One request is allowed again each second, and all of them after ten.
    assert_eq!(updated.headers()["retry-after"], "1");
    let stats = peer.stats().await;
    assert_eq!((&stats["member_updates"], &stats["rate_limited"]), (&json!(20), &json!(3)), "{stats}");
}
