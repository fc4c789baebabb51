//! What a member has proven is theirs: a guild where they did not agree learns nothing of it (docs/rules.md 11). Everything by
//! which a guild reads is walked: calls of the API, pages, commands, frames of sockets, and what the chat platform shows.

mod calls;
mod commands;
mod frames;
mod pages;

use std::time::Duration;

use serde_json::{Value, json};

use testkit::console::{Console, Page, link_page, prove_by_profile};
use testkit::{Deployment, Guild, Ids, both_modes, eventually};

use crate::chat_commands::typed;
use crate::cross_guild::operations::{Operation, operations};
use frames::Frames;

both_modes!(no_guild_learns_of_a_game_account_before_the_member_agrees);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);
/// What still names the account when its link has ended: the audit log with the history of links that is read from it, and
/// attempts, which are kept for 30 days; and the commands `kick` of a ban during the link, which are kept for an hour.
const KEPT: [&str; 8] = [
    "/audit",
    "/find?q=",
    "/members?q=",
    "/members/",
    "GET /guilds/{guildId}/links/{chatId}",
    "GET /guilds/{guildId}/link-attempts",
    "GET /play/servers/{serverId}/commands",
    "/servers",
];

/// What somebody of the guild reads, and where.
struct View {
    at: String,
    text: String,
}

impl View {
    fn new(at: impl Into<String>, text: impl Into<String>) -> Self {
        Self { at: at.into(), text: text.into() }
    }
}

/// A member who has proven a game account whose id and name occur nowhere else.
struct Person {
    chat: String,
    play: i64,
    name: String,
}

impl Person {
    /// Linked in the other guild, and a member of both.
    async fn proven(deployment: &Deployment) -> Self {
        let (guild, other) = (deployment.guild(), deployment.other_guild());
        let member = &other.members[7];
        let play = 7_000_000_000 + member.play;
        let person = Self { chat: member.chat.clone(), play, name: format!("Quetzal{play}") };
        for group in [guild.group, other.group] {
            let player =
                json!({ "group_id": group, "play_id": play, "ranks": [100], "username": person.name });
            deployment.simulator.change_member(player).await;
        }
        let key = deployment.api().key(&other.admin_key);
        key.delete(&format!("/guilds/{}/links/{}", other.id, person.chat)).await.ok();
        for guild in [guild, other] {
            let settings = json!({ "link_ways": ["profile"], "mirror_bans": false });
            let key = deployment.api().key(&guild.admin_key);
            key.patch(&format!("/guilds/{}/settings", guild.id), settings).await.ok();
        }
        person.prove(deployment, other).await;
        deployment.simulator.join(guild, &person.chat).await;
        person
    }

    async fn prove(&self, deployment: &Deployment, guild: &Guild) {
        let console = Console::of(deployment, guild, &self.chat).await;
        let begin = console.get(&link_page(guild)).await;
        let prove = console.press(&begin, "Use words in my profile", &[]).await;
        let agree = prove_by_profile(deployment, &console, &prove, self.play).await;
        console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    }

    fn is_named(&self, text: &str) -> bool {
        text.contains(&self.name) || text.contains(&self.play.to_string())
    }
}

struct Walk<'d> {
    deployment: &'d Deployment,
    person: &'d Person,
    ids: Ids,
    operations: Vec<Operation>,
}

impl<'d> Walk<'d> {
    async fn of(deployment: &'d Deployment, person: &'d Person) -> Self {
        let ids = Ids::made(deployment, deployment.guild(), 101).await;
        let ids = ids.with("chat", json!(person.chat)).with("banned", json!(person.chat));
        Self { deployment, person, ids, operations: operations(deployment).await }
    }

    /// Where the guild reads the game account.
    async fn named(&self) -> Vec<String> {
        let mut views = self.commands().await;
        views.extend(self.calls().await);
        views.extend(self.pages().await);
        views.into_iter().filter(|view| self.person.is_named(&view.text)).map(|view| view.at).collect()
    }

    /// Panics unless neither account leads to the other one, and the chat platform shows nothing.
    async fn finds_nothing(&self, when: &str) {
        assert_eq!(self.named().await, [""; 0], "{when}");
        let mut asked = self.commands_by_player().await;
        asked.extend(self.calls_by_player().await);
        asked.extend(self.pages_by_player().await);
        let leads: Vec<_> =
            asked.iter().filter(|view| view.text.contains(&self.person.chat)).map(|view| &view.at).collect();
        assert_eq!(leads, [""; 0], "{when}");
        let shown = self.deployment.simulator.member(self.deployment.guild(), &self.person.chat).await;
        assert_eq!((&shown["roles"], &shown["nick"]), (&json!([]), &Value::Null), "{when}");
    }
}

/// The member comes to the question whether to link.
async fn asked(console: &Console, guild: &Guild, person: &Person) -> Page {
    let agree =
        console.press(&console.get(&link_page(guild)).await, &format!("Use {}", person.name), &[]).await;
    agree.shows(200, "Link these accounts");
    agree
}

async fn no_guild_learns_of_a_game_account_before_the_member_agrees(deployment: &Deployment) {
    let guild = deployment.guild();
    let person = &Person::proven(deployment).await;
    let walk = Walk::of(deployment, person).await;
    walk.finds_nothing("before an attempt").await;

    let console = Console::of(deployment, guild, &person.chat).await;
    let mut frames = Frames::open(deployment).await;
    let agree = asked(&console, guild, person).await;
    console.press(&agree, "Cancel", &[]).await.shows(200, "Nothing was linked.");
    typed(deployment, &person.chat, "link", json!({})).await.press(deployment, "Cancel").await;
    let agree = asked(&console, guild, person).await;
    let seen = frames.so_far(deployment).await;
    assert!(!seen.iter().any(|frame| person.is_named(frame)), "{seen:?}");
    walk.finds_nothing("during an attempt").await;
    console.press(&agree, "Cancel", &[]).await;
    walk.finds_nothing("after an attempt").await;

    let agree = asked(&console, guild, person).await;
    console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    has_nick(deployment, person, json!(person.name)).await;
    let named = walk.named().await;
    for at in ["/whois", "GET /lookup/chat/{chatId}", "GET /guilds/{guildId}/links"] {
        assert!(named.iter().any(|named| named == at), "{at} in {named:?}");
    }
    let page = format!("/console/guilds/{}/members/{}", guild.id, person.chat);
    assert!(named.contains(&page), "{page} in {named:?}");

    console.press(&console.get(&link_page(guild)).await, "Unlink", &[]).await;
    has_nick(deployment, person, Value::Null).await;
    let mut left = walk.named().await;
    left.retain(|at| !KEPT.iter().any(|kept| at.contains(kept)));
    assert_eq!(left, [""; 0], "after the link");
}

async fn has_nick(deployment: &Deployment, person: &Person, nick: Value) {
    eventually("the nickname follows", WITHIN, async || {
        let shown = deployment.simulator.member(deployment.guild(), &person.chat).await;
        (shown["nick"] == nick).then_some(())
    })
    .await;
}
