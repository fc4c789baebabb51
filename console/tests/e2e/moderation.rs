//! /console/guilds/:guild/moderation: bans and mutes.

use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, OUTSIDER, eventually, in_turn};

use testkit::console::{Console, Page};

in_turn!(
    a_player_is_banned_by_name_and_the_ban_is_taken_back,
    the_form_says_whom_it_means,
    an_id_that_no_platform_knows_is_confirmed_first,
    while_a_platform_is_away_its_ids_can_be_banned,
    a_lifted_ban_is_restored_by_undo,
    nobody_bans_themselves,
    a_new_length_supersedes,
    a_ban_that_is_prolonged_lifted_and_restored_counts_once,
    a_ban_that_replaces_another_says_so_and_undo_restores_it,
    undo_leaves_the_ban_of_a_colleague,
    one_of_several_is_lifted_or_all,
    an_ended_ban_says_how_it_ended,
    a_ban_that_did_not_reach_discord_is_marked,
    what_is_wrong_stands_at_its_field,
    a_reason_is_text_and_its_addresses_are_links
);

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}/moderation{page}", deployment.guild().id)
}

/// An id unknown to both platforms.
const UNKNOWN: &str = "555001";
const WITHIN: Duration = Duration::from_secs(20);

/// Bans an account, known or not, and shows the ban.
async fn ban(deployment: &Deployment, console: &Console, more: &[(&str, &str)]) -> Page {
    let same = [("reason", "spam"), ("length", "604800"), ("unknown", UNKNOWN)];
    let form: Vec<_> = more.iter().copied().chain(same).collect();
    console.submit(&below(deployment, "/bans/new"), &form).await
}

async fn a_player_is_banned_by_name_and_the_ban_is_taken_back(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[7];
    console.get(&below(deployment, "")).await.shows(200, "Nobody is banned.");
    let banned = ban(deployment, &console, &[("identifier", &member.name.to_uppercase())]).await;
    banned.shows(200, &member.name).shows(200, "spam").shows(200, "in 7 days").shows(200, "active");
    banned.shows(200, &format!("Banned {} for 7 days.", member.name));
    banned.shows(200, &format!("{} may not join your games.", member.name));
    banned.shows(200, "In games Checks of game servers show it within a second.");
    let list = console.get(&below(deployment, "/bans")).await;
    list.shows(200, &member.name).shows(200, "Lift ban").shows(200, "1 active ban, newest first");
    console.get(&below(deployment, "/mutes")).await.shows(200, "Nobody is muted.");
    let undone = console.undo(&banned).await;
    undone.shows(200, &format!("Lifted the ban of {}.", member.name)).shows(200, "lifted");
    undone.shows(200, &format!("Lifted. {} may join your games again.", member.name));
    assert!(!undone.contains("In games"), "{}", undone.text());
    console.get(&below(deployment, "/bans")).await.shows(200, "Nobody is banned.");
    let found = format!("/bans?state=all&person={}&moderator={}", member.chat, guild.members[0].chat);
    let ended = console.get(&below(deployment, &found)).await;
    ended.shows(200, "spam").shows(200, "lifted").shows(200, "1 ban, newest first");
    console.get(&below(deployment, "/bans?state=all&place=5")).await.shows(200, "Nothing matches");
}

/// The chat platform would remove them from the guild, and they could not lift the ban.
async fn nobody_bans_themselves(deployment: &Deployment) {
    let (own, console) = (&deployment.guild().members[0], Console::owner(deployment).await);
    for account in [own.chat.clone(), own.play.to_string(), own.name.clone()] {
        let form = [("identifier", account.as_str()), ("reason", "spam"), ("length", "604800")];
        let refused = console.post(&below(deployment, "/bans/new"), &form).await;
        refused.shows(422, "This is your own account.");
    }
    console.get(&below(deployment, "/bans")).await.shows(200, "Nobody is banned.");
}

