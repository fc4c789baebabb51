//! Linking and unlinking a member in the console.

use std::time::Duration;

use serde_json::json;
use testkit::console::Console;
use testkit::{Deployment, OUTSIDER, eventually, in_turn};

use super::security::set_permissions;

in_turn!(
    a_member_is_unlinked_and_linked_again,
    both_accounts_are_shown_before_a_link_moves,
    two_members_swap_and_swap_back,
    what_is_wrong_stands_at_its_field,
    staff_do_not_link_themselves,
    who_has_no_link_keeps_a_page,
);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}{page}", deployment.guild().id)
}

async fn a_member_is_unlinked_and_linked_again(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = guild.right();
    let page = console.get(&below(deployment, &format!("/members/{}", member.chat))).await;
    let list = console.press(&page, "Unlink member", &[]).await;
    list.shows(200, &format!("Unlinked {}", member.name));
    eventually("roles and nickname are gone", WITHIN, async || {
        let found = deployment.simulator.member(guild, &member.chat).await;
        (found["roles"] == json!([]) && found["nick"].is_null()).then_some(())
    })
    .await;
    let back = console.undo(&list).await;
    back.shows(200, &format!("Linked with {}", member.name));
    eventually("roles and nickname are back", WITHIN, async || {
        deployment.simulator.is_right(guild, member).await.then_some(())
    })
    .await;
    let row = back.texts("#links tr").join(" | ");
    assert!(row.contains("removed") && row.contains("made by"), "{row}");
}

async fn both_accounts_are_shown_before_a_link_moves(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let (from, to) = (&guild.members[5], &guild.members[6]);
    let list = console.get(&below(deployment, "/members")).await;
    let form = console.get(&list.link("Link a member")).await;
    let play = from.play.to_string();
    let both = console.press(&form, "Show both accounts", &[("chat_id", &to.chat), ("play_id", &play)]).await;
    both.shows(200, &format!("This member is linked to {}", to.name));
    both.shows(200, &format!("({}). That link ends, and with it their roles and nickname.", from.chat));
    let moved = console.press(&both, "Move the link", &[]).await;
    moved.shows(200, &format!("Linked with {}", from.name));
    let again =
        console.get(&below(deployment, &format!("/members/link?chat_id={}&play_id={play}", to.chat))).await;
    again.shows(200, "These accounts are linked already");
}

async fn two_members_swap_and_swap_back(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let (one, other) = (&guild.members[5], &guild.members[6]);
    let named = async |chat: &str, play: i64| {
        console.get(&below(deployment, &format!("/members/link?chat_id={chat}&play_id={play}"))).await
    };
    let both = named(&one.chat, other.play).await;
    both.shows(200, &format!("gets {} ({}).", one.name, one.play));
    let swapped = console.press(&both, "Swap", &[]).await;
    swapped.shows(200, &format!("Swapped: linked with {}", other.name));
    named(&other.chat, one.play).await.shows(200, "These accounts are linked already");
    console.undo(&swapped).await.shows(200, &format!("Swapped: linked with {}", one.name));
    // Without a link of this member there is nothing to exchange.
    let page = console.get(&below(deployment, &format!("/members/{}", one.chat))).await;
    console.press(&page, "Unlink member", &[]).await;
    let moves = named(&one.chat, other.play).await;
    moves.shows(200, "Move the link");
    assert!(!moves.contains("Swap"), "{}", moves.text());
    let late = console.press(&both, "Swap", &[]).await;
    assert!(late.status == 422 && late.contains("not linked"), "{}", late.text());
}

async fn what_is_wrong_stands_at_its_field(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let form = console.get(&below(deployment, "/members/link")).await;
    let wrong = console.press(&form, "Show both accounts", &[("chat_id", OUTSIDER), ("play_id", "x")]).await;
    wrong.refuses("play_id", "x", "Give the Roblox id");
    let wrong = console.press(&form, "Show both accounts", &[("chat_id", ""), ("play_id", "5")]).await;
    wrong.refuses("chat_id", "", "Give a Discord id");
    let unknown = [("chat_id", OUTSIDER), ("play_id", "987654321")];
    let shown = console.press(&form, "Show both accounts", &unknown).await;
    shown.shows(200, "Roblox knows no such account.").shows(200, "not a member of the Discord server");
    let refused = console.press(&shown, "Link these accounts", &[]).await;
    assert!(refused.status == 422 && refused.contains("knows no player"), "{}", refused.text());
}

async fn staff_do_not_link_themselves(deployment: &Deployment) {
    let guild = deployment.guild();
    let role = json!({ "role_name": "Linker", "permissions": ["lookup.read", "links.write"] });
    let at = format!("/guilds/{}/staff/roles/{}", guild.id, guild.roles[3]);
    deployment.api().send(reqwest::Method::PUT, &at, Some(role)).await.ok();
    let (own, other) = (&guild.members[1], &guild.members[7]);
    let console = Console::of(deployment, guild, &own.chat).await;
    let typed = [("chat_id", &*own.chat), ("play_id", "987654321"), ("replace", "yes")];
    console.get("/console/sessions").await;
    let refused = console.post(&below(deployment, "/members/link"), &typed).await;
    assert!(refused.status == 403 && refused.contains("about yourself"), "{}", refused.text());
    for (chat, with) in [(&own.chat, &other.chat), (&other.chat, &own.chat)] {
        let typed = [("chat_id", &**chat), ("other", &**with)];
        let refused = console.post(&below(deployment, "/members/link/swap"), &typed).await;
        assert!(refused.status == 403 && refused.contains("about yourself"), "{}", refused.text());
    }
    let page = console.get(&below(deployment, &format!("/members/{}", other.chat))).await;
    console.press(&page, "Unlink member", &[]).await.shows(200, "Unlinked");
}

async fn who_has_no_link_keeps_a_page(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let (member, play) = (&guild.members[8], guild.members[8].play.to_string());
    let page = below(deployment, &format!("/members/{}", member.chat));
    console.press(&console.get(&page).await, "Unlink member", &[]).await.shows(200, "Unlinked");
    let former = console.get(&page).await;
    former.shows(200, "No Roblox account is linked").shows(200, "neither banned nor muted");
    let links = former.texts("#links tr").join(" | ");
    assert!(links.contains(&member.name) && links.contains(&play) && links.contains("removed"), "{links}");
    assert!(!former.texts("#audit td").is_empty(), "{}", former.text());
    for id in [&member.chat, &play] {
        let found = console.get(&below(deployment, &format!("/find?q={id}"))).await;
        assert_eq!((found.status, found.location()), (303, page.as_str()), "{id}");
        let listed = console.get(&below(deployment, &format!("/members?q={id}"))).await;
        assert_eq!(listed.link(&member.name), page, "{id}");
    }
    console.get(&former.link("Link member")).await.has_typed("chat_id", &member.chat);

    // The history of links is the audit log's.
    set_permissions(deployment, &["lookup.read"]).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let shown = staff.get(&page).await;
    assert!(shown.status == 200 && !shown.has("#links") && !shown.has("#audit"), "{}", shown.text());
    let found = staff.get(&below(deployment, &format!("/find?q={play}"))).await;
    assert!(found.status == 200 && !found.contains(&member.chat), "{}", found.text());
}
