//! /console/guilds/:guild/find: jobs, game servers, and people with several names. People and bans are in
//! `members`.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::instance::enqueue;
use super::security::set_permissions;
use testkit::console::Console;

in_turn!(
    a_job_and_a_server_are_found_by_their_id,
    servers_jobs_pages_and_settings_are_found_by_words,
    bans_are_found_by_the_person,
    the_search_suggests_what_it_finds,
    several_matches_are_listed_and_many_go_on_with_members,
    matches_are_told_apart_by_their_accounts_and_bans,
    the_search_finds_nothing_that_a_person_may_not_see,
    an_operator_goes_to_a_job_or_the_jobs_of_a_server_by_id,
    an_operator_finds_jobs_and_servers_from_every_page
);

fn find(deployment: &Deployment, typed: &str) -> String {
    format!("/console/guilds/{}/find?q={typed}", deployment.guild().id)
}

async fn heartbeat(deployment: &Deployment, server: &str) {
    let body = json!({ "server_id": server, "place_id": 11, "universe_id": 12, "player_count": 1 });
    deployment.api().post("/play/servers/heartbeat", body).await.ok();
}

async fn a_job_and_a_server_are_found_by_their_id(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let job = enqueue(deployment, &guild.right().chat).await;
    heartbeat(deployment, "eu-1/7").await;
    let found = owner.get(&find(deployment, &job)).await;
    assert_eq!(found.location(), format!("/console/guilds/{}/jobs/{job}", guild.id));
    owner.get(found.location()).await.shows(200, &job);
    let found = owner.get(&find(deployment, "eu-1%2F7")).await;
    owner.get(found.location()).await.shows(200, "eu-1/7");
    // The form of the page, with what was typed before.
    let page = owner.get(&find(deployment, "us-1")).await;
    page.shows(200, "Nothing found. Names on Roblox are found by any part of them").has_typed("q", "us-1");
    owner.press(&page, "Find", &[("q", &job)]).await.shows(200, &job);
}

async fn servers_jobs_pages_and_settings_are_found_by_words(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    heartbeat(deployment, "arena-1").await;
    let arena = owner.get(&find(deployment, "ARENA")).await;
    owner.get(arena.location()).await.shows(200, "arena-1");
    heartbeat(deployment, "arena-2").await;
    let both = owner.get(&find(deployment, "arena")).await;
    both.shows(200, "Game servers").shows(200, "arena-1").shows(200, "arena-2");
    let job = enqueue(deployment, &guild.right().chat).await;
    let jobs = owner.get(&find(deployment, "sync+of+one")).await;
    owner.get(jobs.location()).await.shows(200, &job);
    for (typed, page) in [
        ("quotas", "/staff/quotas"),
        ("webhooks", "/webhooks"),
        ("import+bans", "/imports/bans"),
        ("time+zone", "/settings#time_zone"),
        ("nickname+template", "/settings#nickname_template"),
    ] {
        let found = owner.get(&find(deployment, typed)).await;
        assert!(found.location().ends_with(page), "{typed}: {} {}", found.location(), found.text());
    }
    let settings = owner.get(&format!("/console/guilds/{}/settings", guild.id)).await;
    for id in ["time_zone", "mirror_bans", "link_ways", "sticky_roles", "score_weights"] {
        assert!(settings.has(&format!("[id='{id}']")), "{id}");
    }
    let role = owner.get(&find(deployment, "moderator")).await;
    assert!(role.contains("staff role") || role.location().contains("/staff/roles/"), "{}", role.text());
}

async fn bans_are_found_by_the_person(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let banned = &guild.members[12];
    let form = [("identifier", banned.chat.as_str()), ("reason", "spam"), ("length", "3600")];
    owner.submit(&format!("/console/guilds/{}/moderation/bans/new", guild.id), &form).await;
    let part = banned.name.replace("player", "layer");
    let found = owner.get(&find(deployment, &part)).await;
    found.shows(200, "Members").shows(200, "Bans and mutes");
    owner.get(&found.link(&format!("Bans of {}", banned.name))).await.shows(200, "spam");
}

