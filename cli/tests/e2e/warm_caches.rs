//! Whatever an API process keeps in memory is used, changed by another process or by a command, and used again: every
//! process answers by the change.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};
use testkit::{Api, Deployment, both_modes, eventually};

use testkit::go_on_duty;

both_modes!(whatever_is_in_memory_follows_every_change(|setup| setup.processes(2)));

/// The rule is a second; the rest is for a busy machine.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(10);
const SERVER: &str = "warm-1";
/// An account without a link.
const STRANGER: i64 = 555_777;
/// The member of these cases is a moderator.
const MEMBER: usize = 2;

/// Something that is kept in memory: a question with two answers, and changes of which each turns the answer around.
struct Kept {
    name: &'static str,
    /// What the question is about: an id, or the text of a key.
    subject: String,
    ask: for<'a> fn(&'a Deployment, Api, &'a str) -> BoxFuture<'a, bool>,
    changes: Vec<Change>,
}

enum Change {
    /// A call of the API: method, path, body.
    Call(&'static str, String, Value),
    Command(Vec<String>),
    /// A command with its standard input.
    Import(Vec<String>, String),
}

use Change::{Call, Command, Import};

impl Change {
    async fn perform(&self, deployment: &Deployment, api: Api) {
        match self {
            Call(method, path, body) => {
                let body = (!body.is_null()).then(|| body.clone());
                api.send(method.parse().unwrap(), path, body).await.ok();
            }
            Command(args) => {
                deployment.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).await.succeeded();
            }
            Import(args, input) => {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                deployment.command_with_input(&args, input).await.succeeded();
            }
        }
    }
}

fn command(words: &str) -> Change {
    Command(words.split(' ').map(str::to_owned).collect())
}

async fn whatever_is_in_memory_follows_every_change(deployment: &Deployment) {
    let apis: Vec<Api> = {
        let count = deployment.roles().apis.len();
        (0..count).map(|number| deployment.api_number(number)).collect()
    };
    for kept in all(deployment).await {
        let mut turn = 0;
        let mut known = (kept.ask)(deployment, apis[0].clone(), &kept.subject).await;
        for (number, change) in kept.changes.iter().enumerate() {
            // Twice, because the second answer comes from memory.
            for api in apis.iter().chain(&apis) {
                let answer = (kept.ask)(deployment, api.clone(), &kept.subject).await;
                assert_eq!(answer, known, "{} before change {number}", kept.name);
            }
            turn += 1;
            change.perform(deployment, apis[turn % apis.len()].clone()).await;
            known = !known;
            for api in &apis {
                let what = format!("{} follows change {number}", kept.name);
                eventually(&what, FOLLOWS_WITHIN, async || {
                    ((kept.ask)(deployment, api.clone(), &kept.subject).await == known).then_some(())
                })
                .await;
            }
        }
    }
}

async fn all(deployment: &Deployment) -> Vec<Kept> {
    let mut all = keys(deployment).await;
    all.extend(sanctions(deployment));
    all.extend(links(deployment));
    all.extend(staff(deployment));
    all.extend(games(deployment).await);
    all
}

/// A key ends by a call or a command; its text does too when it is replaced at once.
async fn keys(deployment: &Deployment) -> Vec<Kept> {
    let keys = format!("/guilds/{}/keys", deployment.guild().id);
    let mut all = Vec::new();
    type End = fn(&str, &str) -> Change;
    let ends: [(&str, End); 4] = [
        ("a key that a call revokes", |keys, id| Call("DELETE", format!("{keys}/{id}"), Value::Null)),
        ("a key that a command revokes", |_, id| command(&format!("keys revoke {id}"))),
        ("a key that a call replaces", |keys, id| {
            Call("POST", format!("{keys}/{id}/rotate"), json!({ "overlap_seconds": 0 }))
        }),
        ("a key that a command replaces", |_, id| command(&format!("keys rotate {id} --overlap 1s"))),
    ];
    for (name, end) in ends {
        let text = deployment.new_key("read").await;
        let changes = vec![end(&keys, &text[3..11])];
        all.push(Kept { name, subject: text, ask: key_opens, changes });
    }
    all
}