async fn the_form_says_whom_it_means(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[7];
    let form = |who: &str| below(deployment, &format!("/bans/new?identifier={who}"));
    for typed in [member.chat.clone(), member.play.to_string(), member.name.clone()] {
        let page = console.get(&form(&typed)).await;
        page.shows(200, &member.name).shows(200, &format!("Roblox {} Discord {}", member.play, member.chat));
        assert!(!page.contains("already"), "{}", page.text());
    }
    ban(deployment, &console, &[("identifier", &member.name)]).await;
    let banned = console.get(&form(&member.chat)).await;
    // The ban names the Roblox account: one of the Discord account takes its place.
    banned
        .shows(200, &format!("{} is banned already: Ban #", member.name))
        .shows(200, "The new ban replaces it.");
    let page = console.get(&form(&member.play.to_string())).await;
    page.shows(200, "in every game, ends in 7 days").shows(200, "The new ban replaces it.");
    let elsewhere = console.get(&format!("{}&place_id=5", form(&member.name))).await;
    elsewhere.shows(200, "It stays beside the new ban.");
    console
        .get(&form(OUTSIDER))
        .await
        .shows(200, &format!("user{OUTSIDER}"))
        .shows(200, "is not a member of this Discord server");
    console.get(&form(UNKNOWN)).await.shows(200, "Roblox knows no account with the id 555001.");
    console.get(&form("Nobody")).await.shows(200, "No linked member is named");
    // A refused form shows the person too, and a mute does not mention Discord.
    let mute = below(deployment, "/mutes/new");
    let refused = console.post(&mute, &[("identifier", &member.chat), ("length", "ever")]).await;
    refused.refuses("reason", "", "Say what happened.").shows(422, &member.name);
    assert!(!refused.contains("audit log"), "{}", refused.text());
}

async fn an_id_that_no_platform_knows_is_confirmed_first(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    for (id, platform) in [(UNKNOWN, "Roblox"), ("1999999999999999777", "Discord")] {
        let new = below(deployment, "/bans/new");
        let form = [("identifier", id), ("reason", "spam"), ("length", "ever")];
        let asked = console.post(&new, &form).await;
        asked.refuses("identifier", id, &format!("{platform} knows no such id.")).has_typed("reason", "spam");
        console.get(&below(deployment, "/bans")).await.shows(200, "Nobody is banned.");
        // The confirmation is only for this id.
        let other = [&form[..], &[("unknown", "1")]].concat();
        console.post(&new, &other).await.refuses("identifier", id, "knows no such id.");
        let confirmed = console.press(&asked, "Add ban", &[("unknown", id), ("length", "ever")]).await;
        confirmed.shows(200, &format!("Banned {platform} {id} permanently."));
        console.undo(&confirmed).await;
    }
}

async fn while_a_platform_is_away_its_ids_can_be_banned(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    // The rights of the owner are cached from now on.
    console.get(&below(deployment, "")).await.shows(200, "Nobody is banned.");
    let member = "GET /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": member, "status": 503, "count": 20 })).await;
    let form = console.get(&below(deployment, &format!("/mutes/new?identifier={OUTSIDER}"))).await;
    form.shows(200, "Discord does not answer, so the name is unknown");
    let form = [("identifier", OUTSIDER), ("reason", "spam"), ("length", "ever")];
    let muted = console.submit(&below(deployment, "/mutes/new"), &form).await;
    muted.shows(200, &format!("Muted Discord {OUTSIDER} permanently."));
}

async fn a_lifted_ban_is_restored_by_undo(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let banned = ban(deployment, &console, &[("identifier", UNKNOWN), ("place_id", "77")]).await;
    banned.shows(200, "Roblox 555001").shows(200, "Place 77");
    let form = banned.form_with("Lift ban");
    let lifted = console.submit(&form.action, &[]).await;
    lifted.shows(200, "Lifted the ban of Roblox 555001.");
    let again = console.undo(&lifted).await;
    again
        .shows(200, "Restored the ban of Roblox 555001 for ")
        .shows(200, "spam")
        .shows(200, "in 7 days")
        .shows(200, "Place 77");
    let twice = console.undo(&lifted).await;
    twice.shows(200, "stays ended, because #");
}

async fn a_ban_that_is_prolonged_lifted_and_restored_counts_once(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let stats = format!("/staff/stats/{}", deployment.guild().id);
    let total = async || deployment.api().get(&stats).await.ok()["total_actions"].clone();
    let first = ban(deployment, &console, &[("identifier", UNKNOWN)]).await;
    assert_eq!(total().await, 1);
    let longer = [("length", "own"), ("amount", "3"), ("unit", "604800"), ("reason", "spam again")];
    let second = console.submit(&first.form_with("Change length").action, &longer).await;
    let lifted = console.submit(&second.form_with("Lift ban").action, &[]).await;
    console.undo(&lifted).await.shows(200, "Restored the ban");
    assert_eq!(total().await, 1);
}

