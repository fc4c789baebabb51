//! /console/guilds/:guild, its figures, and the first steps of a guild that is new.

use std::time::Duration;

use runtime::Clock;
use serde_json::json;
use testkit::{Deployment, eventually, in_turn};

use super::security::{set_permissions, sql};
use testkit::console::{Console, link};

in_turn!(
    figures_lead_to_what_they_count,
    more_than_is_counted_is_said_so,
    staff_see_figures_and_only_their_links,
    the_first_steps_lead_from_nothing_to_a_preview,
    no_sync_starts_by_itself_without_members(|setup| setup.env("GUILDHALL_FOLLOW_SHARE", "100")),
    a_guild_without_the_bot_is_told_how_to_invite_it
);

fn guild(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}{page}", deployment.guild().id)
}

async fn figures_lead_to_what_they_count(deployment: &Deployment) {
    let (own, api, owner) = (deployment.guild(), deployment.api(), Console::owner(deployment).await);
    let zero =
        "Linked members 30 Active bans 0 Active mutes 0 Live servers 0 Staff on duty 0 Jobs under way 0";
    let home = owner.get(&guild(deployment, "")).await;
    home.shows(200, zero).shows(200, "Needs you Nothing now.");
    assert!(!home.has(".trend"), "nothing happened");
    for (verb, member) in [("ban", &own.members[7]), ("mute", &own.members[8])] {
        let body =
            json!({ "identifier": member.chat, "reason": "spam", "moderator_id": own.members[1].chat });
        api.post(&format!("/moderation/{}/play/{verb}", own.id), body).await.ok();
    }
    let server = json!({ "server_id": "s1", "place_id": 11, "universe_id": 12, "player_count": 3 });
    api.post("/play/servers/heartbeat", server).await.ok();
    let duty = json!({ "play_id": own.members[1].play, "place_id": 11, "server_id": "s1" });
    api.post("/staff/play/session/start", duty).await.ok();
    let home = owner.get(&guild(deployment, "")).await;
    home.shows(
        200,
        "Active bans 1 1 made in 30 days Active mutes 1 1 made in 30 days Live servers 1 3 players on them",
    );
    home.shows(200, "Staff on duty 1 2 actions in 30 days");
    let muted = format!("muted {}", own.members[8].name);
    assert!(home.texts(".lately a").iter().any(|entry| entry.contains(&muted)), "{}", home.text());
    assert_eq!(home.each(".trend", |_| ()).len(), 3);
    for chart in ["Bans", "Mutes", "Actions of staff"] {
        home.shows(200, chart);
    }
    for (page, text) in [("/moderation", &own.members[7].name), ("/moderation/mutes", &own.members[8].name)] {
        assert!(home.links().contains(&guild(deployment, page)), "{page}");
        owner.get(&guild(deployment, page)).await.shows(200, text);
    }
}

async fn more_than_is_counted_is_said_so(deployment: &Deployment) {
    let (own, api, owner) = (deployment.guild(), deployment.api(), Console::owner(deployment).await);
    let panel = json!({ "panel_id": 7, "name": "Moderator team" });
    api.post(&format!("/guilds/{}/application-panels", own.id), panel).await.ok();
    let (id, at) = (own.id.parse::<i64>().unwrap(), Clock::system().now());
    for (number, words) in
        [("chat_id", "30 applications to decide"), ("play_id", "More than 50 applications to decide")]
    {
        let text = format!(
            "INSERT INTO application_submission (submission_id, panel_id, chat_id, answers, created_at, guild_id) \
             SELECT {number}, 7, chat_id, '{{}}', ?, guild_id FROM link WHERE guild_id = ?"
        );
        assert_eq!(sql(deployment, &text, vec![at.into(), id.into()]).await, 30);
        owner.get(&guild(deployment, "")).await.shows(200, words);
    }
}

async fn staff_see_figures_and_only_their_links(deployment: &Deployment) {
    let own = deployment.guild();
    let staff = Console::of(deployment, own, &own.members[1].chat).await;
    set_permissions(deployment, &[]).await;
    let home = staff.get(&guild(deployment, "")).await;
    home.shows(200, "Linked members 30 Active bans 0").shows(200, "Actions of staff");
    assert!(
        !home.contains("Set up") && !home.contains("Lately") && !home.contains("Mutes by day"),
        "{}",
        home.text()
    );
    let below = home.links().into_iter().filter(|link| link.starts_with(&guild(deployment, "/")));
    assert!(below.clone().all(|link| link == guild(deployment, "/staff")), "{:?}", below.collect::<Vec<_>>());
    staff.get(&guild(deployment, "/first-run")).await.shows(404, "There is no such page");
    set_permissions(deployment, &["moderation.read"]).await;
    let home = staff.get(&guild(deployment, "")).await;
    assert!(home.links().contains(&guild(deployment, "/moderation/mutes")), "{:?}", home.links());
}