fn key_opens<'a>(_: &'a Deployment, api: Api, text: &'a str) -> BoxFuture<'a, bool> {
    async move {
        let answer = api.key(text).get("/bindings/list").await;
        assert!([200, 401].contains(&answer.status), "{answer:?}");
        answer.status == 200
    }
    .boxed()
}

fn sanctions(deployment: &Deployment) -> Vec<Kept> {
    let guild = deployment.guild();
    let (chat, play) = (&guild.members[MEMBER].chat, guild.members[MEMBER].play.to_string());
    let change = |verb: &str, identifier: &str| {
        let moderator = &guild.members[0].chat;
        let body =
            json!({ "identifier": identifier, "reason": "warm", "moderator_id": moderator, "kick": false });
        Call("POST", format!("/moderation/{}/play/{verb}", guild.id), body)
    };
    let both = |verb: &str, undo: &str| {
        vec![change(verb, &play), change(undo, chat), change(verb, chat), change(undo, &play)]
    };
    let stranger = STRANGER.to_string();
    let alone = || vec![change("ban", &stranger), change("unban", &stranger)];
    vec![
        Kept { name: "a ban", subject: play.clone(), ask: is_banned, changes: both("ban", "unban") },
        Kept {
            name: "a ban by the other account",
            subject: chat.clone(),
            ask: is_banned,
            changes: both("ban", "unban"),
        },
        Kept { name: "a mute", subject: play.clone(), ask: is_muted, changes: both("mute", "unmute") },
        Kept { name: "a ban without a link", subject: stranger.clone(), ask: is_banned, changes: alone() },
        Kept { name: "the list of bans", subject: stranger.clone(), ask: is_listed, changes: alone() },
    ]
}

fn is_banned<'a>(deployment: &'a Deployment, api: Api, identifier: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/moderation/{}/ban-status/{identifier}", deployment.guild().id);
    async move { api.get(&path).await.ok()["banned"] == true }.boxed()
}

fn is_muted<'a>(deployment: &'a Deployment, api: Api, identifier: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/moderation/{}/mute-status/{identifier}", deployment.guild().id);
    async move { api.get(&path).await.ok()["muted"] == true }.boxed()
}

fn is_listed<'a>(deployment: &'a Deployment, api: Api, identifier: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/moderation/{}/play/bans/active", deployment.guild().id);
    async move {
        let bans = api.get(&path).await.ok()["bans"].clone();
        bans.as_array().unwrap().iter().any(|ban| ban["identifier"] == identifier)
    }
    .boxed()
}

/// What depends on a link follows when it goes and when it comes back.
fn links(deployment: &Deployment) -> Vec<Kept> {
    let guild = deployment.guild();
    let member = &guild.members[MEMBER];
    let (chat, play) = (member.chat.clone(), member.play.to_string());
    let changes = || {
        let csv = format!("chat_id,play_id,play_username\n{chat},{play},{}\n", member.name);
        let import = format!("links import - --guild {}", guild.id);
        vec![
            command(&format!("links remove --guild {} --chat {chat}", guild.id)),
            Import(import.split(' ').map(str::to_owned).collect(), csv),
        ]
    };
    let kept = |name, subject: &str, ask| Kept { name, subject: subject.to_owned(), ask, changes: changes() };
    vec![
        kept("a link by the chat account", &chat, linked_chat),
        kept("a link by the game account", &play, linked_play),
        kept("the list of members", &play, is_member),
        kept("staff by the game account", &play, is_staff),
    ]
}

fn linked_chat<'a>(_: &'a Deployment, api: Api, chat: &'a str) -> BoxFuture<'a, bool> {
    async move { api.get(&format!("/lookup/chat/{chat}")).await.status == 200 }.boxed()
}

fn linked_play<'a>(_: &'a Deployment, api: Api, play: &'a str) -> BoxFuture<'a, bool> {
    async move { api.get(&format!("/lookup/play/{play}")).await.status == 200 }.boxed()
}

fn is_member<'a>(deployment: &'a Deployment, api: Api, play: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/guilds/{}/members", deployment.guild().id);
    let play: i64 = play.parse().unwrap();
    async move {
        let members = api.get(&path).await.ok()["members"].clone();
        members.as_array().unwrap().iter().any(|member| member["play_id"] == play)
    }
    .boxed()
}

