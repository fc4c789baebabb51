//! /console/guilds/:guild/staff/…: the lists by person, and undone changes. And what all lists share.

use reqwest::Method;
use serde_json::json;
use testkit::{Deployment, OUTSIDER, in_turn};

use testkit::console::{Console, Page};

in_turn!(
    staff_are_found_by_name_and_id,
    a_refused_note_stays_in_its_own_form_and_a_changed_one_is_brought_back,
    a_changed_strike_gets_its_severity_and_end_back,
    a_request_is_rejected_after_asking_and_listed_as_decided,
    leave_that_is_ended_early_is_over_then,
    a_refusal_stands_at_the_field_that_it_is_about,
    an_action_leads_back_to_the_list_with_its_filter,
    beyond_its_end_a_list_says_nothing_untrue
);

fn page(deployment: &Deployment, rest: &str) -> String {
    format!("/console/guilds/{}/{rest}", deployment.guild().id)
}

/// Adds a record about a staff member, and returns its id.
async fn add(deployment: &Deployment, kind: &str, member: usize, reason: &str) -> String {
    let guild = deployment.guild();
    let body = json!({ "staff_id": guild.members[member].chat, "reason": reason, "body": reason, "severity": 2,
                       "starts_at": "2040-07-01T00:00:00Z", "ends_at": "2040-07-05T00:00:00Z" });
    let added = deployment.api().post(&format!("/guilds/{}/staff/{kind}", guild.id), body).await.ok();
    added["id"].to_string().trim_matches('"').to_owned()
}

async fn staff_are_found_by_name_and_id(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let [_, first, second, ..] = &guild.members[..] else { unreachable!() };
    for (kind, path) in
        [("strikes", "strikes"), ("notes", "notes"), ("loa", "leave"), ("leave-requests", "leave/requests")]
    {
        add(deployment, kind, 1, "about the first").await;
        add(deployment, kind, 2, "about the second").await;
        let list = page(deployment, &format!("staff/{path}"));
        for typed in [&first.name, &first.chat, &first.play.to_string()] {
            let found = owner.get(&format!("{list}?staff={typed}")).await;
            found.shows(200, "about the first").has_typed("staff", typed);
            assert!(!found.contains("about the second"), "{path}: {}", found.text());
        }
        let wrong = owner.get(&format!("{list}?staff=nobody")).await;
        wrong.refuses("staff", "nobody", "No linked member is named");
        assert!(!wrong.contains("about the first"), "{}", wrong.text());
    }
    let directory = page(deployment, "staff");
    let found = owner.get(&format!("{directory}?q={}", second.name)).await;
    found.shows(200, &second.name).has_typed("q", &second.name);
    let names = |page: &Page| page.texts("main .person a");
    assert!(!names(&found).contains(&first.name), "{}", found.text());
    let by_name = owner.get(&format!("{directory}?sort=name")).await;
    let turned = owner.get(&by_name.link("Staff member")).await;
    let place = |page: &Page, name: &str| names(page).iter().position(|one| one == name).unwrap();
    assert!(place(&by_name, &first.name) < place(&by_name, &second.name));
    assert!(place(&turned, &first.name) > place(&turned, &second.name));
    assert!(turned.has("[aria-sort=descending]"), "{}", turned.html);
    owner.get(&format!("{directory}?q=nobody")).await.shows(200, "No staff member matches.");

    // Staff without a link.
    let path = format!("/guilds/{}/staff/members/{OUTSIDER}", guild.id);
    let role = json!({ "role_id": guild.roles[3] });
    deployment.api().send(Method::PUT, &path, Some(role)).await.ok();
    let found = owner.get(&page(deployment, &format!("find?q={OUTSIDER}"))).await;
    assert_eq!(found.location(), format!("{directory}/{OUTSIDER}"));
}