async fn a_new_length_supersedes(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let first = ban(deployment, &console, &[("identifier", UNKNOWN)]).await;
    let form = first.form_with("Change length");
    let longer = [("length", "own"), ("amount", "3"), ("unit", "604800"), ("reason", "spam again")];
    let second = console.submit(&form.action, &longer).await;
    second.shows(200, "It replaces the ban").shows(200, "in 21 days").shows(200, "spam again");
    // The number is the ban's.
    second.shows(200, "Ban #1: ");
    let one = form.action.trim_end_matches("/prolong");
    console.get(one).await.shows(200, "replaced").shows(200, "Ban #1: ").shows(200, "what it became");
    let all = console.get(&below(deployment, "/bans?state=all")).await;
    all.shows(200, "1 ban, newest first");
    console
        .submit(
            &below(deployment, "/mutes/new"),
            &[("identifier", UNKNOWN), ("unknown", UNKNOWN), ("reason", "x"), ("length", "ever")],
        )
        .await
        .shows(200, "Mute #1: ");
    let none = console.post(&second.form_with("Change length").action, &[("reason", "x")]).await;
    none.shows(422, "Choose how long it lasts.");
    // The replaced one is history.
    let over = console.submit(&form.action, &longer).await;
    over.shows(200, "The ban of Roblox 555001 has ended, so its length stays.");
    console.undo(&second).await.shows(200, "Restored the ban").shows(200, "in 7 days");
}

async fn a_ban_that_replaces_another_says_so_and_undo_restores_it(deployment: &Deployment) {
    let (console, member) = (Console::owner(deployment).await, &deployment.guild().members[7]);
    let evidence = "raid https://a.example/v";
    let form = [("identifier", &*member.name), ("reason", evidence), ("length", "1209600")];
    console.submit(&below(deployment, "/bans/new"), &form).await.shows(200, "in 14 days");
    let second = ban(deployment, &console, &[("identifier", &member.name)]).await;
    second.shows(200, &format!("Banned {} for 7 days.", member.name)).shows(200, "It replaces the ban");
    second.shows(200, "that was to last for 14 days").shows(200, "in 7 days");
    let restored = console.undo(&second).await;
    restored.shows(200, &format!("Restored the ban of {}", member.name)).shows(200, "in 14 days");
    assert!(restored.links().contains(&"https://a.example/v".to_owned()), "{:?}", restored.links());
    let bans = console.get(&below(deployment, "/bans")).await;
    assert!(!bans.shows(200, "raid").contains("spam"), "{}", bans.text());
}

async fn undo_leaves_the_ban_of_a_colleague(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let banned = ban(deployment, &console, &[("identifier", UNKNOWN)]).await;
    let lifted = console.press(&banned, "Lift ban", &[]).await;
    let guild = deployment.guild();
    let by_other =
        json!({ "identifier": UNKNOWN, "reason": "seen again", "moderator_id": guild.members[1].chat });
    deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), by_other).await.ok();
    console.undo(&lifted).await.shows(200, "stays ended, because #").shows(200, "seen again");
}

async fn one_of_several_is_lifted_or_all(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let bans = below(deployment, "/bans");
    ban(deployment, &console, &[("identifier", UNKNOWN), ("place_id", "77")]).await;
    let wide = ban(deployment, &console, &[("identifier", UNKNOWN)]).await;
    wide.shows(200, "They stay when this one is lifted").shows(200, "in place 77");
    let one = console.press(&wide, "Lift ban", &[]).await;
    one.shows(200, "Lifted the ban of Roblox 555001. Still banned: #");
    one.shows(200, "Lifted. Roblox 555001 has another active ban.");
    assert_eq!(console.get(&bans).await.row("only in place 77").matches("Lift ban").count(), 2);
    let restored = console.undo(&one).await;
    let all = console.press(&restored, "Lift all 2 bans", &[]).await;
    all.shows(200, "Lifted 2 bans of Roblox 555001.");
    console.get(&bans).await.shows(200, "Nobody is banned.");
    console.undo(&all).await.shows(200, "Restored 2 bans of Roblox 555001.");
    let list = console.get(&bans).await;
    assert_eq!(list.text().matches("Lift ban").count(), 4, "{}", list.text());
    // From the list a lift, and its Undo, lead back to it.
    let lifted = console.press(&list, "Lift ban", &[]).await;
    assert_eq!(lifted.path(), bans);
    assert_eq!(console.undo(&lifted).await.path(), bans);
}