fn is_staff<'a>(_: &'a Deployment, api: Api, play: &'a str) -> BoxFuture<'a, bool> {
    let play: i64 = play.parse().unwrap();
    async move { api.post("/staff/play/verify", json!({ "play_id": play })).await.ok()["is_staff"] == true }
        .boxed()
}

fn may_teleport<'a>(deployment: &'a Deployment, api: Api, play: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/guilds/{}/staff/play/{play}/permissions", deployment.guild().id);
    async move { api.get(&path).await.ok()["permissions"].as_array().unwrap().contains(&json!("teleport")) }
        .boxed()
}

fn staff(deployment: &Deployment) -> Vec<Kept> {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[MEMBER]);
    let (chat, play) = (&member.chat, member.play.to_string());
    let role = &guild.roles[3];
    let path = format!("/guilds/{}/staff/members/{chat}", guild.id);
    let membership = vec![
        Call("DELETE", path.clone(), Value::Null),
        Call("PUT", path, json!({ "role_id": role })),
        command(&format!("staff members remove --guild {} {chat}", guild.id)),
        command(&format!("staff members set --guild {} {chat} --role {role}", guild.id)),
    ];
    let role_path = format!("/guilds/{}/staff/roles/{role}", guild.id);
    let permissions = vec![
        Call("PUT", role_path, json!({ "play_permissions": ["kick", "teleport"] })),
        command(&format!("staff roles set --guild {} {role} --play-permissions kick,warn", guild.id)),
    ];
    let kept = |name, ask, changes| Kept { name, subject: play.clone(), ask, changes };
    vec![
        kept("a staff member", is_staff, membership),
        kept("what a staff role may do", may_teleport, permissions),
    ]
}

async fn games(deployment: &Deployment) -> Vec<Kept> {
    let (api, guild) = (deployment.api(), deployment.guild());
    let beat = json!({ "server_id": SERVER, "place_id": 71, "universe_id": 72, "player_count": 1 });
    api.post("/play/servers/heartbeat", beat).await.ok();
    let session = go_on_duty(&api, &guild.members[3]).await;
    let player = guild.members[9].play;
    let end = json!({ "session_id": session });
    let kick = json!({ "type": "kick", "target_id": STRANGER.to_string() });
    let flag = json!({ "users": [{ "play_id": player, "reason": "warm" }] });
    let flags = vec![
        Call("POST", "/shield/import".to_owned(), flag),
        command(&format!("shield lift {player} --reason warm")),
        command(&format!(
            "shield flag {player} --reason warm --by {} --guild {}",
            guild.members[0].chat, guild.id
        )),
        command(&format!("shield lift {player} --reason warm")),
    ];
    let queue = format!("/play/servers/{SERVER}/commands");
    vec![
        Kept { name: "a flag", subject: player.to_string(), ask: is_flagged, changes: flags },
        Kept {
            name: "a staff session",
            subject: session,
            ask: is_on_duty,
            changes: vec![Call("POST", "/staff/play/session/end".to_owned(), end)],
        },
        Kept {
            name: "the commands of a server",
            subject: SERVER.to_owned(),
            ask: has_commands,
            changes: vec![Call("POST", queue, kick)],
        },
    ]
}

fn is_flagged<'a>(_: &'a Deployment, api: Api, play: &'a str) -> BoxFuture<'a, bool> {
    async move { api.get(&format!("/shield/check/{play}")).await.ok()["flagged"] == true }.boxed()
}

fn is_on_duty<'a>(_: &'a Deployment, api: Api, session: &'a str) -> BoxFuture<'a, bool> {
    let body = json!({ "session_id": session });
    async move { api.post("/staff/play/heartbeat", body).await.ok()["alive"] == true }.boxed()
}

fn has_commands<'a>(_: &'a Deployment, api: Api, server: &'a str) -> BoxFuture<'a, bool> {
    let path = format!("/play/servers/{server}/commands");
    async move { !api.get(&path).await.ok()["commands"].as_array().unwrap().is_empty() }.boxed()
}
