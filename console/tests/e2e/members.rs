//! /console/guilds/:guild/members and the search of the bar.

use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, OUTSIDER, eventually, in_turn};

use testkit::console::{Console, Page};

in_turn!(
    members_are_found_by_id_and_any_part_of_the_name,
    members_are_found_by_their_name_on_discord(own),
    members_are_sorted_by_when_they_were_linked(own),
    a_member_has_a_page_with_the_facts,
    links_that_are_over_stay_on_the_page,
    a_banned_member_is_lifted_from_their_page,
    a_sync_says_what_changed,
    a_role_is_given_and_removed_by_hand,
    the_search_goes_to_what_is_named,
    the_search_shows_staff_what_they_may_see
);

/// The longest wait for a job.
const WITHIN: Duration = Duration::from_secs(20);

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}{page}", deployment.guild().id)
}

async fn members_are_found_by_id_and_any_part_of_the_name(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[5];
    let members = |query: &str| below(deployment, &format!("/members?q={query}"));
    for typed in [member.chat.clone(), member.play.to_string(), member.name.to_uppercase()] {
        let found = console.get(&members(&typed)).await;
        let own = format!("/members/{}", member.chat);
        assert!(found.links().iter().any(|link| link.ends_with(&own)), "{typed}: {}", found.text());
    }
    let middle = &member.name.to_uppercase()[3..];
    console.get(&members(middle)).await.shows(200, &member.name);
    let found = console.get(&below(deployment, &format!("/find?q={middle}"))).await;
    assert!(found.location().ends_with(&member.chat) || found.contains(&member.name), "{}", found.text());
    console.get(&members("zzzz")).await.shows(200, "No linked member has this name or id.");
    console.get(&members("%25")).await.shows(200, "No linked member has this name or id.");
}

async fn members_are_sorted_by_when_they_were_linked(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let file = "chat_id,play_id,play_username,verified_at\n1500000000000000001,501,zz_last,\n";
    std::fs::write(deployment.folder().join("newest.csv"), file).unwrap();
    deployment.command(&["links", "import", "newest.csv", "--guild", &guild.id]).await.succeeded();
    let by_name = console.get(&below(deployment, "/members")).await;
    by_name.shows(200, "By Roblox name, from A to Z");
    let oldest = console.get(&by_name.link("Linked")).await;
    assert!(oldest.contains("Linked ↑") && !oldest.contains("By Roblox name"), "{}", oldest.text());
    let newest = console.get(&oldest.link("Linked")).await;
    let at = |page: &Page, name: &str| page.text().find(name).unwrap_or(usize::MAX);
    assert!(at(&newest, "zz_last") < at(&newest, &guild.members[29].name), "{}", newest.text());
}

async fn members_are_found_by_their_name_on_discord(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let old = guild.misnamed();
    let members = |typed: &str| below(deployment, &format!("/members?q={typed}"));
    let joins = json!({ "guild_id": guild.id, "chat_id": OUTSIDER, "nick": "Zoë the first", "roles": [] });
    deployment.simulator.change_member(joins).await;

    let found = console.get(&members("OLD%20player")).await;
    found.shows(200, "By name on Discord").shows(200, &old.nick).shows(200, &old.chat);
    assert!(found.links().iter().any(|link| link.ends_with(&old.chat)), "{:?}", found.links());
    let found = console.get(&below(deployment, "/find?q=old")).await;
    let seen = found.contains(&format!("{} ({} on Discord)", old.name, old.nick));
    assert!(seen || found.location().ends_with(&old.chat), "{}", found.text());
    let found = console.get(&members("zo%C3%AB")).await;
    found.shows(200, "Zoë the first").shows(200, "no linked Roblox account").shows(200, OUTSIDER);
    console.get(&members("the%20first")).await.shows(200, "No linked member has this name or id.");

    let route = "GET /guilds/:guild/members/search";
    deployment.fault(json!({ "route": route, "status": 503, "count": 50 })).await;
    let down = console.get(&members("old%20p")).await;
    down.shows(200, "Names on Discord were not searched:");
    deployment.clear_faults().await;
}

async fn a_member_has_a_page_with_the_facts(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = guild.right();
    let page = console.get(&below(deployment, &format!("/members/{}", member.chat))).await;
    page.shows(200, &member.name)
        .shows(200, &member.play.to_string())
        .shows(200, "Neither banned nor muted.");
    page.shows(200, "Remove role").shows(200, "Test bindings").shows(200, "Audit log");
    console.get(&below(deployment, "/members/4000000000")).await.shows(404, "There is no such page");
    // A moderator without the right sees no forms.
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let page = staff.get(&below(deployment, &format!("/members/{}", member.chat))).await;
    page.shows(200, &member.name);
    for hidden in ["Sync member", "Remove role", "Test bindings", "Audit log", "Mute"] {
        assert!(!page.contains(hidden) || hidden == "Mute", "{hidden}");
    }
}