async fn a_refused_note_stays_in_its_own_form_and_a_changed_one_is_brought_back(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let id = add(deployment, "notes", 1, "as it was").await;
    let one = page(deployment, &format!("staff/notes/{id}"));
    owner.get(&page(deployment, "staff/notes")).await;
    let long = "x".repeat(5_000);
    let refused = owner.post(&one, &[("body", &long)]).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.has(&format!("[id=problem-body-{id}]")), "{}", refused.html);
    assert!(!refused.has("[id=problem-body]"), "{}", refused.html);
    refused.has_typed("body", &long);
    let changed = owner.submit(&one, &[("body", "as it is")]).await;
    changed.shows(200, "Note changed.").shows(200, "as it is");
    owner.undo(&changed).await.shows(200, "as it was");
}

async fn a_changed_strike_gets_its_severity_and_end_back(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let id = add(deployment, "strikes", 1, "late").await;
    let list = format!("/guilds/{}/staff/strikes", deployment.guild().id);
    let before = deployment.api().get(&list).await.ok()["strikes"][0].clone();
    let one = page(deployment, &format!("staff/strikes/{id}"));
    owner.get(&one).await;
    let other = [("severity", "7"), ("reason", "very late"), ("expires_at", "2040-01-01")];
    let changed = owner.submit(&one, &other).await;
    changed.shows(200, "7 of 10").shows(200, "very late");
    owner.undo(&changed).await.shows(200, "2 of 10");
    let after = deployment.api().get(&list).await.ok()["strikes"][0].clone();
    assert_eq!(after["expires_at"], before["expires_at"], "to the second");
}

async fn a_request_is_rejected_after_asking_and_listed_as_decided(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    add(deployment, "leave-requests", 1, "exams").await;
    let leave = page(deployment, "staff/leave");
    let home = owner.get(&format!("/console/guilds/{}", guild.id)).await;
    owner.get(&home.link("1 leave request to decide")).await.shows(200, "exams");
    let waiting = owner.get(&leave).await;
    let name = &guild.members[1].name;
    waiting.shows(200, &format!("{name} gets no leave for 1 Jul 2040 to 4 Jul 2040."));
    owner
        .press(&waiting, &format!("Reject leave of {name}"), &[])
        .await
        .shows(200, "There are no open requests.");
    let all = owner.get(&format!("{leave}/requests?state=rejected")).await;
    assert!(all.row("exams").contains("rejected"), "{}", all.text());
    assert!(!owner.get(home.path().as_str()).await.contains("to decide"));
    owner.get(&format!("{leave}/requests?state=requested")).await.shows(200, "There is no request here.");
}

async fn leave_that_is_ended_early_is_over_then(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let leave = page(deployment, "staff/leave");
    let (away, name) = (&guild.members[1].chat, &guild.members[1].name);
    let (ends, button) = ("4 Jul 2040", "End leave now");
    let begun = json!({ "staff_id": away, "reason": "exams", "starts_at": "2020-07-01T00:00:00Z",
                        "ends_at": "2040-07-05T00:00:00Z" });
    deployment.api().post(&format!("/guilds/{}/staff/loa", guild.id), begun).await.ok();
    let row = |page: &Page| page.row("exams");
    let before = owner.get(&leave).await;
    assert!(row(&before).contains(ends) && row(&before).contains("away now"), "{}", row(&before));
    let ended = owner.press(&before, button, &[]).await;
    ended.shows(200, "Leave ended.");
    assert!(!row(&ended).contains(ends) && row(&ended).contains("over"), "{}", row(&ended));
    let resumed = owner.undo(&ended).await;
    assert!(row(&resumed).contains(ends) && row(&resumed).contains("away now"), "{}", row(&resumed));

    let ended = owner.press(&resumed, button, &[]).await;
    let removed = owner.press(&ended, &format!("Delete leave of {name}"), &[]).await;
    assert!(!removed.contains("exams"), "{}", removed.text());
    let again = owner.undo(&removed).await;
    assert_eq!(row(&again), row(&ended), "as it was: until it was ended");

    add(deployment, "loa", 1, "wedding").await;
    let planned = owner.get(&leave).await;
    let cancelled = owner.press(&planned, button, &[]).await;
    let row = cancelled.row("wedding");
    assert!(row.contains("1 Jul 2040 to 4 Jul 2040") && row.contains("cancelled"), "{row}");
    let profile = format!("/guilds/{}/staff/profile/{away}", guild.id);
    assert_eq!(deployment.api().get(&profile).await.ok()["open_loa"], json!(null));
}

