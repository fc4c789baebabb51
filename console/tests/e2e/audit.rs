//! /console/guilds/:guild/audit: entries with before and after, and the filters of the list.

use chrono::{DateTime, Utc};
use serde_json::json;
use testkit::{Deployment, in_turn};

use super::security::{set_permissions, sql};
use testkit::console::Console;

in_turn!(
    entries_say_who_did_what_to_whom,
    a_person_is_found_by_name_and_by_both_accounts,
    an_entry_shows_who_changed_what_from_what,
    entries_are_found_by_action_person_and_target,
    a_day_is_whole_and_in_utc,
    a_filter_that_cannot_be_read_is_said_at_its_field,
    an_export_of_such_a_filter_is_refused,
    a_long_log_goes_on_with_its_filter,
    staff_without_the_right_read_nothing
);

pub(super) fn audit(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/audit", deployment.guild().id)
}

/// An entry that a client appends, with this target.
pub(super) async fn noted(deployment: &Deployment, action: &str, target: &str) {
    let path = format!("/guilds/{}/audit-logs", deployment.guild().id);
    let body = json!({ "action": action, "target_id": target, "metadata": { "item": "a \"b\", c\nd" } });
    deployment.api().header("x-request-id", "-2").post(&path, body).await.ok();
}

/// Bans a member by their Roblox id.
async fn banned(deployment: &Deployment, member: usize) {
    let guild = deployment.guild();
    let body = json!({
        "identifier": guild.members[member].play, "moderator_id": guild.members[0].chat, "reason": "spam",
        "duration_seconds": 86_400,
    });
    deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
}

async fn entries_say_who_did_what_to_whom(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let (by, who) = (&guild.members[0].name, &guild.members[5]);
    banned(deployment, 5).await;
    let list = owner.get(&audit(deployment)).await;
    let said = format!("{by} banned {} until ", who.name);
    list.shows(200, &said);
    let entry = owner.get(&list.link(&said)).await;
    entry.shows(200, "To whom or what").shows(200, &who.name);
    let member = format!("/members/{}", who.chat);
    assert!(entry.links().iter().any(|link| link.ends_with(&member)), "ids stand on the member's page");
    assert!(entry.row("Reason").contains("spam"), "{}", entry.text());
    // The code stays, and filters by itself.
    let same = owner.get(&entry.link("moderation.ban")).await;
    same.has_typed("action", "moderation.ban").shows(200, &said);
    assert!(!same.contains("loaded data"), "{}", same.text());
}

async fn a_person_is_found_by_name_and_by_both_accounts(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let (by, who) = (&guild.members[0], &guild.members[5]);
    banned(deployment, 5).await;
    banned(deployment, 6).await;
    let page = owner.get(&audit(deployment)).await;
    let (wanted, other) =
        (format!("banned {} until", who.name), format!("banned {} until", guild.members[6].name));
    // The entry has the Roblox id.
    for typed in [&who.name, &who.chat, &who.play.to_string()] {
        let found = owner.press(&page, "Show entries", &[("target", typed)]).await;
        found.shows(200, &wanted).has_typed("target", typed);
        assert!(!found.contains(&other), "{typed}: {}", found.text());
    }
    for typed in [&by.name, &by.chat, &by.play.to_string()] {
        let found = owner.press(&page, "Show entries", &[("actor", typed)]).await;
        found.shows(200, &wanted).shows(200, &other);
        assert!(!found.contains("loaded data"), "{typed}: {}", found.text());
    }
    let nothing = owner.press(&page, "Show entries", &[("actor", &who.name)]).await;
    nothing.shows(200, "No entry matches.");
}

