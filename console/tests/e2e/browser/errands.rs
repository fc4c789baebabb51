//! The owner's twelve errands, each from the first page to its end: by mouse at a desk, by touch on a phone, and by keyboard
//! alone, with how many presses each takes. What is typed is not counted.

use std::cell::Cell;
use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, eventually, in_turn};

use super::devtools::Browser;
use super::owner;
use super::tab::Tab;

in_turn!(errands_at_a_desk, errands_on_a_phone, errands_by_keyboard);

/// Clicks at a desk, touches on a phone, keys without a mouse: at most these. Of the keys a tenth is room for what a page shows
/// beside its content, such as a notice.
const PRESSES: [(&str, [u32; 3]); 12] = [
    ("bring everybody in line", [5, 6, 18]),
    ("undo that", [4, 5, 22]),
    ("ban a player whom nobody linked, by name", [7, 8, 28]),
    ("make a ban longer", [4, 5, 36]),
    ("find a ban by its number, and lift it", [5, 5, 12]),
    ("link a member by names", [6, 7, 32]),
    ("make a member staff", [6, 7, 14]),
    ("approve leave", [2, 2, 28]),
    ("take applications, from the panel to the role", [13, 14, 90]),
    ("kick a player from their server", [5, 6, 39]),
    ("make a key for the game", [6, 7, 28]),
    ("import links of another bot", [5, 6, 30]),
];
const ENDS_WITHIN: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq)]
enum With {
    Mouse,
    Touch,
    Keys,
}

struct Hand<'t> {
    deployment: &'t Deployment,
    tab: &'t Tab<'t>,
    with: With,
    presses: Cell<u32>,
}

async fn errands_at_a_desk(deployment: &Deployment) {
    all(deployment, With::Mouse).await;
}

async fn errands_on_a_phone(deployment: &Deployment) {
    all(deployment, With::Touch).await;
}

async fn errands_by_keyboard(deployment: &Deployment) {
    all(deployment, With::Keys).await;
}

async fn all(deployment: &Deployment, with: With) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    if with == With::Touch {
        tab.as_phone().await;
    }
    let hand = Hand { deployment, tab: &tab, with, presses: Cell::new(0) };
    let first_page = tab.path().await;
    let mut counted = Vec::new();
    for (errand, most) in PRESSES {
        hand.run(errand, &first_page).await;
        counted.push((errand, hand.presses.take(), most[with as usize]));
    }
    let longer: Vec<_> = counted.iter().filter(|(_, presses, most)| presses > most).collect();
    assert!(longer.is_empty(), "more presses than before: {longer:?} of {counted:?}");
}

