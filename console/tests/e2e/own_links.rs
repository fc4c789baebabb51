//! /link for members who come back: to the code that they type in a game, and to update their roles.

use serde_json::json;
use testkit::console::{Console, Page, link_page};
use testkit::{Deployment, in_turn};

in_turn!(a_code_stays_on_its_page_until_it_ends(own), members_update_their_own_roles);

/// Members switch to the game, type the code and come back: reloading is not beginning anew.
async fn a_code_stays_on_its_page_until_it_ends(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api());
    let ways = json!({ "link_ways": ["code", "profile"] });
    api.patch(&format!("/guilds/{}/settings", guild.id), ways).await.ok();
    let (member, at) = (&guild.members[19], link_page(guild));
    api.delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    let console = Console::of(deployment, guild, &member.chat).await;
    let code_on = |page: &Page| page.texts("#code .code strong").into_iter().next();
    let prove = console.press(&console.get(&at).await, "Get a code for a game", &[]).await;
    assert_eq!(prove.path(), at, "the page with the code is one that reloads");
    prove.shows(200, "within 15 minutes").shows(200, "It ends in 15 min");
    let code = code_on(&prove);
    assert!(code.is_some(), "{}", prove.text());
    for _ in 0..2 {
        assert_eq!(code_on(&console.get(&at).await), code);
    }
    // Another browser of the member has no code to show, and ends nothing.
    let elsewhere = Console::of(deployment, guild, &member.chat).await;
    let page = elsewhere.get(&at).await;
    assert_eq!(code_on(page.shows(200, "Do one of these")), None);
    assert_eq!(code_on(&console.get(&at).await), code);
    let anew = console.press(&prove, "New code", &[]).await;
    assert!(code_on(&anew).is_some() && code_on(&anew) != code, "{}", anew.text());
    let refused = console.press(&anew, "Check my profile", &[("play_username", "")]).await;
    assert_eq!(code_on(refused.shows(422, "Enter")), code_on(&anew), "an error keeps the code");
    let cancelled = console.press(&anew, "Cancel", &[]).await;
    assert_eq!(code_on(&cancelled), None);

    // The address of each form leads back to its page.
    for form in ["begin", "profile", "confirm", "cancel", "sync", "unlink"] {
        let page = console.get(&format!("{at}/{form}")).await;
        assert_eq!((page.status, page.location()), (303, at.as_str()), "{form}");
    }
    assert_eq!(console.get("/link/forget").await.location(), "/link");
    // Whoever has no console is not sent there.
    assert_eq!(console.get("/console").await.location(), at);
}

async fn members_update_their_own_roles(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = guild.lacking();
    let console = Console::of(deployment, guild, &member.chat).await;
    let linked = console.get(&link_page(guild)).await;
    linked.shows(200, &format!("has known your Roblox account {}", member.name));
    linked.shows(200, &format!("forgets that {} is you", member.name));
    linked.shows(200, "You can link again on this page.");
    let synced = console.press(&linked, "Update my roles", &[]).await;
    synced.shows(200, "Synced").shows(200, "gave");
    assert!(deployment.simulator.is_right(guild, member).await);
    console.press(&synced, "Update my roles", &[]).await.shows(200, "nothing had to change");
    let other = &guild.members[18].chat;
    deployment.api().delete(&format!("/guilds/{}/links/{other}", guild.id)).await.ok();
    let console = Console::of(deployment, guild, other).await;
    let refused = console.post(&format!("{}/sync", link_page(guild)), &[]).await;
    assert!(refused.status == 422 && refused.contains("not linked"), "{}", refused.text());
}