async fn an_entry_shows_who_changed_what_from_what(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let settings = format!("/console/guilds/{}/settings", guild.id);
    let form = owner.get(&settings).await;
    owner.press(&form, "Save settings", &[("strike_days", "30"), ("time_zone", "Europe/Berlin")]).await;
    deployment
        .api()
        .patch(&format!("/guilds/{}/settings", guild.id), json!({ "strike_days": 31 }))
        .await
        .ok();
    noted(deployment, "shop.buy", "sword").await;
    let list = owner.get(&audit(deployment)).await;
    let row = list.row("settings.update");
    let changed = format!("{} changed the settings", guild.members[0].name);
    assert!(row.contains(&changed) && row.ends_with("Days until a strike expires: 30 → 31"), "{row}");
    assert!(list.row("shop.buy").contains("by a client"), "{}", list.text());
    let by_key = owner.get(&list.link(&changed)).await;
    assert_eq!(by_key.row("strike_days"), "Days until a strike expires strike_days 30 31 changed");
    by_key.shows(200, &format!("By key {}", guild.admin_key.split('_').nth(1).unwrap()));
    let custom = owner.get(&list.link("noted shop.buy about sword")).await;
    custom.shows(200, "A client of the API wrote this entry.").shows(200, "Request -2");
    let by_console =
        list.links().into_iter().filter(|link| link.starts_with(&format!("{}/", audit(deployment))));
    let by_console = owner.get(&by_console.filter(|link| !link.contains("export")).nth(2).unwrap()).await;
    by_console.shows(200, "By the console").shows(200, &guild.members[0].name);
    assert_eq!(by_console.row("time_zone"), "Time zone time_zone UTC Europe/Berlin changed");
    assert_eq!(by_console.row("strike_days"), "Days until a strike expires strike_days 90 30 changed");
    owner.get(&format!("{}/987654321", audit(deployment))).await.shows(404, "There is no such page");
}

async fn entries_are_found_by_action_person_and_target(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    noted(deployment, "shop.buy", "sword").await;
    noted(deployment, "shop.sell", "shield").await;
    let all = owner.get(&audit(deployment)).await;
    all.shows(200, "about sword").shows(200, "about shield").shows(200, "Guildhall loaded data");
    let show = async |form: &[(&str, &str)]| owner.press(&all, "Show entries", form).await;
    for (field, typed) in [("action", "shop.buy"), ("target", "sword")] {
        let found = show(&[(field, typed)]).await;
        found.shows(200, "about sword").has_typed(field, typed);
        assert!(!found.contains("about shield") && !found.contains("loaded data"), "{}", found.text());
    }
    let owned = show(&[("actor", &guild.members[0].chat)]).await;
    assert!(!owned.shows(200, "about sword").contains("loaded data"), "{}", owned.text());
    let service = show(&[("actor", "Guildhall")]).await;
    assert!(!service.shows(200, "loaded data").contains("about sword"), "{}", service.text());
    let clients = show(&[("action", "custom")]).await;
    assert!(!clients.shows(200, "about sword").contains("loaded data"), "{}", clients.text());
    let same = owner.get(&clients.link("shop.sell")).await;
    assert!(!same.shows(200, "about shield").contains("about sword"), "{}", same.text());
    let none = show(&[("action", "shops"), ("target", "sword")]).await;
    none.shows(200, "No entry matches.");
    assert_eq!(none.link("Show all entries"), audit(deployment));
    // A guild without entries.
    let guild = guild.id.parse::<i64>().unwrap();
    for delete in [
        "UPDATE audit_chain SET first_position = last_position + 1 WHERE guild_id = ?",
        "DELETE FROM audit_entry WHERE guild_id = ?",
    ] {
        sql(deployment, delete, vec![guild.into()]).await;
    }
    owner.get(&audit(deployment)).await.shows(200, "Nothing was changed yet.");
}

async fn a_day_is_whole_and_in_utc(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let times = [
        ("before", "2026-04-11T23:59:59Z"),
        ("first", "2026-04-12T00:00:00Z"),
        ("last", "2026-04-12T23:59:59Z"),
        ("after", "2026-04-13T00:00:00Z"),
    ];
    for (target, at) in times {
        let at: DateTime<Utc> = at.parse().unwrap();
        let write = "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at) \
                     VALUES (?, 'shop.buy', 'custom', 0, ?, ?, ?)";
        let guild = deployment.guild().id.parse::<i64>().unwrap();
        let values = vec![guild.into(), target.into(), json!({}).into(), at.into()];
        assert_eq!(sql(deployment, write, values).await, 1);
    }
    let page = owner.get(&format!("{}?action=shop.buy", audit(deployment))).await;
    let found = async |from: &str, to: &str| {
        let shown = owner.press(&page, "Show entries", &[("from", from), ("to", to)]).await;
        assert_eq!(shown.status, 200, "{}", shown.text());
        let is_there = |target: &&str| shown.contains(&format!("shop.buy about {target} "));
        times.map(|(target, _)| target).into_iter().filter(is_there).collect::<Vec<_>>()
    };
    assert_eq!(found("2026-04-12", "2026-04-12").await, ["first", "last"]);
    assert_eq!(found("2026-04-12", "").await, ["first", "last", "after"]);
    assert_eq!(found("", "2026-04-12").await, ["before", "first", "last"]);
    assert!(found("2026-04-14", "").await.is_empty());
}