async fn the_search_suggests_what_it_finds(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    heartbeat(deployment, "player-arena").await;
    let suggest = async |console: &Console, typed: &str| {
        console.get(&format!("/console/guilds/{}/suggest?of=everything&q={typed}", guild.id)).await
    };
    let rows = suggest(&owner, "player").await;
    let groups = rows.each("[role=group]", |group| group.attr("aria-label").unwrap().to_owned());
    assert_eq!((&*groups[0], &*groups[groups.len() - 1]), ("Members", "Game servers"));
    let urls = rows.each("[role=option]", |option| option.attr("href").unwrap().to_owned());
    let (server, people) = urls.split_last().unwrap();
    assert!(people.len() >= 4, "{urls:?}");
    owner.get(server).await.shows(200, "player-arena");
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &["moderation.read"]).await;
    let rows = suggest(&staff, "player").await;
    assert_eq!(
        rows.each("[role=option]", |option| option.attr("href").unwrap().to_owned()),
        [server.as_str()]
    );
}

async fn several_matches_are_listed_and_many_go_on_with_members(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[1];
    // It begins the names of members 10 to 19 too, and is whole in one.
    assert!(owner.get(&find(deployment, &member.name)).await.location().ends_with(&member.chat));
    heartbeat(deployment, "player_").await;
    let server = owner.get(&find(deployment, "player_")).await;
    assert!(
        server.location().ends_with("/servers/player%5F"),
        "an id counts before names that begin like it"
    );
    let many = owner.get(&find(deployment, "player")).await;
    many.shows(200, "Member").has_typed("q", "player");
    assert_eq!(many.links().iter().filter(|link| link.contains("/members/")).count(), 20);
    many.shows(200, "These are the first 20 members.");
    owner.get(&many.link("Show all matching members")).await.shows(200, &guild.members[0].name);
}

async fn matches_are_told_apart_by_their_accounts_and_bans(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let [calm, banned] = [&guild.members[10], &guild.members[11]];
    let form = [("identifier", banned.chat.as_str()), ("reason", "spam"), ("length", "3600")];
    owner.submit(&format!("/console/guilds/{}/moderation/bans/new", guild.id), &form).await;
    let several = owner.get(&find(deployment, guild.members[0].name.trim_end_matches('0'))).await;
    let row = several.row(&banned.name);
    assert!(
        row.contains("banned") && row.contains(&banned.chat) && row.contains(&banned.play.to_string()),
        "{row}"
    );
    assert!(!several.row(&calm.name).contains("banned"), "{}", several.text());
}

async fn the_search_finds_nothing_that_a_person_may_not_see(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let job = enqueue(deployment, &guild.right().chat).await;
    heartbeat(deployment, "eu-1").await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &[]).await;
    for typed in [job.as_str(), "eu-1", &guild.members[6].chat, "player"] {
        staff.get(&find(deployment, typed)).await.shows(200, "Nothing found.");
    }
    set_permissions(deployment, &["sync.write"]).await;
    assert!(staff.get(&find(deployment, &job)).await.location().ends_with(&job));
    staff.get(&find(deployment, "eu-1")).await.shows(200, "Nothing found.");
    let stranger = Console::of(deployment, other, &other.members[0].chat).await;
    let elsewhere = format!("/console/guilds/{}/find?q=", other.id);
    for typed in [job.as_str(), "eu-1"] {
        stranger.get(&format!("{elsewhere}{typed}")).await.shows(200, "Nothing found.");
    }
}

async fn an_operator_goes_to_a_job_or_the_jobs_of_a_server_by_id(deployment: &Deployment) {
    let (guild, operator) = (deployment.guild(), Console::operator(deployment).await);
    let job = enqueue(deployment, &guild.right().chat).await;
    let jobs = operator.get("/console/instance/jobs").await;
    operator.press(&jobs, "Show jobs", &[("guild", &job)]).await.shows(200, &job);
    let of_guild = operator.press(&jobs, "Show jobs", &[("guild", &guild.id)]).await;
    of_guild.shows(200, &job).has_typed("guild", &guild.id);
    operator.press(&jobs, "Show jobs", &[("guild", "4711")]).await.refuses(
        "guild",
        "4711",
        "No job and no server has this id.",
    );
}

async fn an_operator_finds_jobs_and_servers_from_every_page(deployment: &Deployment) {
    let (guild, operator) = (deployment.guild(), Console::operator(deployment).await);
    let job = enqueue(deployment, &guild.right().chat).await;
    let queues = operator.get("/console/instance/queues").await;
    let bar = queues.form_asking("q").action;
    let find = async |typed: &str| {
        let found = operator.get(&format!("{bar}?q={typed}")).await;
        operator.get(found.location()).await
    };
    find(&job).await.shows(200, &job);
    find(&guild.id).await.shows(200, &job).has_typed("guild", &guild.id);
    find("no+such+server").await.shows(200, "No server has this id").has_typed("q", "no such server");
}
