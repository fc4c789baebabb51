//! Fields that name people: what they suggest while somebody types, and what their forms do without it.

use testkit::console::{Console, Page};
use testkit::{Deployment, in_turn};

use super::security::set_permissions;

in_turn!(
    an_unlinked_player_is_banned_by_name_after_they_were_shown,
    a_part_of_a_name_leads_to_a_choice,
    a_choice_is_forgotten_with_its_text,
    a_choice_stays_while_the_form_asks_something_else,
    fields_suggest_members_by_either_name_and_players,
    who_may_not_look_members_up_is_shown_players_alone,
    links_flags_and_staff_are_named_too
);

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}{page}", deployment.guild().id)
}

async fn suggested(deployment: &Deployment, console: &Console, of: &str, typed: &str) -> Page {
    console.get(&below(deployment, &format!("/suggest?of={of}&q={typed}"))).await
}

/// What the field takes for each suggestion.
fn values(page: &Page) -> Vec<String> {
    page.each("[role=option]", |option| option.attr("data-value").unwrap_or_default().to_owned())
}

async fn unlink(deployment: &Deployment, chat: &str) {
    let path = format!("/guilds/{}/links/{chat}", deployment.guild().id);
    deployment.api().delete(&path).await.ok();
}

async fn an_unlinked_player_is_banned_by_name_after_they_were_shown(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let player = &deployment.other_guild().members[8];
    let (new, typed) = (below(deployment, "/moderation/bans/new"), player.name.to_uppercase());
    let form = [("identifier", typed.as_str()), ("reason", "exploits"), ("length", "ever")];
    let asked = console.post(&new, &form).await;
    asked.shows(200, &format!("No member is linked with {}. Check the account below", player.name));
    asked
        .shows(200, &format!("Roblox {}", player.play))
        .shows(200, "account made")
        .shows(200, "Not known here.");
    asked.has_typed("identifier", &typed).has_typed("reason", "exploits");
    console.get(&below(deployment, "/moderation/bans")).await.shows(200, "Nobody is banned.");
    let picture = asked.each(".picture img", |image| image.attr("src").unwrap().to_owned()).remove(0);
    let picture = console.get(&picture).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"));
    // Of another player nothing was shown yet.
    let other = [&form[..], &[("seen", "1")]].concat();
    console.post(&new, &other).await.shows(200, "Check the account below");
    let banned = console.press(&asked, "Add ban", &[("length", "ever")]).await;
    banned.shows(200, &format!("Banned {} permanently.", player.name)).shows(200, &player.play.to_string());
    // A mute of the same player: the form shows them while it is filled in, so one step is enough.
    let mute = below(deployment, "/moderation/mutes/new");
    let shown = console.get(&format!("{mute}?identifier={}", player.name)).await;
    shown.shows(200, "Known here: 1 ban here.").has_typed("seen", &player.play.to_string());
    let fields = [("reason", "noise"), ("length", "3600")];
    console.press(&shown, "Add mute", &fields).await.shows(200, &format!("Muted {} for", player.name));
}

async fn a_part_of_a_name_leads_to_a_choice(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[11];
    // Whoever is tenth, eleventh and so on begins with it.
    let part = &member.name[..member.name.len() - 1].replace("player", "layer");
    let new = below(deployment, "/moderation/bans/new");
    let form = [("identifier", part.as_str()), ("reason", "spam"), ("length", "ever")];
    let asked = console.post(&new, &form).await;
    asked.shows(200, "Several people match").has_typed("identifier", part).has_typed("reason", "spam");
    let choices = asked.each("[name=identifier_is]", |one| one.attr("value").unwrap().to_owned());
    let choice = format!("{} {part}", member.play);
    assert!(choices.contains(&choice), "{choices:?}");
    let chosen = [("identifier_is", choice.as_str()), ("length", "ever")];
    let banned = console.press(&asked, "Add ban", &chosen).await;
    banned.shows(200, &format!("Banned {} permanently.", member.name));
    // The filter of the list offers the same, and says who is banned.
    let list = console.get(&below(deployment, &format!("/moderation/bans?person={part}"))).await;
    list.shows(200, "Several people match").shows(200, "banned");
    let filtered = console.press(&list, "Show bans", &[("person_is", &choice)]).await;
    filtered.shows(200, "1 active ban").shows(200, &member.name);
    for page in ["/audit?actor=", "/bindings?member=", "/moderation/bans?moderator="] {
        let asked = console.get(&below(deployment, &format!("{page}{part}"))).await;
        asked.shows(200, &member.name);
        assert!(asked.has("input[type=radio]"), "{}", asked.text());
    }
}

async fn a_choice_is_forgotten_with_its_text(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let [meant, other] = [&guild.members[11], &guild.members[12]];
    let form = [
        ("identifier", other.name.as_str()),
        ("identifier_is", &format!("{} layer_1", meant.play)),
        ("reason", "spam"),
        ("length", "ever"),
    ];
    let banned = console.submit(&below(deployment, "/moderation/bans/new"), &form).await;
    banned.shows(200, &format!("Banned {} permanently.", other.name));
}

