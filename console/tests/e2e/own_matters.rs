//! Only admins decide about themselves (docs/rules.md 6), and only people who may look members up find names.

use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use super::security::set_permissions;
use testkit::console::Console;

in_turn!(
    staff_decide_about_others_and_not_about_themselves,
    own_leave_of_who_manages_staff_is_a_request,
    whoever_unlinks_does_not_lift_their_own_ban,
    names_are_found_only_by_who_may_look_members_up,
    the_browser_keeps_light_or_dark
);

fn page(deployment: &Deployment, path: &str) -> String {
    format!("/console/guilds/{}/{path}", deployment.guild().id)
}

async fn staff_decide_about_others_and_not_about_themselves(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (own, other) = (&guild.members[1].chat, &guild.members[2].chat);
    let of = |path: &str| format!("/guilds/{}/staff/{path}", guild.id);
    let id = async |path: &str, body: Value| api.post(&of(path), body).await.ok()["id"].to_string();
    let note = id("notes", json!({ "staff_id": own, "body": "late twice" })).await;
    let days = json!({ "staff_id": own, "reason": "r",
                       "starts_at": "2099-05-01T00:00:00Z", "ends_at": "2099-05-15T00:00:00Z" });
    let leave = id("loa", days).await;
    let strict =
        json!({ "name": "bans", "metric": "ban", "target": 1, "period": "week", "requires_approval": true });
    id("quota", strict).await;
    let ban = json!({ "identifier": guild.members[20].chat, "reason": "r", "moderator_id": own });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let pending = api.get(&of("quota-pending")).await.ok()["pending"][0]["id"].to_string();

    set_permissions(deployment, &["staff.read", "staff.write"]).await;
    let (mine, theirs) =
        (Console::of(deployment, guild, own).await, Console::of(deployment, guild, other).await);
    for (list, button) in [
        ("staff/notes", "Change or delete"),
        ("staff/leave", "Change leave"),
        ("staff/pending", "Approve action"),
    ] {
        let path = page(deployment, list);
        let (mine, theirs) = (mine.get(&path).await, theirs.get(&path).await);
        assert!(!mine.contains(button) && theirs.contains(button), "{}: {}", mine.what, mine.text());
    }
    let forms = [
        (format!("staff/notes/{note}"), vec![("body", "fine")]),
        (format!("staff/leave/{leave}/end"), vec![]),
        (format!("staff/pending/{pending}/reject"), vec![]),
        (format!("staff/pending/{pending}/approve"), vec![]),
        (format!("staff/leave/{leave}/remove"), vec![]),
        (format!("staff/notes/{note}/remove"), vec![]),
    ];
    for (path, fields) in &forms {
        let refused = mine.post(&page(deployment, path), fields).await;
        assert!([403, 422].contains(&refused.status), "{}: {}", refused.what, refused.text());
    }
    for (path, fields) in forms.iter().filter(|(path, _)| !path.ends_with("/reject")) {
        let done = theirs.post(&page(deployment, path), fields).await;
        assert_eq!(done.status, 303, "{}: {}", done.what, done.text());
    }
}

async fn own_leave_of_who_manages_staff_is_a_request(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let own = &guild.members[1].chat;
    set_permissions(deployment, &["staff.read", "staff.write"]).await;
    let console = Console::of(deployment, guild, own).await;
    let days = [("starts_at", "2099-05-01"), ("ends_at", "2099-05-15"), ("reason", "exams")];
    let fields: Vec<_> = [("staff_id", own.as_str())].into_iter().chain(days).collect();
    console.submit(&page(deployment, "staff/leave"), &fields).await.shows(200, "Leave requested.");
    let list = async |name: &str| api.get(&format!("/guilds/{}/staff/{name}", guild.id)).await.ok();
    let requests = list("leave-requests").await;
    assert_eq!(requests["requests"][0]["state"], "requested", "{requests}");
    let approve = format!("staff/leave/requests/{}/approve", requests["requests"][0]["id"]);
    console.post(&page(deployment, &approve), &[]).await.shows(403, "only an admin of the server decides it");
    assert!(!list("loa").await.to_string().contains("exams"));
}