impl Hand<'_> {
    async fn run(&self, errand: &str, first_page: &str) {
        match errand {
            "bring everybody in line" => self.home(first_page).await.sync().await,
            "undo that" => self.home(first_page).await.undo().await,
            "ban a player whom nobody linked, by name" => self.home(first_page).await.ban().await,
            "make a ban longer" => self.home(first_page).await.prolong().await,
            "find a ban by its number, and lift it" => self.home(first_page).await.lift().await,
            "link a member by names" => self.link(first_page).await,
            "make a member staff" => self.home(first_page).await.make_staff().await,
            "approve leave" => self.approve_leave(first_page).await,
            "take applications, from the panel to the role" => self.applications(first_page).await,
            "kick a player from their server" => self.kick(first_page).await,
            "make a key for the game" => self.home(first_page).await.key().await,
            "import links of another bot" => self.home(first_page).await.import().await,
            errand => panic!("{errand}"),
        }
    }

    async fn home(&self, first_page: &str) -> &Self {
        self.tab.goto(first_page).await;
        self
    }

    async fn sync(&self) {
        self.go("Sync").await;
        self.press("Preview the sync").await;
        self.tab.sees_within("Members to change", ENDS_WITHIN).await;
        self.press("Run the sync").await;
        self.tab.sees("Admins can undo it within an hour").await;
        if self.tab.text().await.contains("Type the word sync") {
            self.fill("Confirm", "sync").await;
        }
        self.press("Remove").await;
        self.tab.sees_within("succeeded", ENDS_WITHIN).await;
        assert_eq!(self.deployment.simulator.wrong(self.deployment.guild()).await, 0);
    }

    async fn undo(&self) {
        self.go("Jobs").await;
        self.press("Sync of all members").await;
        self.tab.sees("Undo this sync").await;
        self.press("Undo this sync").await;
        self.press_kind("button", "Undo this sync").await;
        eventually("it is as before", ENDS_WITHIN, async || {
            (self.deployment.simulator.wrong(self.deployment.guild()).await > 0).then_some(())
        })
        .await;
    }

    async fn ban(&self) {
        let player = &self.deployment.other_guild().members[8];
        self.go("Moderation").await;
        self.press("Add ban").await;
        self.tab.sees("Ban a person").await;
        self.fill("Person", &player.name).await;
        self.option(&player.name).await;
        self.tab.sees("account made").await;
        self.fill("Reason", "exploits").await;
        self.choose("7 days").await;
        self.press_kind("button", "Add ban").await;
        self.tab.sees(&format!("Banned {}", player.name)).await;
    }

    async fn prolong(&self) {
        let player = &self.deployment.other_guild().members[8].name;
        self.go("Moderation").await;
        self.press("#1").await;
        self.tab.sees("Change how long it lasts").await;
        self.choose("30 days").await;
        self.press("Change length").await;
        self.tab.sees("30 days").await;
        self.tab.sees(player).await;
    }

    async fn lift(&self) {
        self.search("#1").await;
        self.press("Lift ban").await;
        self.fill("Why", "a mistake").await;
        self.press_kind("button", "Lift ban").await;
        self.tab.sees("Lifted the ban of").await;
    }

    async fn link(&self, first_page: &str) {
        let (guild, member) = (self.deployment.guild(), &self.deployment.guild().members[15]);
        let path = format!("/guilds/{}/links/{}", guild.id, member.chat);
        self.deployment.api().delete(&path).await.ok();
        self.home(first_page).await.go("Members").await;
        self.press("Link a member").await;
        self.tab.sees("Both accounts then belong").await;
        self.fill("Discord member", &member.chat).await;
        self.fill("Roblox account", &member.name).await;
        self.press("Show both accounts").await;
        self.tab.sees("Link these accounts?").await;
        self.press("Link these accounts").await;
        self.tab.sees("Linked").await;
        let link = self.deployment.api().get(&path).await.ok();
        assert_eq!(link["link"]["play_id"], member.play);
    }

    async fn make_staff(&self) {
        let member = &self.deployment.guild().members[12];
        self.go("Staff").await;
        self.press("Add staff member").await;
        self.fill("Who", &member.name).await;
        self.pick("Staff role", "Moderator").await;
        self.press_kind("button", "Add staff member").await;
        self.tab.sees(&format!("{} is now staff", member.name)).await;
    }

    async fn approve_leave(&self, first_page: &str) {
        let (guild, member) = (self.deployment.guild(), &self.deployment.guild().members[1]);
        let body = json!({ "staff_id": member.chat, "starts_at": "2040-07-01T00:00:00Z",
                           "ends_at": "2040-07-15T00:00:00Z", "reason": "exams" });
        let path = format!("/guilds/{}/staff/leave-requests", guild.id);
        self.deployment.api().post(&path, body).await.ok();
        self.home(first_page).await.press("1 leave request").await;
        self.tab.sees("exams").await;
        self.press("Approve").await;
        self.tab.sees("Leave approved").await;
    }

    async fn applications(&self, first_page: &str) {
        let (guild, applicant) = (self.deployment.guild(), &self.deployment.guild().members[16]);
        self.home(first_page).await.go("Applications").await;
        self.press("Add panel").await;
        self.tab.sees("At most ten").await;
        self.fill("What people apply for", "Builder").await;
        self.fill("Question 1", "Why?").await;
        self.pick("Role that an acceptance gives", "Captain").await;
        self.press_kind("button", "Add panel").await;
        self.tab.sees("Panel Builder added").await;
        self.pick("Channel", "#").await;
        self.press("Post panel").await;
        self.tab.sees("Builder is posted").await;
        let panels = format!("/guilds/{}/application-panels", guild.id);
        let panel = self.deployment.api().get(&panels).await.ok()["panels"][0]["panel_id"].clone();
        let sent = json!({ "panel_id": panel, "submission_id": 1, "chat_id": applicant.chat,
                           "answers": { "Why?": "I build" } });
        let submissions = format!("/guilds/{}/application-submissions", guild.id);
        self.deployment.api().post(&submissions, sent).await.ok();
        self.home(first_page).await.press("1 application").await;
        self.tab.sees("Application 1").await;
        self.press("Application 1").await;
        self.tab.sees("Decide").await;
        self.press("Accept application").await;
        self.tab.sees("accepted").await;
        eventually("the applicant has the role", ENDS_WITHIN, async || {
            let roles = self.deployment.simulator.member(guild, &applicant.chat).await["roles"].clone();
            roles.as_array().unwrap().contains(&json!(guild.roles[3])).then_some(())
        })
        .await;
    }

    async fn kick(&self, first_page: &str) {
        let (api, member) = (self.deployment.api(), &self.deployment.guild().members[3]);
        let tick = json!({ "server_id": "arena-1", "place_id": 11, "universe_id": 12, "sequence": 1,
                           "players": [member.play] });
        api.post("/play/servers/tick", tick).await.ok();
        self.home(first_page).await.go("Servers").await;
        self.press("arena-1").await;
        self.tab.sees("1 player by name").await;
        self.press(&format!("Actions for {}", member.name)).await;
        self.press(&format!("Kick {}", member.name)).await;
        self.tab.sees(&format!("Roblox {}", member.play)).await;
        self.press_kind("button", "Send command").await;
        self.tab.sees(&format!("Kick {} queued", member.name)).await;
    }

    async fn key(&self) {
        self.go("Keys").await;
        self.press("Create key").await;
        self.fill("Name", "lobby").await;
        self.choose("Game servers").await;
        self.press_kind("button", "Create key").await;
        self.tab.sees("only time that the text").await;
        self.press("I have kept it").await;
        self.tab.sees("lobby").await;
    }

    async fn import(&self) {
        self.go("Members").await;
        self.press("Import links").await;
        self.tab.sees("Lines").await;
        self.fill("Lines", "Discord ID,robloxId,username\n1999999999999999001,880005,late").await;
        self.press("Show what would be done").await;
        self.tab.sees("will be linked").await;
        self.press("Link 1 member").await;
        self.tab.sees("What was done").await;
    }
}