/// The input, the field that cannot be read, and the error.
type Unreadable = (&'static [(&'static str, &'static str)], &'static str, &'static str);

const UNREADABLE: [Unreadable; 3] = [
    (&[("actor", "nobody-of-this-name")], "actor", "No linked member"),
    (&[("from", "yesterday")], "from", "Give a day such as 2026-04-12."),
    (&[("from", "2026-04-12"), ("to", "2026-04-11")], "to", "must not be before the first one"),
];

/// As on every other page with filters.
async fn a_filter_that_cannot_be_read_is_said_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&audit(deployment)).await;
    for (form, field, text) in UNREADABLE {
        let refused = owner.press(&page, "Show entries", form).await;
        for (name, typed) in form {
            refused.has_typed(name, typed);
        }
        refused.refuses(field, form.last().unwrap().1, text);
        assert!(!refused.contains("loaded data"), "{}", refused.text());
    }
}

async fn an_export_of_such_a_filter_is_refused(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    for (form, _, text) in UNREADABLE {
        let page = owner.press(&owner.get(&audit(deployment)).await, "Show entries", form).await;
        for format in ["Export CSV", "Export JSON"] {
            let refused = owner.get(&page.link(format)).await;
            refused.shows(422, text);
        }
    }
}

async fn a_long_log_goes_on_with_its_filter(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    // One entry for each of the 30 links, twice.
    let many = "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at) \
                SELECT guild_id, 'shop.buy', 'custom', chat_id, 'sword', ?, ? FROM link WHERE guild_id = ?";
    let at: DateTime<Utc> = "2026-04-12T12:00:00Z".parse().unwrap();
    for _ in 0..2 {
        let values = vec![json!({}).into(), at.into(), guild.id.parse::<i64>().unwrap().into()];
        assert_eq!(sql(deployment, many, values).await, 30);
    }
    noted(deployment, "shop.sell", "sword").await;
    let first = owner.get(&format!("{}?action=shop.buy&to=2026-04-12", audit(deployment))).await;
    assert_eq!(first.text().matches("12 Apr 2026").count(), 40, "{}", first.text());
    let last = owner.get(&first.link("Load more")).await;
    assert_eq!(last.text().matches("12 Apr 2026").count(), 20, "{}", last.text());
    last.has_typed("action", "shop.buy").has_typed("to", "2026-04-12");
    let again = owner.get(&last.link("Back to the start")).await;
    assert_eq!(again.text().matches("12 Apr 2026").count(), 40, "{}", again.text());
    assert!(!again.contains("Back to the start"), "{}", again.text());
    assert!(!last.contains("Load more") && !last.contains("shop.sell"), "{}", last.text());
    // The export begins anew.
    let csv = owner.get(&last.link("Export CSV")).await;
    assert_eq!(csv.html.lines().count(), 61, "{}", csv.html);
    // The rest of a truncated file starts at the number in its name.
    let rest = owner.press(&first, "Export the rest as CSV", &[("before", "x")]).await;
    rest.refuses("before", "x", "digits only").has_typed("action", "shop.buy");
    let cursor = last.path().rsplit("before=").next().unwrap().split('&').next().unwrap().to_owned();
    let rest = owner.press(&first, "Export the rest as CSV", &[("before", &cursor)]).await;
    assert_eq!(rest.html.lines().count(), 21, "{}", rest.html);
}

async fn staff_without_the_right_read_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    noted(deployment, "shop.buy", "sword").await;
    for page in ["", "/export", "/export?format=json", "/1"] {
        staff.get(&format!("{}{page}", audit(deployment))).await.shows(404, "There is no such page");
    }
    set_permissions(deployment, &["audit.read"]).await;
    let list = staff.get(&audit(deployment)).await;
    staff.get(&list.shows(200, "sword").link("noted shop.buy")).await.shows(200, "sword");
}
