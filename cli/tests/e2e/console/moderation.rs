//! /console/guilds/:guild/moderation: bans and mutes.

use testkit::{Deployment, both_modes};

use super::{Console, Page};

both_modes!(
    a_player_is_banned_by_name_and_the_ban_is_taken_back,
    a_lifted_ban_goes_on_by_undo,
    nobody_bans_themselves,
    a_new_length_supersedes,
    lifting_asks_where_others_end_too,
    what_is_wrong_stands_at_its_field,
    a_reason_is_text_and_its_addresses_are_links
);

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}/moderation{page}", deployment.guild().id)
}

/// Bans an account and shows the ban.
async fn ban(deployment: &Deployment, console: &Console, more: &[(&str, &str)]) -> Page {
    let form: Vec<_> = more.iter().copied().chain([("reason", "spam"), ("length", "604800")]).collect();
    console.submit(&below(deployment, "/bans/new"), &form).await
}

async fn a_player_is_banned_by_name_and_the_ban_is_taken_back(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[7];
    console.get(&below(deployment, "")).await.shows(200, "Nobody is banned.");
    let banned = ban(deployment, &console, &[("identifier", &member.name.to_uppercase())]).await;
    banned.shows(200, &member.name).shows(200, "spam").shows(200, "in 7 days").shows(200, "active");
    console.get(&below(deployment, "/bans")).await.shows(200, &member.name).shows(200, "Lift ban");
    console.get(&below(deployment, "/mutes")).await.shows(200, "Nobody is muted.");
    let undone = console.undo(&banned).await;
    undone.shows(200, "1 ban lifted.").shows(200, "lifted");
    console.get(&below(deployment, "/bans")).await.shows(200, "Nobody is banned.");
    let found = format!("/bans?state=all&person={}&moderator={}", member.chat, guild.members[0].chat);
    console.get(&below(deployment, &found)).await.shows(200, "spam").shows(200, "lifted");
    console.get(&below(deployment, "/bans?state=all&place=5")).await.shows(200, "Nothing matches");
}

/// The chat platform would remove them from the guild, and they could lift nothing.
async fn nobody_bans_themselves(deployment: &Deployment) {
    let (own, console) = (&deployment.guild().members[0], Console::owner(deployment).await);
    for account in [own.chat.clone(), own.play.to_string(), own.name.clone()] {
        let form = [("identifier", account.as_str()), ("reason", "spam"), ("length", "604800")];
        let refused = console.post(&below(deployment, "/bans/new"), &form).await;
        refused.shows(422, "This is your own account.");
    }
    console.get(&below(deployment, "/bans")).await.shows(200, "Nobody is banned.");
}

async fn a_lifted_ban_goes_on_by_undo(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let banned = ban(deployment, &console, &[("identifier", "555001"), ("place_id", "77")]).await;
    banned.shows(200, "Roblox 555001").shows(200, "Place 77");
    let form = banned.form_with("Lift ban");
    let lifted = console.submit(&form.action, &[]).await;
    lifted.shows(200, "1 ban lifted.");
    let again = console.undo(&lifted).await;
    again
        .shows(200, "goes on with the rest of")
        .shows(200, "spam")
        .shows(200, "in 7 days")
        .shows(200, "Place 77");
}

async fn a_new_length_supersedes(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let first = ban(deployment, &console, &[("identifier", "555001")]).await;
    let form = first.form_with("Change length");
    let longer = [("length", "own"), ("amount", "3"), ("unit", "604800"), ("reason", "spam again")];
    let second = console.submit(&form.action, &longer).await;
    second.shows(200, "takes the place of").shows(200, "in 21 days").shows(200, "spam again");
    let first = console.get(form.action.trim_end_matches("/prolong")).await;
    first.shows(200, "replaced").shows(200, "with Ban #");
    let none = console.post(&second.form_with("Change length").action, &[("reason", "x")]).await;
    none.shows(422, "Choose how long it lasts.");
    // The replaced one is history.
    let over = console.submit(&form.action, &longer).await;
    over.shows(200, "This ban has ended, so its length stays.");
}

async fn lifting_asks_where_others_end_too(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    ban(deployment, &console, &[("identifier", "555001"), ("place_id", "77")]).await;
    let wide = ban(deployment, &console, &[("identifier", "555001")]).await;
    wide.shows(200, "ends these bans of the same person too").shows(200, "in place 77");
    let form = wide.form_with("Lift all 2 bans");
    let asked = console.post(&form.action, &[]).await;
    assert!(asked.location().ends_with("#lift"), "{}", asked.location());
    console.submit(&form.action, &[("all", "yes")]).await.shows(200, "2 bans lifted.");
}

async fn what_is_wrong_stands_at_its_field(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let new = below(deployment, "/mutes/new");
    console.get(&format!("{new}?identifier=555001")).await.shows(200, "Add mute");
    let unknown = [("identifier", "Nobody Here"), ("reason", "spam"), ("length", "ever")];
    let refused = console.post(&new, &unknown).await;
    refused.shows(422, "No linked member is named");
    assert!(refused.html.contains("spam"), "what was typed is there");
    let long = [
        ("identifier", "555001"),
        ("length", "own"),
        ("amount", "90000"),
        ("unit", "604800"),
        ("reason", "r"),
    ];
    console.post(&new, &long).await.shows(422, "1 second to 100 years");
    console.post(&new, &[("identifier", "555001"), ("length", "ever")]).await.shows(422, "Reason: say why");
    let place = [("identifier", "555001"), ("length", "ever"), ("reason", "r"), ("place_id", "lobby")];
    console.post(&new, &place).await.shows(422, "Place: enter the number");
    console.get(&below(deployment, "/bans?person=Nobody+Here")).await.shows(422, "No linked member is named");
    console.get(&below(deployment, "/bans?place=lobby")).await.shows(422, "digits only");
    console.get(&below(deployment, "/kicks")).await.shows(404, "There is no such page");
}

async fn a_reason_is_text_and_its_addresses_are_links(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let reason = "<b>fly</b> https://a.example/v?x=\"1 javascript:alert(1)";
    let form = [("identifier", "555001"), ("length", "ever"), ("reason", reason)];
    let page = console.submit(&below(deployment, "/bans/new"), &form).await;
    page.shows(200, reason).shows(200, "for ever");
    assert!(!page.html.contains("<b>fly"));
    let link = r#"href="https://a.example/v?x=" rel="noopener noreferrer nofollow""#;
    assert!(page.html.contains(link), "{}", page.html);
    assert!(!page.links().iter().any(|link| link.starts_with("javascript:")));
}