async fn a_refusal_stands_at_the_field_that_it_is_about(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let nobody = guild.members[10].chat.as_str();
    for (list, form) in [
        ("staff/strikes", vec![("severity", "3"), ("reason", "late")]),
        ("staff/notes", vec![("body", "late")]),
        ("staff/leave", vec![("starts_at", "2040-07-01"), ("ends_at", "2040-07-05"), ("reason", "away")]),
    ] {
        let form: Vec<_> = form.into_iter().chain([("staff_id", nobody)]).collect();
        let refused = owner.post(&page(deployment, list), &form).await;
        refused.refuses("staff_id", nobody, "No such staff member.");
    }
    let role = [
        ("role_id", guild.roles[2].as_str()),
        ("role_name", "Trial"),
        ("play_permissions", "warn"),
        ("more_play_permissions", "Not/OK"),
    ];
    let refused = owner.post(&page(deployment, "staff/roles"), &role).await;
    refused.refuses("more_play_permissions", "Not/OK", "Use at most 50 words");
    assert!(!refused.has("fieldset[aria-invalid]"), "the boxes are fine");
}

/// Where the form of this page with this button leads, sent as a browser does: with the address of the page.
async fn leads_to(console: &Console, page: &Page, button: &str) -> String {
    let form = page.form_with(button);
    let fields = form.filled(&[]);
    let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
    let seen = format!("{}{}", console.base(), page.path());
    let sent = console.send(Method::POST, &form.action, &fields, &[("referer", &seen)]).await;
    assert_eq!(sent.status, 303, "{}: {}", sent.what, sent.text());
    sent.location().to_owned()
}

async fn an_action_leads_back_to_the_list_with_its_filter(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let moderator = &guild.members[1].chat;
    let ban = json!({ "identifier": guild.members[7].chat, "reason": "spam", "moderator_id": moderator });
    deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let bans = page(deployment, &format!("moderation/bans?moderator={moderator}"));
    let list = owner.get(&bans).await;
    assert_eq!(leads_to(&owner, &list, "Lift ban").await, bans);
    let ended = owner.get(&bans).await;
    ended.shows(200, "Lifted the ban of");
    assert_eq!(leads_to(&owner, &ended, "Undo").await, bans);
    add(deployment, "notes", 1, "about the first").await;
    let notes = page(deployment, &format!("staff/notes?staff={moderator}"));
    let list = owner.get(&notes).await;
    assert_eq!(leads_to(&owner, &list, "Delete").await, notes);
    // From another page it leads to the whole list.
    add(deployment, "notes", 1, "about the first").await;
    let list = owner.get(&notes).await;
    let form = list.form_with("Delete");
    let removed = owner.submit(&form.action, &[]).await;
    assert_eq!(removed.path(), page(deployment, "staff/notes"));
}

async fn beyond_its_end_a_list_says_nothing_untrue(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    for (list, part, untrue) in [
        ("moderation/bans", "before=1", "Nobody is banned."),
        ("keys", "skip=50", "This server has no keys."),
        ("staff", "skip=9999", "There is no staff yet."),
        ("staff/leaderboard", "skip=9999", "There is no staff yet."),
        ("staff/notes", "skip=9999&before=1&cursor=1", "There is no note here."),
        ("audit", "before=1", "Nothing was changed yet."),
        ("servers", "skip=9999", "No server is live."),
    ] {
        let beyond = owner.get(&page(deployment, &format!("{list}?{part}"))).await;
        beyond.shows(200, "Nothing further.");
        assert!(!beyond.contains(untrue), "{}: {}", beyond.what, beyond.text());
        let start = owner.get(&beyond.link("Back to the start")).await;
        assert_eq!(start.path().trim_end_matches('?'), page(deployment, list));
        assert!(!start.contains("Nothing further."), "{}: {}", start.what, start.text());
    }
}
