//! Each way by which a member is linked, from the beginning to the end, and from where it was cut.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};
use testkit::console::{Console, connect_accounts, go_away, link, link_page, prove_by_profile};
use testkit::{Api, Deployment, Member};

use super::kills::STAFF;
use crate::chat_commands::linking::proven;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Code,
    Profile,
    Connection,
    SignIn,
    Staff,
    Import,
    Command,
}

pub(super) const WAYS: [Way; 7] =
    [Way::Code, Way::Profile, Way::Connection, Way::SignIn, Way::Staff, Way::Import, Way::Command];

const AGREE: &str = "Link these accounts";
/// Members for each key: links count against a limit of the key.
const MEMBERS_PER_KEY: usize = 15;

pub(super) struct Linker<'d> {
    pub(super) deployment: &'d Deployment,
    keys: Vec<String>,
    /// The last code of each member.
    codes: RefCell<HashMap<String, Value>>,
}

impl<'d> Linker<'d> {
    pub(super) async fn of(deployment: &'d Deployment, links: usize) -> Self {
        let mut keys = Vec::new();
        for _ in 0..links.div_ceil(MEMBERS_PER_KEY) {
            keys.push(deployment.new_key("read,play,links").await);
        }
        Self { deployment, keys, codes: RefCell::default() }
    }

    /// From the beginning. Panics if a step fails.
    pub(super) async fn link(&self, way: Way, member: &Member) {
        let guild = self.deployment.guild();
        match way {
            Way::Code => {
                let at = format!("/guilds/{}/link-attempts", guild.id);
                let begun = self.api(member).post(&at, json!({ "chat_id": member.chat })).await.ok();
                self.codes.borrow_mut().insert(member.chat.clone(), begun["code"].clone());
                self.type_code(&begun["code"], member).await;
            }
            Way::Profile => {
                let console = self.console(&member.chat).await;
                let begin = console.get(&link_page(guild)).await;
                // An attempt that was cut shows its words.
                let prove = if begin.has("#profile") {
                    begin
                } else {
                    console.press(&begin, "Use words in my profile", &[]).await
                };
                let agree = prove_by_profile(self.deployment, &console, &prove, member.play).await;
                console.press(&agree, AGREE, &[]).await;
            }
            Way::Connection => {
                connect_accounts(self.deployment, &member.chat, member).await;
                self.come_back(member, "Use the account connected to Discord", &member.chat).await;
            }
            Way::SignIn => self.come_back(member, "Sign in with Roblox", &member.play.to_string()).await,
            Way::Staff => self.by_staff(member).await,
            Way::Import => {
                let line = json!({ "lines": [{ "chat_id": member.chat, "play_id": member.play }] });
                self.api(member).post(&format!("/guilds/{}/links/import", guild.id), line).await.ok();
            }
            Way::Command => {
                let asked = proven(self.deployment, guild, member).await;
                asked.press(self.deployment, AGREE).await.says(&["Linked with"]);
            }
        }
    }

    /// Ends what was cut; begins anew where nothing is left of it.
    pub(super) async fn go_on(&self, way: Way, member: &Member) {
        let code = self.codes.borrow().get(&member.chat).cloned();
        if let Some(code) = code.filter(|_| way == Way::Code) {
            let typed = self.api(member).post("/links/confirm", typed(&code, member)).await;
            // In a long run its attempt may have ended by itself.
            if typed.status == 200 {
                return self.type_code(&code, member).await;
            }
            assert_eq!((typed.status, typed.error()), (404, "wrong_code"), "{typed}");
        }
        let is_by_member = matches!(way, Way::Profile | Way::Connection | Way::SignIn | Way::Command);
        if is_by_member {
            let console = self.console(&member.chat).await;
            let page = console.get(&link_page(self.deployment.guild())).await;
            if page.forms().iter().any(|form| form.button(AGREE).is_some()) {
                console.press(&page, AGREE, &[]).await;
                return;
            }
        }
        self.link(way, member).await;
    }

    /// The player types the code, is asked, and agrees.
    async fn type_code(&self, code: &Value, member: &Member) {
        let mut typed = typed(code, member);
        self.api(member).post("/links/confirm", typed.clone()).await.ok();
        typed["confirm"] = json!(true);
        self.api(member).post("/links/confirm", typed).await.ok();
    }

    /// Goes to a platform, decides there as this user, and agrees.
    async fn come_back(&self, member: &Member, way: &str, user: &str) {
        let console = self.console(&member.chat).await;
        let decision = format!("user_id={user}&decision=authorize");
        let back = go_away(&console, self.deployment.guild(), way, &decision).await;
        let returned = console.get(&back).await;
        assert_eq!(returned.status, 303, "{}: {}", returned.what, returned.text());
        let agree = console.get(returned.location()).await;
        console.press(&agree, AGREE, &[]).await;
    }

    async fn by_staff(&self, member: &Member) {
        let guild = self.deployment.guild();
        // Links count against a limit of the person.
        let staff = &guild.members[number(&member.chat) / WAYS.len() % STAFF];
        let console = self.console(&staff.chat).await;
        let query = format!("chat_id={}&play_id={}", member.chat, member.play);
        let both = console.get(&format!("/console/guilds/{}/members/link?{query}", guild.id)).await;
        let linked = console.press(&both, AGREE, &[]).await;
        assert!(linked.status < 400, "{}: {}", linked.what, linked.text());
    }

    /// A browser at an address of its own: sign-ins count by address.
    async fn console(&self, chat: &str) -> Console {
        let (deployment, number) = (self.deployment, number(chat));
        let mut console = Console::new(deployment);
        console.address = format!("10.201.{}.{}", number % 250, number / 250);
        console.sign_in(&link(deployment, &deployment.guild().id, chat, &[]).await).await;
        console
    }

    fn api(&self, member: &Member) -> Api {
        self.deployment.api().key(&self.keys[number(&member.chat) / MEMBERS_PER_KEY % self.keys.len()])
    }
}

fn typed(code: &Value, member: &Member) -> Value {
    json!({ "code": code, "play_id": member.play, "play_username": member.name })
}

/// The number of a member in the fixture.
fn number(chat: &str) -> usize {
    chat[9..].parse().unwrap()
}