async fn whoever_unlinks_does_not_lift_their_own_ban(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (own, other) = (&guild.members[1], &guild.members[2]);
    set_permissions(deployment, &["moderation.read", "moderation.write"]).await;
    let ban = json!({ "identifier": own.play.to_string(), "reason": "r", "moderator_id": "0" });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let ban = api.get(&format!("/moderation/{}/ban-status/{}", guild.id, own.play)).await.ok();
    let lift = page(deployment, &format!("moderation/bans/{}/lift", ban["ban_info"]["id"]));
    let mine = Console::of(deployment, guild, &own.chat).await;
    let theirs = Console::of(deployment, guild, &other.chat).await;
    mine.post(&lift, &[]).await.shows(403, "about yourself");
    api.delete(&format!("/guilds/{}/links/{}", guild.id, own.chat)).await.ok();
    mine.post(&lift, &[]).await.shows(403, "about yourself");
    assert_eq!(theirs.post(&lift, &[]).await.status, 303);
    let import = json!({ "bans": [{ "play_id": own.play }] });
    let imported = api.post(&format!("/moderation/{}/bans/import", guild.id), import).await.ok();
    let undo = page(deployment, &format!("imports/bans/{}/undo", imported["import_id"]));
    mine.post(&undo, &[]).await.shows(403, "about yourself");
    assert_eq!(theirs.post(&undo, &[]).await.status, 303);
}

async fn names_are_found_only_by_who_may_look_members_up(deployment: &Deployment) {
    let guild = deployment.guild();
    let (sought, staff) = (&guild.members[15], Console::of(deployment, guild, &guild.members[1].chat).await);
    let places = [
        ("moderation/bans/new?identifier=", vec!["moderation.write"]),
        ("moderation/bans?state=all&person=", vec!["moderation.read"]),
        ("moderation/bans?state=all&moderator=", vec!["moderation.read"]),
        ("audit?actor=", vec!["audit.read"]),
        ("bindings?member=", vec!["bindings.read"]),
        ("applications?applicant=", vec!["tickets.write"]),
        ("staff/strikes?staff=", vec!["staff.read"]),
        ("find?q=", vec!["moderation.read", "audit.read", "staff.read", "sync.write"]),
    ];
    for (place, mut held) in places {
        for typed in [sought.name.as_str(), &sought.play.to_string()] {
            set_permissions(deployment, &held).await;
            let shown = staff.get(&page(deployment, &format!("{place}{typed}"))).await;
            assert!([200, 303, 422].contains(&shown.status), "{}: {}", shown.what, shown.text());
            let told = format!("{}{}", shown.html, shown.location());
            assert!(!told.contains(&sought.chat), "{}: {}", shown.what, shown.text());
        }
        held.push("lookup.read");
        set_permissions(deployment, &held).await;
        let shown = staff.get(&page(deployment, &format!("{place}{}", sought.name))).await;
        assert!(!shown.contains("may not look members up"), "{}: {}", shown.what, shown.text());
    }
    // A person who may ban bans by id, and sees the name for it.
    set_permissions(deployment, &["moderation.write"]).await;
    let form = staff.get(&page(deployment, &format!("moderation/bans/new?identifier={}", sought.play))).await;
    form.shows(200, &sought.name);
    let named =
        staff.get(&page(deployment, &format!("moderation/bans/new?identifier={}", sought.name))).await;
    named.shows(200, &sought.name);
    assert!(!named.html.contains(&sought.chat), "Roblox says whose name it is");
}

async fn the_browser_keeps_light_or_dark(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let overview = console.get(&page(deployment, "")).await;
    assert!(!overview.html.contains("data-theme") && overview.has("button[value=system][aria-pressed=true]"));
    console.press(&overview, "Dark", &[]).await;
    let dark = console.get(&page(deployment, "")).await;
    let says_dark = r#"<html lang="en" data-theme="dark">"#;
    assert!(dark.html.contains(says_dark) && dark.has("button[value=dark][aria-pressed=true]"));
    assert!(
        console.get(&page(deployment, "members/none")).await.html.contains(says_dark),
        "an error page too"
    );
    console.press(&dark, "As the system", &[]).await;
    assert!(!console.get(&page(deployment, "")).await.html.contains("data-theme"));
    let font = dark.each("link[as=font]", |link| link.attr("href").unwrap().to_owned()).remove(0);
    let font = console.get(&font).await;
    assert_eq!((font.status, font.header("content-type")), (200, "font/woff2"));
}
