//! /console/guilds/:guild/log-channels: a log channel from its form to its end.

use std::time::Duration;

use serde_json::json;
use testkit::console::Console;
use testkit::{Deployment, eventually, in_turn};

use super::security::{permissions, set_permissions};

in_turn!(
    a_channel_is_set_changed_switched_and_removed,
    a_channel_that_was_refused_is_noticed_and_switched_on(own),
    what_is_wrong_with_a_log_channel_stands_at_its_field,
    staff_with_every_permission_see_no_log_channels
);

fn page_of(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/log-channels", deployment.guild().id)
}

async fn a_channel_is_set_changed_switched_and_removed(deployment: &Deployment) {
    let (owner, channel) = (Console::owner(deployment).await, deployment.guild().id.as_str());
    let page = owner.get(&page_of(deployment)).await;
    page.shows(200, "This server has no log channels.");
    assert_eq!(page.form_with("Save log channel").choices("channel_id"), [channel]);
    let form = [("channel_id", channel), ("news", "moderation"), ("news", "failures")];
    let set = owner.press(&page, "Save log channel", &form).await;
    set.shows(200, "News are posted there from now on.");
    assert!(set.row("#general").contains("Moderation, Failures on"), "{}", set.row("#general"));
    let change = owner.get(&set.link("#general")).await;
    change.has_typed("channel_id", channel);
    let form = [("channel_id", channel), ("news", "links")];
    let changed = owner.submit(&page_of(deployment), &form).await;
    assert!(changed.row("#general").contains("Links on"), "{}", changed.row("#general"));
    let off = owner.press(&changed, "Switch off #general", &[]).await;
    off.shows(200, "It is off: nothing is posted.");
    owner.press(&off, "Switch on #general", &[]).await.shows(200, "It is on");
    let removed = owner.press(&off, "Remove #general", &[]).await;
    removed.shows(200, "No more news are posted there.").shows(200, "This server has no log channels.");
    let log = owner.get(&format!("/console/guilds/{channel}/audit?action=log_channels.put")).await;
    log.shows(200, "set which news channel").shows(200, "Links");
}

async fn a_channel_that_was_refused_is_noticed_and_switched_on(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, deployment.guild());
    let form = [("channel_id", guild.id.as_str()), ("news", "staff")];
    let page = owner.get(&page_of(deployment)).await;
    let route = "POST /channels/:channel/messages";
    deployment.fault(json!({ "route": route, "status": 404, "code": 10_003, "count": 1 })).await;
    // Its own entry is the first news.
    owner.press(&page, "Save log channel", &form).await;
    let page = eventually("the channel is switched off", Duration::from_secs(20), async || {
        let page = owner.get(&page_of(deployment)).await;
        page.row("#general").contains("switched off").then_some(page)
    })
    .await;
    page.shows(200, "Discord refused a message");
    let home = owner.get(&format!("/console/guilds/{}", guild.id)).await;
    home.shows(200, "1 log channel switched off");
    owner.press(&page, "Switch on #general", &[]).await.shows(200, "It is on");
}

async fn what_is_wrong_with_a_log_channel_stands_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&page_of(deployment)).await;
    let none = owner.press(&page, "Save log channel", &[("channel_id", &deployment.guild().id)]).await;
    none.shows(422, "at least one kind");
    let other = [("channel_id", deployment.other_guild().id.as_str()), ("news", "links")];
    owner.post(&page_of(deployment), &other).await.shows(422, "no text channel with this id");
    owner.post(&page_of(deployment), &[("news", "links")]).await.shows(422, "Choose a channel.");
}

async fn staff_with_every_permission_see_no_log_channels(deployment: &Deployment) {
    let guild = deployment.guild();
    let all = permissions();
    set_permissions(deployment, &all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let home = staff.get(&format!("/console/guilds/{}", guild.id)).await;
    assert!(!home.links().contains(&page_of(deployment)), "{}", home.text());
    staff.get(&page_of(deployment)).await.shows(404, "There is no such page");
    let form = [("channel_id", guild.id.as_str()), ("news", "staff")];
    staff.post(&page_of(deployment), &form).await.shows(404, "There is no such page");
    assert!(deployment.audit("log_channels.put").await.is_empty());
}