/// What a person does, and what it costs.
impl Hand<'_> {
    fn count(&self, presses: u32) {
        self.presses.set(self.presses.get() + presses);
    }

    /// To a page of the navigation: on a phone it is in a menu, and without a mouse the search is nearer.
    async fn go(&self, page: &str) {
        match self.with {
            With::Mouse => self.press(page).await,
            With::Touch => {
                self.press("Menu").await;
                self.press(page).await;
            }
            With::Keys => self.search(page).await,
        }
    }

    async fn search(&self, text: &str) {
        if self.with == With::Keys {
            self.tab.letters("/").await;
        } else {
            self.tab.fill("Find", "").await;
        }
        self.tab.type_text(text).await;
        self.tab.enter().await;
        self.count(2);
    }

    /// A button, a link, or what opens a menu.
    async fn press(&self, words: &str) {
        self.press_kind("button, a[href], summary", words).await;
    }

    async fn press_kind(&self, kinds: &str, words: &str) {
        if self.with == With::Keys {
            self.reach(words).await;
            self.tab.press("Enter").await;
        } else {
            self.tab.press_at(kinds, words).await;
        }
        self.count(1);
    }

    async fn fill(&self, label: &str, text: &str) {
        if self.with == With::Keys {
            self.reach_field(label).await;
            self.tab.type_text(text).await;
        } else {
            self.tab.fill(label, text).await;
            self.count(1);
        }
    }

    async fn pick(&self, label: &str, option: &str) {
        if self.with == With::Keys {
            self.reach_field(label).await;
            self.tab.letters(option).await;
        } else {
            self.tab.fill(label, option).await;
            self.count(2);
        }
    }

    /// A suggestion below the field that is typed into.
    async fn option(&self, words: &str) {
        self.tab.sees(words).await;
        if self.with == With::Keys {
            self.tab.press("ArrowDown").await;
            self.tab.press("Enter").await;
            self.count(2);
        } else {
            self.tab.press_at("[role=option]", words).await;
            self.count(1);
        }
    }

    /// One of several choices.
    async fn choose(&self, label: &str) {
        if self.with != With::Keys {
            self.count(1);
            return self.tab.choose(label).await;
        }
        self.reach_field(label).await;
        self.count(self.tab.arrow_to(label).await);
    }

    /// Past the navigation of a page that has no focus yet.
    async fn skip(&self) {
        if self.tab.is_unfocused().await {
            self.tab.press("Tab").await;
            self.tab.press("Enter").await;
            self.count(2);
        }
    }

    async fn reach(&self, words: &str) {
        self.skip().await;
        self.count(self.tab.tab_to(words).await);
    }

    async fn reach_field(&self, label: &str) {
        self.skip().await;
        self.count(self.tab.tab_to_field(label).await);
    }
}