async fn the_first_steps_lead_from_nothing_to_a_preview(deployment: &Deployment) {
    let (own, owner) = (deployment.guild(), Console::owner(deployment).await);
    sql(deployment, "DELETE FROM binding WHERE guild_id = ?", vec![own.id.parse::<i64>().unwrap().into()])
        .await;
    let home = owner.get(&guild(deployment, "")).await;
    home.shows(200, "Roles do not follow Roblox ranks yet. Five steps set it up.");
    let steps = owner.get(&home.link("Set up")).await;
    steps.shows(200, "3 of 5 done.").shows(200, "Bind a rank to a role to do");
    steps.shows(200, "Preview the first sync to do");
    let bindings = owner.get(&steps.link("Open bindings")).await;
    let group = own.group.to_string();
    let offered = owner.press(&bindings, "Show its ranks", &[("group_id", &group)]).await;
    let binding = [("rank", "200"), ("role_id", &own.roles[3])];
    owner.press(&offered, "Add binding", &binding).await.shows(200, "Binding added.");
    let steps = owner.get(&steps.path()).await;
    steps.shows(200, "4 of 5 done.").shows(200, "Bind a rank to a role done 1 set.");
    let sync = owner.get(&steps.link("Open sync")).await;
    sync.shows(200, "30 linked members and 1 binding").shows(200, "Syncs this hour 1 of 1 left");
    let begun = owner.press(&sync, "Preview the sync", &[]).await;
    deployment.job_ended(begun.path().split('=').nth(1).unwrap()).await;
    owner.get(&steps.path()).await.shows(200, "5 of 5 done.");
    let home = owner.get(&guild(deployment, "")).await;
    assert!(!home.contains("Roles do not follow"), "{}", home.text());
    // One that was cancelled shows nothing.
    let cancel = "UPDATE job SET state = 'cancelled', result = NULL WHERE guild_id = ? AND kind = 'sync_all'";
    sql(deployment, cancel, vec![own.id.parse::<i64>().unwrap().into()]).await;
    owner.get(&steps.path()).await.shows(200, "4 of 5 done.").shows(200, "Preview the first sync to do");
}

async fn no_sync_starts_by_itself_without_members(deployment: &Deployment) {
    let (own, owner) = (deployment.guild(), Console::owner(deployment).await);
    let links = "DELETE FROM link WHERE guild_id = ?";
    sql(deployment, links, vec![own.id.parse::<i64>().unwrap().into()]).await;
    // One may be under way still.
    eventually("the page says what starts the first one", Duration::from_secs(20), async || {
        let sync = owner.get(&guild(deployment, "/sync")).await;
        sync.contains("The first one starts when a member is linked.").then_some(())
    })
    .await;
}

async fn a_guild_without_the_bot_is_told_how_to_invite_it(deployment: &Deployment) {
    // The simulator knows no such guild.
    let id = (deployment.guild().id.parse::<i64>().unwrap() + 5_555).to_string();
    deployment.command(&["guilds", "add", &id, "--name", "Elsewhere"]).await.succeeded();
    let user = &deployment.guild().members[0].chat;
    let made = deployment.command(&["console", "link", "--guild", &id, "--user", user]).await;
    assert!(
        made.stderr.contains("It does not make an admin: the bot is not in the guild."),
        "{}",
        made.stderr
    );
    let expected = "https://discord.com/oauth2/authorize?client_id=900000000000000001&scope=bot&permissions=";
    let invite = made.stderr.lines().find_map(|line| line.strip_prefix("Invite the bot: ")).unwrap();
    assert!(invite.starts_with(expected) && invite.ends_with(&format!("&guild_id={id}")), "{invite}");
    // There is no admin before: otherwise a person could become one by removing the bot.
    let owner = Console::new(deployment);
    owner.sign_in(&link(deployment, &id, user, &[]).await).await;
    owner.get(&format!("/console/guilds/{id}")).await.shows(404, "There is no such page");
}