async fn links_that_are_over_stay_on_the_page(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let (member, other) = (&guild.members[7], &guild.members[8]);
    let page = below(deployment, &format!("/members/{}", member.chat));
    let fresh = console.get(&page).await;
    assert!(!fresh.shows(200, "linked now").contains("replaced by"), "{}", fresh.text());
    fresh.shows(200, "not in the audit log");
    let links = async |args: &[&str]| {
        deployment.command(&[&["links"], args, &["--guild", &guild.id]].concat()).await.succeeded();
    };
    // Another Roblox account, then none, then that of another person who left.
    let import = async |play: &str, name: &str| {
        let file = format!("{}.csv", guild.id);
        let text = format!("chat_id,play_id,play_username\n{},{play},{name}\n", member.chat);
        std::fs::write(deployment.folder().join(&file), text).unwrap();
        links(&["import", &file]).await;
    };
    import("987001", "second_account").await;
    let replaced = console.get(&page).await;
    replaced.shows(200, "second_account").shows(200, &member.play.to_string());
    replaced.shows(200, "replaced by another Roblox account by os:").shows(200, "made by os:");
    links(&["remove", "--chat", &member.chat]).await;
    links(&["remove", "--chat", &other.chat]).await;
    import(&other.play.to_string(), &other.name).await;
    let last = console.get(&page).await;
    last.shows(200, "987001").shows(200, "removed by os:").shows(200, &other.chat).shows(200, "made by os:");

    // Staff who may not read the audit log see no names.
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let seen = staff.get(&page).await;
    assert!(!seen.shows(200, "987001").contains("os:"), "{}", seen.text());
    let elsewhere = deployment.other_guild();
    let there = Console::of(deployment, elsewhere, &elsewhere.members[0].chat).await;
    let there =
        there.get(&format!("/console/guilds/{}/members/{}", elsewhere.id, elsewhere.members[7].chat)).await;
    assert!(!there.shows(200, "linked now").contains("987001"));
}

async fn a_banned_member_is_lifted_from_their_page(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[7];
    let page = below(deployment, &format!("/members/{}", member.chat));
    let form = [("identifier", &*member.name), ("reason", "spam and raids"), ("length", "604800")];
    console.submit(&below(deployment, "/moderation/bans/new"), &form).await;
    let banned = console.get(&page).await;
    banned.shows(200, "banned in every game, ends in 7 days").shows(200, "spam and raids");
    let buttons = banned.texts("main :is(a, button)");
    let first = |said: &str| buttons.iter().position(|button| button == said);
    // Discord may have banned the member already, so that there is nothing to sync.
    let (lift, mute) = (first("Lift ban"), first("Mute member"));
    assert!(lift.is_some() && mute.is_some() && lift < mute, "{buttons:?}");
    let away = eventually("Discord has banned the member", WITHIN, async || {
        Some(console.get(&page).await).filter(|page| page.contains("Banned from Discord by ban #"))
    })
    .await;
    assert!(!away.shows(200, "they must join again").contains("Sync member"), "{}", away.text());
    let lifted = console.press(&away, "Lift ban", &[]).await;
    assert_eq!(lifted.path(), page);
    lifted.shows(200, &format!("Lifted the ban of {}.", member.name)).shows(200, "Neither banned nor muted.");
    lifted.shows(200, &format!("{} lifted the ban of {}", guild.members[0].name, member.name));
    lifted.shows(200, &format!("Lifted just now by {}", guild.members[0].name));
    let restored = console.undo(&lifted).await;
    assert_eq!(restored.path(), page);
    restored.shows(200, "banned in every game");
}

async fn a_sync_says_what_changed(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let lacking = guild.lacking();
    let page = below(deployment, &format!("/members/{}", lacking.chat));
    console.get(&page).await;
    let synced = console.submit(&format!("{page}/sync"), &[]).await;
    synced.shows(200, &format!("Synced {}: gave ", lacking.name));
    let again = console.submit(&format!("{page}/sync"), &[]).await;
    again.shows(200, "nothing had to change");
}

async fn a_role_is_given_and_removed_by_hand(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let page = below(deployment, &format!("/members/{}", guild.lacking().chat));
    let shown = console.get(&page).await;
    shown.shows(200, "Give role").shows(200, "(this role stands at or above the bot's highest role)");
    let given = console.submit(&format!("{page}/roles/give"), &[("role_id", &guild.roles[1])]).await;
    let whom = &guild.lacking().name;
    given.shows(200, &format!("Gave Trainee to {whom}."));
    console.undo(&given).await.shows(200, &format!("Removed Trainee from {whom}."));
    console.post(&format!("{page}/roles/give"), &[]).await.shows(422, "Choose a role.");
    let high = console.post(&format!("{page}/roles/give"), &[("role_id", &guild.high_role)]).await;
    high.shows(422, "bot");
}

async fn the_search_goes_to_what_is_named(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[6];
    let find = |typed: &str| below(deployment, &format!("/find?q={}", typed.replace('#', "%23")));
    let page = below(deployment, &format!("/members/{}", member.chat));
    for typed in [member.chat.clone(), member.play.to_string(), member.name.clone()] {
        assert_eq!(console.get(&find(&typed)).await.location(), page, "{typed}");
    }
    console.get(&find("zzzz")).await.shows(200, "Nothing found.");
    console.get(&find("")).await.shows(200, "Name or id");
    let ban = [("identifier", "555001"), ("unknown", "555001"), ("reason", "spam"), ("length", "ever")];
    let banned = console.post(&below(deployment, "/moderation/bans/new"), &ban).await;
    let ban = banned.location().to_owned();
    // By its number, or by the id that programs know.
    let id = ban.rsplit('/').next().unwrap();
    for typed in ["#1", id] {
        assert_eq!(console.get(&find(typed)).await.location(), ban, "{typed}");
    }
    let of_person = console.get(&find("555001")).await;
    assert!(of_person.location().ends_with("person=555001"), "{}", of_person.location());
    // A member of another guild.
    console.get(&find(&deployment.other_guild().members[5].chat)).await.shows(200, "Nothing found.");
}

async fn the_search_shows_staff_what_they_may_see(deployment: &Deployment) {
    let guild = deployment.guild();
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let shown = staff.get(&below(deployment, &format!("/find?q={}", guild.members[6].chat))).await;
    assert!(shown.location().contains("/members/"));
    let nobody = Console::of(deployment, guild, &guild.members[8].chat).await;
    nobody.get(&below(deployment, "/find?q=a")).await.shows(404, "There is no such page");
}
