//! /console/guilds/:guild/sync: the preview, the safety limit, the run, its cancel and its history.

use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, Guild, both_modes, eventually};

use testkit::console::{Console, Page};

both_modes!(
    a_preview_lists_who_gets_and_loses_what,
    a_safety_limit_that_is_no_number_starts_nothing,
    a_safety_limit_stops_the_run_before_its_first_change,
    a_run_names_what_goes_and_uses_the_hour,
    a_running_sync_is_cancelled_and_found_again(|setup| setup.members(300).latency_ms(200)),
    a_long_run_lists_each_change_once(|setup| setup.members(700)),
    a_members_page_says_what_a_sync_changed_and_why,
    who_is_out_of_step_is_listed_until_synced,
    a_run_is_undone_within_the_hour,
    the_pace_of_automatic_syncs_is_set,
    automatic_syncs_that_stopped_go_on(|setup| setup.members(100).env("GUILDHALL_FOLLOW_SHARE", "100")),
    staff_without_the_right_find_no_sync
);

/// Roles of the fixture, in the order of `Guild::roles`.
const ROLES: [&str; 4] = ["Member", "Trainee", "Officer", "Captain"];

fn sync(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/sync", deployment.guild().id)
}

fn role<'r>(guild: &Guild, id: &str) -> &'r str {
    ROLES[guild.roles.iter().position(|role| role == id).unwrap()]
}

/// Members with a surplus role, which a sync removes.
fn removals(guild: &Guild) -> usize {
    guild.members[1..].iter().filter(|member| member.held.len() == 2).count()
}

/// The job whose page this is, or whose preview it shows.
fn job(page: &Page) -> String {
    page.path().rsplit(['/', '=']).next().unwrap().to_owned()
}

/// Previews the sync, and shows the page when the preview is done.
async fn previewed(deployment: &Deployment, console: &Console) -> Page {
    let page = console.get(&sync(deployment)).await;
    let begun = console.press(&page, "Preview the sync", &[]).await;
    let ended = deployment.job_ended(&job(&begun)).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    console.get(&begun.path()).await
}

async fn a_preview_lists_who_gets_and_loses_what(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let empty = owner.get(&sync(deployment)).await;
    empty.shows(200, "Nobody has looked yet.").shows(200, "No sync ran yet.");
    empty.shows(200, "30 linked members and 4 bindings").shows(200, "Previews this hour 6 of 6");
    let page = previewed(deployment, &owner).await;
    let (losing, named) = (removals(guild), guild.members.iter().filter(|one| one.nick != one.name).count());
    let given = guild.members.iter().filter(|member| member.held.is_empty()).count();
    page.shows(200, &format!("Members to change {} of 30 Roles to give {given}", guild.changes()));
    page.shows(200, &format!("Roles to take {losing} Members losing roles {losing} Nicknames {named}"));
    let (lacking, extra, misnamed) = (guild.lacking(), guild.with_extra(), guild.misnamed());
    let rank = |member: &testkit::Member| format!("{} in ", role(guild, &member.wanted));
    let row = |page: &Page, member: &testkit::Member| page.row(&member.name);
    let lacks = format!("+ {} – – {}", role(guild, &lacking.wanted), rank(lacking));
    assert!(row(&page, lacking).contains(&lacks), "{}", row(&page, lacking));
    let has = format!("– {} – {}", role(guild, &extra.held[1]), rank(extra));
    assert!(row(&page, extra).contains(&has), "{}", row(&page, extra));
    let named = format!("– – {} the template of nicknames", misnamed.name);
    assert!(row(&page, misnamed).ends_with(&named), "{}", row(&page, misnamed));
    let right = &guild.members[10];
    assert!(!right.needs_change() && !page.contains(&right.name), "{}", page.text());
    assert_eq!(deployment.simulator.updates_of(guild).await, 0);
    page.shows(200, "Previews this hour 5 of 6").shows(200, "Syncs this hour 1 of 1");
    assert!(page.row("Preview of a sync").contains("succeeded"));
    let of_job = owner.get(&page.link("Preview of a sync")).await;
    of_job.shows(200, "Everything: this is a preview.");
    let again = owner.get(&of_job.link("Show who gets and loses what")).await;
    again.shows(200, &lacking.name);
}

