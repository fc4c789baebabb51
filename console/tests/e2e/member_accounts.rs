//! What members see of the accounts before they agree, and of the sign-in on the way to /link.

use reqwest::Method;
use serde_json::json;
use testkit::console::Console;
use testkit::{Deployment, Member, in_turn};

in_turn!(
    the_sign_in_on_the_way_says_what_it_is_about(testkit::console::with_both_platforms),
    a_player_is_found_by_name_address_or_id(own),
    pictures_come_through_our_own_address(own),
);

/// The simulator gives every tenth user and guild none.
fn has_picture(id: &str) -> bool {
    id.parse::<i64>().unwrap() % 10 != 9
}

/// A member without a link who has a picture, signed in; words in the profile prove.
async fn unlinked(deployment: &Deployment) -> (&Member, Console) {
    let guild = deployment.guild();
    let at = format!("/guilds/{}/settings", guild.id);
    let ways = json!({ "link_ways": ["profile"] });
    deployment.api().send(Method::PATCH, &at, Some(ways)).await.ok();
    let member = guild.members[12..].iter().find(|member| has_picture(&member.chat)).unwrap();
    deployment.api().delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    (member, Console::of(deployment, guild, &member.chat).await)
}

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
    let (member, console) = unlinked(deployment).await;
    let begin = console.get(&format!("/link/{}", guild.id)).await;
    let prove = console.press(&begin, "Use words in my profile", &[]).await;
    let check =
        async |typed: &str| console.press(&prove, "Check my profile", &[("play_username", typed)]).await;
    check("").await.refuses("play_username", "", "Enter");
    let unknown = "https://www.roblox.com/users/987654321/profile";
    check(unknown).await.refuses("play_username", unknown, "knows no player");
    check("nobody_has_this").await.refuses("play_username", "nobody_has_this", "knows no player");
    let name = member.name.to_uppercase();
    check(&name).await.refuses("play_username", &name, "does not have the words yet");
    let address = format!("https://www.roblox.com/users/{}/profile", member.play);
    check(&address).await.refuses("play_username", &address, "does not have the words yet");
    let words = prove.texts("#profile .code strong").remove(0);
    let profile = json!({ "play_id": member.play, "description": words });
    deployment.simulator.change_profile(profile).await;
    let agree = check(&address).await;
    agree.shows(200, "Link these accounts").shows(200, "Discord since").shows(200, "Roblox since");
}

async fn pictures_come_through_our_own_address(deployment: &Deployment) {
    let guild = deployment.guild();
    let (member, console) = unlinked(deployment).await;
    let page = format!("/link/{}", guild.id);
    let picture = async |of: &str| console.get(&format!("{page}/picture/{of}")).await;
    let own = picture(&format!("chat?id={}", member.chat)).await;
    assert_eq!((own.status, own.header("content-type")), (200, "image/png"));
    assert_eq!(own.header("cache-control"), "private, max-age=3600");
    assert_eq!(own.header("x-content-type-options"), "nosniff");
    assert_eq!(picture("guild").await.status, if has_picture(&guild.id) { 200 } else { 404 });
    for other in ["play", "chat?id=7", "else", "guild?id=7"] {
        assert_eq!(picture(other).await.status, 404, "{other}");
    }
    assert_eq!(Console::new(deployment).get(&format!("{page}/picture/guild")).await.status, 303);

    let prove = console.press(&console.get(&page).await, "Use words in my profile", &[]).await;
    let words = prove.texts("#profile .code strong").remove(0);
    let profile = json!({ "play_id": member.play, "description": words });
    deployment.simulator.change_profile(profile).await;
    let typed = [("play_username", &*member.name)];
    let agree = console.press(&prove, "Check my profile", &typed).await;
    let play = format!("{page}/picture/play?id={}", member.play);
    assert!(agree.has(&format!("img[src='{play}']")), "{}", agree.html);
    assert_eq!(console.get(&play).await.status, 200);
    console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    let mine = console.get("/link").await;
    assert!(mine.has(&format!("img[src='{play}']")), "{}", mine.html);
}