async fn a_choice_stays_while_the_form_asks_something_else(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    // An unlinked player, of whom the form asks whether that is the right one.
    let player = &deployment.other_guild().members[8];
    let choice = format!("{} layer", player.play);
    let form = [("identifier", "layer"), ("identifier_is", &choice), ("reason", "spam"), ("length", "ever")];
    let asked = console.post(&below(deployment, "/moderation/bans/new"), &form).await;
    asked.shows(200, "Check the account below");
    let banned = console.press(&asked, "Add ban", &[("length", "ever")]).await;
    banned.shows(200, &format!("Banned {} permanently.", player.name));
    // One that cannot be meant is not kept.
    let own = format!("{} layer", guild.members[0].chat);
    let form = [("identifier", "layer"), ("identifier_is", &own), ("reason", "spam"), ("length", "ever")];
    let refused = console.post(&below(deployment, "/moderation/bans/new"), &form).await;
    refused.refuses("identifier", "layer", "This is your own account.");
    assert!(!refused.has("[name=identifier_is]"), "{}", refused.html);
    // A filter that both fields are unclear in.
    let [first, second] = [&guild.members[11], &guild.members[12]];
    let both = console.get(&below(deployment, "/moderation/bans?person=layer&moderator=layer")).await;
    let choice = |of: &str| format!("{of} layer");
    let one = console.press(&both, "Show bans", &[("person_is", &choice(&first.chat))]).await;
    one.shows(200, "Several people match").has_typed("person_is", &choice(&first.chat));
    let none = console.press(&one, "Show bans", &[("moderator_is", &choice(&second.chat))]).await;
    assert!(!none.contains("Several people match"), "{}", none.text());
    none.has_typed("person_is", &choice(&first.chat)).has_typed("moderator_is", &choice(&second.chat));
}

async fn fields_suggest_members_by_either_name_and_players(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let (member, unlinked) = (&guild.members[11], &deployment.other_guild().members[12]);
    let part = member.name.replace("player", "LAYER");
    assert_eq!(values(&suggested(deployment, &console, "everybody", &part).await), [member.name.as_str()]);
    let by_id = suggested(deployment, &console, "members", &member.chat).await;
    assert!(by_id.text().contains(&format!("Discord {}", member.chat)), "{}", by_id.text());
    // The whole name of a player, in any case.
    let players = suggested(deployment, &console, "everybody", &unlinked.name.to_uppercase()).await;
    assert_eq!(values(&players)[0], unlinked.name);
    players.shows(200, "not linked");
    let members = suggested(deployment, &console, "members", &unlinked.name).await;
    assert!(!values(&members).contains(&unlinked.name), "{}", members.text());
    // Fields that take an id get one.
    let ids = suggested(deployment, &console, "players", &unlinked.name).await;
    assert_eq!(values(&ids)[0], unlinked.play.to_string());
    for typed in ["", "l", "no+such+person", "%25"] {
        let none = suggested(deployment, &console, "everybody", typed).await;
        assert_eq!((none.status, values(&none).len()), (200, 0), "{typed}");
    }
    let many = suggested(deployment, &console, "everybody", "layer").await;
    assert_eq!(values(&many).len(), 8);
    let staff = suggested(deployment, &console, "staff", &guild.members[1].name).await;
    staff.shows(200, &guild.members[1].chat);
}

async fn who_may_not_look_members_up_is_shown_players_alone(deployment: &Deployment) {
    let guild = deployment.guild();
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &["moderation.read", "moderation.write"]).await;
    let member = &guild.members[6];
    for of in ["members", "everybody", "players", "staff", "everything"] {
        let part = suggested(deployment, &staff, of, &member.name[..member.name.len() - 1]).await;
        let whole = suggested(deployment, &staff, of, &member.name).await;
        for page in [part, whole] {
            assert!(!page.html.contains(&member.chat), "{of}: {}", page.text());
        }
    }
    let player = suggested(deployment, &staff, "everybody", &member.name).await;
    assert_eq!(values(&player), [member.name.as_str()]);
    assert!(values(&suggested(deployment, &staff, "members", &member.name).await).is_empty());
    // They ban by the name that Roblox knows.
    let form = [("identifier", member.name.as_str()), ("reason", "spam"), ("length", "ever")];
    let banned = staff.submit(&below(deployment, "/moderation/bans/new"), &form).await;
    banned.shows(200, &format!("Banned {} permanently.", member.name));
}

async fn links_flags_and_staff_are_named_too(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let [member, staff] = [&guild.members[13], &guild.members[1]];
    unlink(deployment, &member.chat).await;
    let link = below(deployment, "/members/link");
    let both = console.get(&format!("{link}?chat_id={}&play_id={}", member.chat, member.name)).await;
    both.shows(200, "Link these accounts?").shows(200, &member.play.to_string());
    console
        .press(&both, "Link these accounts", &[])
        .await
        .shows(200, &format!("Linked with {}", member.name));
    let nobody = console.get(&format!("{link}?chat_id={}&play_id=no_such_player", member.chat)).await;
    nobody.refuses("play_id", "no_such_player", "Roblox has no player named");
    let flag = [("play_id", member.name.as_str()), ("reason", "exploits")];
    console.post(&below(deployment, "/shield/flag"), &flag).await.shows(200, &member.name);
    let note = [("staff_id", staff.name.as_str()), ("body", "calm under fire")];
    console.submit(&below(deployment, "/staff/notes"), &note).await.shows(200, "calm under fire");
    let strike = [("staff_id", staff.name.as_str()), ("severity", "3"), ("reason", "late")];
    console
        .submit(&below(deployment, "/staff/strikes"), &strike)
        .await
        .shows(200, &format!("Strike given to {}.", staff.name));
    let empty =
        console.post(&below(deployment, "/staff/strikes"), &[("severity", "3"), ("reason", "late")]).await;
    empty.refuses("staff_id", "", "Give the name or an id of a staff member.");
}