async fn a_safety_limit_that_is_no_number_starts_nothing(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&owner.get(&sync(deployment)).await.link("Run the sync")).await;
    page.shows(200, "The removals are unknown");
    for typed in ["fifty", "-1", "1.5"] {
        let sent = [("max_removals", typed), ("word", "sync")];
        let refused = owner.press(&page, "Run without a preview", &sent).await;
        refused.refuses("max_removals", typed, "Enter how many");
    }
    let unsure = owner.press(&page, "Run without a preview", &[("max_removals", "7"), ("word", "no")]).await;
    unsure.refuses("word", "no", "Type sync here").keeps("max_removals", "7");
    let wrong =
        owner.press(&unsure, "Run without a preview", &[("max_removals", "x"), ("word", "sync")]).await;
    wrong.refuses("max_removals", "x", "Enter how many").keeps("word", "sync");
    assert!(deployment.job_rows("sync_all").await.is_empty());
    owner
        .get(&sync(deployment))
        .await
        .shows(200, "Syncs this hour 1 of 1")
        .shows(200, "Previews this hour 6 of 6");
}

async fn a_safety_limit_stops_the_run_before_its_first_change(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let fewer = (removals(guild) - 1).to_string();
    let page = previewed(deployment, &owner).await;
    let ask = owner.get(&page.link("Run the sync")).await;
    // The safety limit is the preview's number, so that no other role is removed.
    let loss = format!("Remove {0} roles from {0} members", removals(guild));
    ask.shows(200, &loss).has_typed("max_removals", &removals(guild).to_string());
    let begun = owner.press(&ask, &loss, &[("max_removals", &fewer), ("word", "sync")]).await;
    deployment.job_ended(&job(&begun)).await;
    let ended = owner.get(&begun.path()).await;
    ended.shows(200, "failed").shows(200, "too_many_removals").shows(200, "Retry job");
    let stopped = format!("The sync would remove {} roles, more than its limit of {fewer}", removals(guild));
    ended.shows(200, &stopped);
    assert!(!ended.contains("of 30 done"), "{}", ended.text());
    owner.get(&ended.link("Run it with another limit")).await.shows(200, "Safety limit");
    assert_eq!(deployment.simulator.updates_of(guild).await, 0);
    owner.get(&sync(deployment)).await.shows(200, "Syncs this hour 1 of 1");
    let home = owner.get(&format!("/console/guilds/{}", guild.id)).await;
    owner.get(&home.link("1 job failed in the last 24 h")).await.shows(200, "Sync of all members");
}

async fn a_run_names_what_goes_and_uses_the_hour(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let page = previewed(deployment, &owner).await;
    let ask = owner.get(&page.link("Run the sync")).await;
    let loss = format!("Remove {0} roles from {0} members", removals(guild));
    let begun = owner.press(&ask, &loss, &[("word", " SYNC ")]).await;
    begun.shows(200, "The sync has started. You can leave this page and find it again under Jobs.");
    deployment.job_ended(&job(&begun)).await;
    let ended = owner.get(&begun.path()).await;
    ended.shows(200, "succeeded").shows(200, &format!("Members changed {}", guild.changes()));
    ended.shows(200, "What it leaves alone").shows(200, "30 of 30 done").shows(200, "Roles given ");
    assert_eq!(ended.texts("#outcome tbody .person a").len(), guild.changes(), "{}", ended.text());
    assert!(!ended.contains("Cancel this job"), "{}", ended.text());
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
    let after = owner.get(&sync(deployment)).await;
    after.shows(200, "Syncs this hour 0 of 1").shows(200, "used one just now");
    after.shows(200, "in step Nobody: all linked members");
    owner
        .get(&page.path())
        .await
        .shows(200, "A sync has changed members since: this is the state before it.");
    assert!(after.row("Sync of all members").contains(&guild.members[0].name), "{}", after.text());
    owner.get(&after.link("its job")).await.shows(200, &job(&begun));
    // A second run within the hour.
    after.shows(200, "One run an hour. The next is possible in 60 min");
    assert!(!after.links().iter().any(|link| link.ends_with("/sync/run")), "{}", after.html);
    let late = owner.get(&format!("{}/run", sync(deployment))).await;
    late.shows(200, "The run of this hour is used: ").shows(200, &guild.members[0].name);
    assert!(late.has("button.danger[disabled]"), "{}", late.html);
    let refused = owner.post(&format!("{}/run", sync(deployment)), &[("word", "sync")]).await;
    refused.shows(422, "The run of this hour is used: ");
    assert_eq!(refused.link("Show its job"), begun.path());
    previewed(deployment, &owner)
        .await
        .shows(200, "have the right roles and nickname: a sync would change nothing.");
    owner.get(&format!("{}/run", sync(deployment))).await.shows(200, "Nothing to change");
}

