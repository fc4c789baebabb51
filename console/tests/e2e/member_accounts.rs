//! What members see of the accounts before they agree, and of the sign-in on the way to /link.

use reqwest::Method;
use serde_json::json;
use testkit::console::Console;
use testkit::{Deployment, in_turn};

use crate::member_pages::with_both_platforms;

in_turn!(
    the_sign_in_on_the_way_says_what_it_is_about(with_both_platforms),
    a_player_is_found_by_name_address_or_id(own),
);

async fn the_sign_in_on_the_way_says_what_it_is_about(deployment: &Deployment) {
    let console = Console::new(deployment);
    let page = format!("/link/{}", deployment.guild().id);
    let sent = console.get(&page).await;
    let sign_in = console.get(sent.asks_to_sign_in().location()).await;
    sign_in.shows(200, "Sign in with Discord to link your Roblox account.");
    let text = sign_in.text();
    assert!(!text.contains("manage your server") && !text.contains("Sign in with a link"), "{text}");
    let start = console.get(&sign_in.link("Sign in with Discord")).await;
    assert_eq!(start.status, 303, "{}", start.text());
    console.get("/console/sign-in").await.shows(200, "manage your server").shows(200, "Sign in with a link");
}

async fn a_player_is_found_by_name_address_or_id(deployment: &Deployment) {
    let guild = deployment.guild();
    let at = format!("/guilds/{}/settings", guild.id);
    let ways = json!({ "link_ways": ["profile"] });
    deployment.api().send(Method::PATCH, &at, Some(ways)).await.ok();
    let member = &guild.members[16];
    deployment.api().delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    let console = Console::of(deployment, guild, &member.chat).await;
    let begin = console.get(&format!("/link/{}", guild.id)).await;
    let prove = console.press(&begin, "Use words in my profile", &[]).await;
    let check =
        async |typed: &str| console.press(&prove, "Check my profile", &[("play_username", typed)]).await;
    check("").await.refuses("play_username", "", "Enter");
    let unknown = "https://www.roblox.com/users/987654321/profile";
    check(unknown).await.refuses("play_username", unknown, "knows no player");
    let address = format!("https://www.roblox.com/users/{}/profile", member.play);
    check(&address).await.refuses("play_username", &address, "does not have the words yet");
    let words = prove.texts("#profile .code strong").remove(0);
    let profile = json!({ "play_id": member.play, "description": words });
    deployment.simulator.change_profile(profile).await;
    let agree = check(&address).await;
    agree.shows(200, "Link these accounts").shows(200, "Discord since").shows(200, "Roblox since");
}
