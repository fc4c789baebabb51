//! Users who are never banned on the chat platform, and the limit of copies for each key (docs/rules.md 4).

use serde_json::{Value, json};

use super::Moderating;
use super::mirror::{WITHIN, by_hand, mirrored};
use testkit::console::Console;
use testkit::{Deployment, both_modes, eventually};

both_modes!(
    owner_staff_admins_and_bots_are_banned_in_the_games_alone,
    further_bans_of_a_key_wait_until_somebody_allows_them,
    whom_a_key_names_was_not_signed_in
);

/// The bot of the simulated platform.
const BOT: &str = "900000000000000001";

async fn owner_staff_admins_and_bots_are_banned_in_the_games_alone(deployment: &Deployment) {
    let guild = deployment.guild();
    let [owner, staff, admin] = [0, 3, 23].map(|n| &guild.members[n]);
    let manages = json!({ "guild_id": guild.id, "chat_id": admin.chat, "roles": [guild.privileged_role] });
    deployment.simulator.change_member(manages).await;
    for (who, named) in
        [(&*owner.chat, "owner"), (&staff.play.to_string(), "staff"), (&admin.chat, "admin"), (BOT, "bot")]
    {
        deployment.ban(who, json!({})).await;
        let ban = mirrored(deployment, "protected").await;
        assert_eq!(ban["mirror_error"], Value::Null, "{named}: {ban}");
        assert!(deployment.is_banned(who).await, "{named} is banned in the games");
        let chat = ban["mirror_chat_id"].as_str().unwrap();
        assert_eq!(by_hand(deployment, "GET", chat).await, 404, "{named} is banned on the platform");
    }
    let noted = &deployment.audit("moderation.mirror").await[0]["metadata"];
    assert_eq!((&noted["banned"], &noted["mirror_state"]), (&json!(false), &json!("protected")));
}

async fn further_bans_of_a_key_wait_until_somebody_allows_them(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let settings = format!("/guilds/{}/settings", guild.id);
    let field = "mirror_bans_per_hour";
    api.patch(&settings, json!({ field: -1 })).await.refused(400, &["`mirror_bans_per_hour`"]);
    assert_eq!(api.get(&settings).await.ok()[field], 30);
    api.patch(&settings, json!({ field: 2 })).await.ok();
    let member = |n: usize| &*guild.members[n].chat;
    for n in [24, 25] {
        deployment.ban(member(n), json!({})).await;
        mirrored(deployment, "done").await;
    }
    let held = deployment.ban(member(26), json!({})).await;
    assert_eq!(mirrored(deployment, "held").await["id"], held);
    assert!(deployment.is_banned(member(26)).await, "it counts in the games");
    // For a user whom Guildhall banned there before, nothing changes there.
    deployment.ban(member(24), json!({ "duration_seconds": 3600 })).await;
    mirrored(deployment, "done").await;
    // Another key has an hour of its own, and may not allow what is held.
    let mirror = deployment.moderation(&format!("bans/{held}/mirror"));
    let other = deployment.api().key(&deployment.new_key("read,moderation").await);
    other.post(&mirror, json!({})).await.refused(403, &["admin"]);
    let body = json!({ "identifier": member(27), "reason": "spam", "moderator_id": member(0) });
    other.post(&deployment.moderation("play/ban"), body).await.ok();
    mirrored(deployment, "done").await;
    is_allowed_in_the_console(deployment, (held, member(26))).await;
    api.post(&mirror, json!({})).await.refused(409, &["not held"]);
    // People who are signed in are not counted.
    let owner = Console::owner(deployment).await;
    let form = [("identifier", member(28)), ("reason", "spam"), ("length", "604800")];
    owner.submit(&format!("/console/guilds/{}/moderation/bans/new", guild.id), &form).await;
    assert_eq!(mirrored(deployment, "done").await["key_id"], Value::Null);
}

async fn is_allowed_in_the_console(deployment: &Deployment, (held, user): (i64, &str)) {
    let guild = deployment.guild();
    let owner = Console::owner(deployment).await;
    let home = owner.get(&format!("/console/guilds/{}", guild.id)).await;
    let list = owner.get(&home.link("1 ban to allow on Discord")).await;
    list.shows(200, "1 held ban, newest first").shows(200, "waits to go to Discord");
    let bans = deployment.ban_history("").await;
    let number = &bans.iter().find(|ban| ban["id"] == held).unwrap()["number"];
    let page = owner.get(&list.link(&format!("#{number}"))).await;
    assert_eq!(by_hand(deployment, "GET", user).await, 404);
    owner.press(&page, "Ban on Discord too", &[]).await.shows(200, "The ban goes to Discord.");
    eventually("the allowed ban is made", WITHIN, async || {
        (by_hand(deployment, "GET", user).await == 200).then_some(())
    })
    .await;
    let entry = &deployment.audit("moderation.mirror_allowed").await[0];
    let by = (&entry["actor_id"], &entry["target_id"]);
    assert_eq!(by, (&json!(guild.members[0].chat), &json!(user)), "{entry}");
}

async fn whom_a_key_names_was_not_signed_in(deployment: &Deployment) {
    let guild = deployment.guild();
    let id = deployment.ban(&guild.members[29].chat, json!({})).await;
    let entry = &deployment.audit("moderation.ban").await[0];
    assert_eq!(entry["metadata"]["moderator"], "named_by_key", "{entry}");
    assert!(deployment.ban_history("limit=1").await[0]["key_id"].is_i64());
    let owner = Console::owner(deployment).await;
    let url = format!("/console/guilds/{}", guild.id);
    let page = owner.get(&format!("{url}/moderation/bans/{id}")).await;
    page.shows(200, &format!("Named by key {} , not signed in.", &guild.admin_key[3..11]));
    let log = owner.get(&format!("{url}/audit?action=moderation.ban")).await;
    log.shows(200, "(named by a key, not signed in)");
    // A lift in the console is by a signed-in person.
    owner.press(&page, "Lift ban", &[]).await.shows(200, "Lifted the ban");
    assert_eq!(deployment.audit("moderation.unban").await[0]["metadata"]["moderator"], Value::Null);
}