/// Its parts continue from one chunk to the next.
async fn a_long_run_lists_each_change_once(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    assert!(guild.changes() > 200, "more than a chunk has");
    let ask = owner.get(&format!("{}/run", sync(deployment))).await;
    let begun = owner.press(&ask, "Run without a preview", &[("word", "sync")]).await;
    deployment.job_ended(&job(&begun)).await;
    let mut part = owner.get(&begun.path()).await;
    let mut listed = Vec::new();
    loop {
        let links = part.links();
        let is_listed = |member: &&testkit::Member| {
            links.iter().any(|link| link.ends_with(&format!("/members/{}", member.chat)))
        };
        listed.extend(guild.members[1..].iter().filter(is_listed).map(|member| member.chat.clone()));
        if !part.contains("Load more") {
            break;
        }
        part = owner.get(&part.link("Load more")).await;
    }
    assert_eq!(listed.len(), guild.changes());
    assert!(
        guild.members.iter().filter(|member| member.needs_change()).all(|one| listed.contains(&one.chat))
    );
}

async fn a_running_sync_is_cancelled_and_found_again(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let ask = owner.get(&format!("{}/run", sync(deployment))).await;
    let begun = owner.press(&ask, "Run without a preview", &[("word", "sync")]).await;
    eventually("members are being changed", Duration::from_secs(20), async || {
        (deployment.member_updates().await >= 5).then_some(())
    })
    .await;
    let list = owner.get(&format!("/console/guilds/{}/jobs?kind=sync_all", guild.id)).await;
    let running = owner.get(&list.link("Sync of all members")).await;
    assert_eq!(running.path(), begun.path());
    running.shows(200, "of 300 done").shows(200, "Members to change");
    assert!(!running.text().contains("Members changed"), "what is counted at the end: {}", running.text());
    let cancelled = owner.press(&running, "Cancel job", &[]).await;
    cancelled.shows(200, "The job stops at its next step. Its changes so far stay.");
    deployment.job_ended(&job(&begun)).await;
    let ended = owner.get(&begun.path()).await;
    ended.shows(200, "cancelled");
    assert!(!ended.contains("Cancel job") && !ended.contains("Retry job"), "{}", ended.text());
    let (changed, wanted) = (deployment.member_updates().await, guild.changes() as u64);
    assert!((5..wanted).contains(&changed), "{changed} of {wanted}");
    ended.shows(200, &format!("Members changed {changed}"));
    let late = owner.post(&format!("{}/cancel", begun.path()), &[]).await;
    late.shows(409, "The job has ended already").shows(409, "cancelled");
    assert!(owner.get(&sync(deployment)).await.row("Sync of all members").contains("cancelled"));
}

async fn staff_without_the_right_find_no_sync(deployment: &Deployment) {
    let guild = deployment.guild();
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let home = staff.get(&format!("/console/guilds/{}", guild.id)).await;
    assert!(!home.links().iter().any(|link| link.ends_with("/sync") || link.ends_with("/jobs")));
    for page in ["", "/run"] {
        staff.get(&format!("{}{page}", sync(deployment))).await.shows(404, "There is no such page");
    }
    for form in ["/preview", "/run"] {
        let sent = staff.post(&format!("{}{form}", sync(deployment)), &[("word", "sync")]).await;
        sent.shows(404, "There is no such page");
    }
    assert!(deployment.job_rows("sync_all").await.is_empty());
}

async fn a_members_page_says_what_a_sync_changed_and_why(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let answer = deployment.api().post("/interactions/sync/all", json!({})).await.ok();
    deployment.job_ended(answer["job_id"].as_str().unwrap()).await;
    let member = guild.lacking();
    let page = owner.get(&format!("/console/guilds/{}/members/{}", guild.id, member.chat)).await;
    page.shows(200, &format!("synced {}: gave ", member.name)).shows(200, "(sync of all members)");
    let entry = owner.get(&page.link("synced")).await;
    entry.shows(200, &format!("Ranks in it: {}", member.rank));
}