async fn an_ended_ban_says_how_it_ended(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let own = &guild.members[0].name;
    let banned = ban(deployment, &console, &[("identifier", UNKNOWN)]).await;
    let lifted = console.press(&banned, "Lift ban", &[("reason", "appeal accepted")]).await;
    let bans = format!("/moderation/{}/bans", guild.id);
    let row = &deployment.api().get(&bans).await.ok()["bans"][0];
    assert_eq!((&row["lift_reason"], &row["number"]), (&json!("appeal accepted"), &json!(1)));
    lifted.shows(200, "appeal accepted");
    lifted.shows(200, &format!("Ended Lifted just now by {own}")).shows(200, "Was to end in 7 days");
    let short = [("length", "own"), ("amount", "1"), ("unit", "1")];
    let short = [&short[..], &[("identifier", UNKNOWN), ("place_id", "5"), ("unknown", UNKNOWN)]].concat();
    let short = [&short[..], &[("reason", "brief")]].concat();
    console.submit(&below(deployment, "/bans/new"), &short).await;
    eventually("the ban has ended", WITHIN, async || {
        let ended = console.get(&below(deployment, "/bans?state=ended")).await;
        ended.row("spam").contains(&format!("Lifted just now by {own}")).then_some(())?;
        ended.contains("brief").then(|| assert!(ended.row("brief").contains("Expired just now")))
    })
    .await;
}

async fn a_ban_that_did_not_reach_discord_is_marked(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let id = "1999999999999999777";
    let form = [("identifier", id), ("reason", "spam"), ("length", "ever"), ("unknown", id)];
    let banned = console.submit(&below(deployment, "/bans/new"), &form).await;
    eventually("the mirror has failed", WITHIN, async || {
        let list = console.get(&below(deployment, "/bans")).await;
        list.row("spam").contains("not banned on Discord").then_some(())
    })
    .await;
    let page = console.get(&banned.path()).await;
    page.shows(200, "On Discord not banned there").shows(200, "Discord knows no user with this id.");
}

async fn what_is_wrong_stands_at_its_field(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let new = below(deployment, "/mutes/new");
    let empty = console.get(&format!("{new}?identifier=555001")).await;
    empty.shows(200, "Add mute").shows(200, "3 days").has_typed("unit", "86400");
    let nobody = [("identifier", "Nobody Here"), ("reason", "spam"), ("length", "ever")];
    let refused = console.post(&new, &nobody).await;
    refused.refuses("identifier", "Nobody Here", "No linked member is named");
    assert_eq!(refused.text().matches("No linked member").count(), 1);
    refused.has_typed("reason", "spam");
    let long = [
        ("identifier", UNKNOWN),
        ("length", "own"),
        ("amount", "90000"),
        ("unit", "604800"),
        ("reason", "r"),
        ("unknown", UNKNOWN),
    ];
    console.post(&new, &long).await.refuses(
        "amount",
        "90000",
        "Give at most 100 years, or choose Permanent.",
    );
    let none = [&long[..2], &[("amount", "x")], &long[3..]].concat();
    console.post(&new, &none).await.refuses("amount", "x", "Give a whole number above 0.");
    let known = [("identifier", UNKNOWN), ("unknown", UNKNOWN), ("length", "ever")];
    console.post(&new, &known).await.refuses("reason", "", "Say what happened.");
    let place = [&known[..], &[("reason", "r"), ("place_id", "lobby")]].concat();
    console.post(&new, &place).await.refuses("place_id", "lobby", "digits only");
    console.get(&below(deployment, "/bans?person=Nobody+Here")).await.shows(422, "No linked member is named");
    console.get(&below(deployment, "/bans?place=lobby")).await.shows(422, "digits only");
    console.get(&below(deployment, "/kicks")).await.shows(404, "There is no such page");
}

async fn a_reason_is_text_and_its_addresses_are_links(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let reason = "<b>fly</b> https://a.example/v?x=\"1 javascript:alert(1)";
    let form = [("identifier", UNKNOWN), ("unknown", UNKNOWN), ("length", "ever"), ("reason", reason)];
    let page = console.submit(&below(deployment, "/bans/new"), &form).await;
    page.shows(200, reason).shows(200, "permanent");
    assert!(!page.html.contains("<b>fly"));
    let link = "[href='https://a.example/v?x='][rel='noopener noreferrer nofollow']";
    assert!(page.has(link), "{}", page.html);
    assert!(!page.links().iter().any(|link| link.starts_with("javascript:")));
}