async fn the_pace_of_automatic_syncs_is_set(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&sync(deployment)).await;
    page.shows(200, "The operator of this service has switched them off");
    let wrong = [("every_minutes", "60"), ("brake_percent", "0")];
    owner.press(&page, "Save", &wrong).await.refuses("brake_percent", "0", "1 to 100");
    let saved = owner.press(&page, "Save", &[("every_minutes", "1440"), ("brake_percent", "25")]).await;
    saved.shows(200, "Automatic syncs changed.");
    saved.has_typed("every_minutes", "1440").has_typed("brake_percent", "25");
    let path = format!("/guilds/{}/follow", deployment.guild().id);
    deployment.api().patch(&path, json!({ "every_minutes": 77 })).await.ok();
    owner.get(&sync(deployment)).await.shows(200, "Every 77 minutes").has_typed("every_minutes", "77");
}

async fn automatic_syncs_that_stopped_go_on(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let sees = async |text: &str| {
        eventually(&format!("the page says {text:?}"), Duration::from_secs(40), async || {
            let page = owner.get(&sync(deployment)).await;
            page.contains(text).then_some(page)
        })
        .await
    };
    sees(&format!("changed {} members", guild.changes())).await;
    for member in &guild.members {
        let gone = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [] });
        deployment.simulator.change_member(gone).await;
    }
    let page = owner.get(&sync(deployment)).await;
    owner.press(&page, "Save", &[("every_minutes", "60")]).await;
    let stopped = sees("The last one stopped").await;
    stopped.shows(200, "no linked member is in group");
    owner.press(&stopped, "Sync all the same", &[]).await.shows(200, "The next automatic sync starts now");
    let losing = guild.members.iter().filter(|member| member.rank > 0).count();
    sees(&format!("changed {losing} members")).await;
}

async fn who_is_out_of_step_is_listed_until_synced(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let home = format!("/console/guilds/{}", guild.id);
    previewed(deployment, &owner).await;
    let waits = format!("{} members are out of step", guild.changes());
    let listed = owner.get(&owner.get(&home).await.link(&waits)).await;
    listed.shows(200, &format!("out of step {} members, as of just now", guild.changes()));
    listed.shows(200, "They stay so until somebody syncs.");
    let member = guild.lacking();
    assert!(listed.row(&member.name).contains(&format!("+ {}", role(guild, &member.wanted))));
    deployment.api().post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    let after = owner.get(&sync(deployment)).await;
    after.shows(200, &format!("out of step {} members", guild.changes() - 1));
    assert!(!after.links().iter().any(|link| link.ends_with(&format!("/members/{}", member.chat))));
    let run = deployment.api().post("/interactions/sync/all", json!({})).await.ok();
    deployment.job_ended(run["job_id"].as_str().unwrap()).await;
    owner.get(&sync(deployment)).await.shows(200, "in step Nobody");
    assert!(!owner.get(&home).await.contains("out of step"));
}

async fn a_run_is_undone_within_the_hour(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let wrong = deployment.simulator.wrong(guild).await;
    let ask = owner.get(&format!("{}/run", sync(deployment))).await;
    let begun = owner.press(&ask, "Run without a preview", &[("word", "sync")]).await;
    deployment.job_ended(&job(&begun)).await;
    let ended = owner.get(&begun.path()).await;
    let undo = owner.press(&ended, "Undo this sync", &[]).await;
    undo.shows(200, "The undo has started. Automatic syncs wait until you let them go on.");
    deployment.job_ended(&job(&undo)).await;
    assert_eq!(deployment.simulator.wrong(guild).await, wrong, "as before");
    let undone = owner.get(&undo.path()).await;
    undone.shows(200, "Undo of a sync").shows(200, &format!("Members changed {}", guild.changes()));
    undone.shows(200, "What it changed").shows(200, &guild.lacking().name);
    let again = owner.get(&begun.path()).await;
    again.shows(200, "This sync was undone");
    assert!(!again.contains("Undo this sync"));
    let page = owner.get(&sync(deployment)).await;
    page.shows(200, &format!("out of step {} members", guild.changes()));
    let admin = Console::of(deployment, guild, &guild.members[1].chat).await;
    admin.post(&format!("{}/undo", begun.path()), &[]).await.shows(404, "There is no such page");
}
