//! /console/guilds/:guild/staff and …/applications.

use serde_json::json;
use std::time::Duration;

use testkit::{Deployment, eventually, in_turn};

use testkit::console::Console;
use testkit::go_on_duty;

in_turn!(
    leave_is_requested_by_staff_and_approved_by_who_manages_them,
    a_reviewer_approves_other_days_than_were_asked_for,
    staff_withdraw_their_own_request_and_no_other,
    staff_change_their_own_request_and_no_other,
    a_leave_is_changed_and_brought_back,
    every_action_of_the_month_is_in_the_heat_map,
    staff_see_their_own_records_only,
    members_and_roles_are_changed_and_brought_back,
    who_is_staff_by_a_role_is_marked_and_changed_only_by_it,
    the_directory_is_in_the_order_of_duty_role_and_name,
    strikes_notes_and_quotas_are_written,
    an_application_is_read
);

/// A job that a change leads to has run.
const WITHIN: Duration = Duration::from_secs(15);

fn page(deployment: &Deployment, rest: &str) -> String {
    format!("/console/guilds/{}/{rest}", deployment.guild().id)
}

/// The API path below the staff of the guild.
fn api_path(deployment: &Deployment, rest: &str) -> String {
    format!("/guilds/{}/staff/{rest}", deployment.guild().id)
}

/// The staff role of members 1 to 3, without any permission.
async fn helpers(deployment: &Deployment) {
    let body = json!({ "role_name": "Moderator", "permissions": [], "play_permissions": [] });
    let role = api_path(deployment, &format!("roles/{}", deployment.guild().roles[3]));
    deployment.api().send(reqwest::Method::PUT, &role, Some(body)).await.ok();
}

async fn leave_is_requested_by_staff_and_approved_by_who_manages_them(deployment: &Deployment) {
    helpers(deployment).await;
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let helper = Console::of(deployment, guild, &guild.members[1].chat).await;
    let leave = page(deployment, "staff/leave");
    let days = [("starts_at", "2040-07-01"), ("ends_at", "2040-07-05"), ("reason", "exams")];
    helper.post(&leave, &days).await.shows(404, "");
    let backwards = [("starts_at", "2040-07-05"), ("ends_at", "2040-07-01"), ("reason", "exams")];
    let refused = helper.post(&format!("{leave}/request"), &backwards).await;
    refused.shows(422, "The last day is before the first day.").shows(422, "exams");
    helper.submit(&format!("{leave}/request"), &days).await.shows(200, "1 Jul 2040 to 5 Jul 2040");

    let api = deployment.api();
    let requests = api_path(deployment, "leave-requests");
    let id = api.get(&format!("{requests}?state=requested")).await.ok()["requests"][0]["id"].clone();
    helper.post(&format!("{leave}/requests/{id}/approve"), &[]).await.shows(404, "");
    owner.submit(&format!("{leave}/requests/{id}/approve"), &[]).await.shows(200, "planned");
    owner.post(&format!("{leave}/requests/{id}/reject"), &[]).await.shows(422, "already approved");
    let loas = api.get(&api_path(deployment, "loa")).await.ok();
    assert_eq!((&loas["loas"][0]["reason"], &loas["loas"][0]["status"]), (&json!("exams"), &json!("active")));
    for (action, target) in
        [("loa.request", &id), ("loa.approve", &id), ("loa.create", &loas["loas"][0]["id"])]
    {
        assert_eq!(deployment.audit(action).await[0]["target_id"], target.to_string(), "{action}");
    }
}

/// Requests leave from the first to the fifth of July 2041 in the console; returns the request's id.
async fn request_leave(deployment: &Deployment, who: &Console) -> String {
    let days = [("starts_at", "2041-07-01"), ("ends_at", "2041-07-05"), ("reason", "exams")];
    who.submit(&page(deployment, "staff/leave/request"), &days).await.shows(200, "1 Jul 2041 to 5 Jul 2041");
    let asked = deployment.api().get(&api_path(deployment, "leave-requests?state=requested")).await.ok();
    asked["requests"][0]["id"].to_string()
}

async fn a_reviewer_approves_other_days_than_were_asked_for(deployment: &Deployment) {
    helpers(deployment).await;
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let helper = Console::of(deployment, guild, &guild.members[1].chat).await;
    let id = request_leave(deployment, &helper).await;
    let request = page(deployment, &format!("staff/leave/requests/{id}"));
    let seen = helper.get(&request).await;
    assert!(!seen.shows(200, "waits").contains("Approve"), "{}", seen.text());
    let review = owner.get(&request).await;
    review.shows(200, "Approve these days").shows(200, "1 Jul 2041 to 5 Jul 2041");
    let fields = review.form_with("Approve these days").fields;
    assert!(fields.contains(&("ends_at".to_owned(), "2041-07-05".to_owned())), "{fields:?}");
    let approve = format!("{request}/approve");
    let backwards = [("starts_at", "2041-07-04"), ("ends_at", "2041-07-03")];
    owner.post(&approve, &backwards).await.shows(422, "The last day is before the first day.");
    let shorter = [("starts_at", "2041-07-01"), ("ends_at", "2041-07-03")];
    owner.submit(&approve, &shorter).await.shows(200, "1 Jul 2041 to 3 Jul 2041");
    helper.get(&request).await.shows(200, "approved").shows(200, "1 Jul 2041 to 3 Jul 2041");
    owner.post(&approve, &shorter).await.shows(422, "already approved");
    let loas = deployment.api().get(&api_path(deployment, "loa")).await.ok();
    assert_eq!(loas["loas"][0]["ends_at"], "2041-07-04T00:00:00Z", "the end of the last day");
}

/// A request of the helper with its page; `other` is staff too.
struct Asked {
    id: String,
    request: String,
    helper: Console,
    other: Console,
    owner: Console,
}

async fn asked(deployment: &Deployment) -> Asked {
    helpers(deployment).await;
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let helper = Console::of(deployment, guild, &guild.members[1].chat).await;
    let other = Console::of(deployment, guild, &guild.members[2].chat).await;
    let id = request_leave(deployment, &helper).await;
    let request = page(deployment, &format!("staff/leave/requests/{id}"));
    Asked { id, request, helper, other, owner }
}

async fn staff_withdraw_their_own_request_and_no_other(deployment: &Deployment) {
    let Asked { id, request, helper, other, owner } = asked(deployment).await;
    let withdraw = format!("{request}/withdraw");
    other.get(&request).await.shows(404, "");
    for stranger in [&other, &owner] {
        stranger.post(&withdraw, &[]).await.shows(404, "");
    }
    let withdrawn = helper.submit(&withdraw, &[]).await;
    withdrawn.shows(200, "Request withdrawn.").shows(200, "withdrawn");
    helper.post(&withdraw, &[]).await.shows(422, "already withdrawn");
    owner.post(&format!("{request}/approve"), &[]).await.shows(422, "already withdrawn");
    let entry = &deployment.audit("loa.withdraw").await[0];
    assert_eq!(
        (&entry["actor_id"], &entry["target_id"]),
        (&json!(deployment.guild().members[1].chat), &json!(id))
    );
    helper.undo(&withdrawn).await.shows(200, "Leave requested.").shows(200, "waits");
}

async fn staff_change_their_own_request_and_no_other(deployment: &Deployment) {
    let Asked { request, helper, other, owner, .. } = asked(deployment).await;
    let before = [("starts_at", "2041-07-01"), ("ends_at", "2041-07-05"), ("reason", "exams")];
    let fields = helper.get(&request).await.form_with("Save request").fields;
    for (name, value) in before {
        assert!(fields.contains(&(name.to_owned(), value.to_owned())), "{fields:?}");
    }
    assert!(!owner.get(&request).await.text().contains("Save request"));
    let after = [("starts_at", "2041-07-02"), ("ends_at", "2041-07-09"), ("reason", "a journey")];
    for stranger in [&other, &owner] {
        stranger.post(&request, &after).await.shows(404, "");
    }
    helper
        .post(&request, &[after[0], ("ends_at", "2041-07-01"), after[2]])
        .await
        .shows(422, "The last day is before");
    helper.post(&request, &after[..2]).await.shows(422, "Enter a reason");
    let changed = helper.submit(&request, &after).await;
    changed.shows(200, "Request changed.").shows(200, "2 Jul 2041 to 9 Jul 2041").shows(200, "a journey");
    owner.get(&request).await.shows(200, "2 Jul 2041 to 9 Jul 2041");
    helper.undo(&changed).await.shows(200, "1 Jul 2041 to 5 Jul 2041").shows(200, "exams");
    owner.submit(&format!("{request}/reject"), &[]).await.shows(200, "Request rejected.");
    helper.post(&request, &after).await.shows(422, "already rejected");
    assert!(!helper.get(&request).await.text().contains("Save request"));
}

async fn a_leave_is_changed_and_brought_back(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let leave = page(deployment, "staff/leave");
    let days = [("starts_at", "2042-07-01"), ("ends_at", "2042-07-05"), ("reason", "exams")];
    let whose = [("staff_id", guild.members[1].chat.as_str())];
    owner.submit(&leave, &[&days[..], &whose].concat()).await.shows(200, "1 Jul 2042 to 5 Jul 2042");
    let id = deployment.audit("loa.create").await[0]["target_id"].as_str().unwrap().to_owned();
    let one = format!("{leave}/{id}");
    owner.get(&one).await.shows(200, "Save leave").shows(200, "1 Jul 2042 to 5 Jul 2042");
    let no_reason = [("starts_at", "2042-07-01"), ("ends_at", "2042-07-05")];
    owner.post(&one, &no_reason).await.shows(422, "Enter a reason, in a few words.");
    let longer = [("starts_at", "2042-07-02"), ("ends_at", "2042-07-09"), ("reason", "many exams")];
    let changed = owner.submit(&one, &longer).await;
    changed.shows(200, "2 Jul 2042 to 9 Jul 2042").shows(200, "many exams");
    owner.undo(&changed).await.shows(200, "1 Jul 2042 to 5 Jul 2042");
    assert_eq!(deployment.audit("loa.update").await.len(), 2);
    owner.get(&format!("{leave}/4711")).await.shows(404, "");
}

async fn every_action_of_the_month_is_in_the_heat_map(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let activity = page(deployment, "staff/activity");
    owner.get(&activity).await.shows(200, "0 in 30 days");
    for banned in ["555001", "555002", "555003"] {
        let body = json!({ "identifier": banned, "reason": "spam", "moderator_id": guild.members[1].chat });
        deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
    }
    owner.get(&activity).await.shows(200, "3 in 30 days");
}

async fn staff_see_their_own_records_only(deployment: &Deployment) {
    helpers(deployment).await;
    let (guild, api) = (deployment.guild(), deployment.api());
    let (own, other) = (&guild.members[1].chat, &guild.members[2].chat);
    let strike = json!({ "staff_id": other, "reason": "a secret reason", "severity": 2 });
    let id = api.post(&api_path(deployment, "strikes"), strike).await.ok()["id"].clone();
    let helper = Console::of(deployment, guild, own).await;
    for tab in ["staff", "staff/leave", "staff/quotas", "staff/leaderboard"] {
        helper.get(&page(deployment, tab)).await.shows(200, "Leaderboard");
    }
    let strikes = helper.get(&page(deployment, "staff/strikes")).await;
    assert!(!strikes.shows(200, "Strikes").contains("a secret reason"));
    let asked = helper.get(&page(deployment, &format!("staff/strikes?staff={other}"))).await;
    assert!(!asked.shows(200, "Strikes").contains("a secret reason"));
    helper.get(&page(deployment, &format!("staff/{own}"))).await.shows(200, "Recent actions");
    for hidden in
        [format!("strikes/{id}"), other.clone(), "notes".into(), "pending".into(), "activity".into()]
    {
        helper.get(&page(deployment, &format!("staff/{hidden}"))).await.shows(404, "");
    }
}

async fn who_is_staff_by_a_role_is_marked_and_changed_only_by_it(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let member = guild.members.iter().skip(4).find(|member| !member.held.contains(&guild.roles[3])).unwrap();
    let about = page(deployment, &format!("members/{}", member.chat));
    let held = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": [guild.roles[3]] });
    deployment.simulator.change_member(held).await;
    owner.get(&about).await.shows(200, "makes nobody staff");
    let staff = page(deployment, "staff");
    owner.get(&staff).await.shows(200, "on Discord makes nobody staff");
    let on = json!({ "staff_by_role": true });
    deployment.api().patch(&format!("/guilds/{}/settings", guild.id), on).await.ok();
    eventually("the member is staff", WITHIN, async || {
        // Others hold the role too, and may be marked before.
        let rows = owner.get(&staff).await.texts("tr");
        rows.iter().any(|row| row.contains(&member.name) && row.contains("by role")).then_some(())
    })
    .await;
    let own = page(deployment, &format!("staff/{}", member.chat));
    owner.post(&format!("{own}/remove"), &[]).await.shows(422, "give or take the role there");
    let gone = json!({ "guild_id": guild.id, "chat_id": member.chat, "remove": true });
    deployment.simulator.change_member(gone).await;
}

async fn the_directory_is_in_the_order_of_duty_role_and_name(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    // Its name is before that of the second member, its id after it.
    let late = &guild.members[10];
    owner.submit(&page(deployment, "staff"), &[("chat_id", &late.chat), ("role_id", &guild.roles[3])]).await;
    go_on_duty(&deployment.api(), &guild.members[3]).await;
    let shown = owner.get(&page(deployment, "staff")).await;
    let names = shown.shows(200, "On duty first, then by role and name").texts("main .person a");
    assert_eq!(names[..5], [3, 0, 1, 10, 2].map(|member| guild.members[member].name.clone()), "{names:?}");
}

async fn members_and_roles_are_changed_and_brought_back(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let (staff, role) = (page(deployment, "staff"), guild.roles[3].as_str());
    let newcomer = guild.members[5].chat.as_str();
    owner.post(&staff, &[("chat_id", "nobody known"), ("role_id", role)]).await.shows(422, "nobody known");
    owner.post(&staff, &[("chat_id", newcomer)]).await.shows(422, "Choose a staff role.");
    let added = owner.submit(&staff, &[("chat_id", newcomer), ("role_id", role)]).await;
    added.shows(200, "is now staff.");
    owner.undo(&added).await.shows(200, "is no longer staff");
    let removed = owner.get(&format!("{staff}/roles/{role}")).await;
    removed.shows(200, "Give them another role first");

    let roles = format!("{staff}/roles");
    let other = guild.roles[2].as_str();
    let fields = [
        ("role_id", other),
        ("role_name", "Trial"),
        ("permissions", "staff.read"),
        ("play_permissions", "warn"),
    ];
    let added = owner.submit(&roles, &fields).await;
    added.shows(200, "Staff role Trial added.").shows(200, "1 of 16 permissions");
    let edited = owner.submit(&roles, &[("role_id", other), ("role_name", "Trainee")]).await;
    owner.undo(&edited).await.shows(200, "1 of 16 permissions");
    let gone = owner.submit(&format!("{roles}/{other}/remove"), &[]).await;
    owner.undo(&gone).await.shows(200, "Staff role Trial added.");
}

async fn strikes_notes_and_quotas_are_written(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let staff = guild.members[1].chat.as_str();
    let strikes = page(deployment, "staff/strikes");
    let severe = [("staff_id", staff), ("severity", "11"), ("reason", "late")];
    owner.post(&strikes, &severe).await.shows(422, "Give a number from 1 to 10.");
    let past = [("staff_id", staff), ("severity", "3"), ("reason", "late"), ("expires_at", "2020-01-01")];
    let refused = owner.post(&strikes, &past).await;
    refused.refuses("expires_at", "2020-01-01", "Choose a day that is not over.");
    owner
        .submit(&strikes, &[("staff_id", staff), ("severity", "3"), ("reason", "late")])
        .await
        .shows(200, "3 of 10");
    let id = deployment.audit("strikes.create").await[0]["target_id"].as_str().unwrap().to_owned();
    let one = format!("{strikes}/{id}");
    owner.submit(&one, &[("severity", "4"), ("reason", "late again")]).await.shows(200, "late again");
    owner.get(&one).await.shows(200, &format!("Remove strike {id}"));
    owner.submit(&format!("{one}/remove"), &[]).await.shows(200, "removed");

    let notes = page(deployment, "staff/notes");
    owner.submit(&notes, &[("staff_id", staff), ("body", "<b>bold</b>")]).await.shows(200, "<b>bold</b>");
    let quotas = page(deployment, "staff/quotas");
    let quota = [("name", "Weekly kicks"), ("metric", "kick"), ("target", "5"), ("period", "week")];
    let added = owner.submit(&quotas, &quota).await;
    added.shows(200, "5 kicks a week").shows(200, "0 of 5");
    let minutes = [quota[0], ("metric", "minutes"), quota[2], quota[3], ("requires_approval", "yes")];
    let cannot = "Minutes and sessions cannot need approval: clear this, or count an action.";
    owner.post(&quotas, &minutes).await.refuses("requires_approval", "yes", cannot);
    let gone = owner.undo(&added).await;
    gone.shows(200, "Quota Weekly kicks deleted.");
    owner.undo(&gone).await.shows(200, "5 kicks a week");
    owner.get(&page(deployment, "staff/activity")).await.shows(200, "Staff actions by weekday and hour");
}

async fn an_application_is_read(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let list = page(deployment, "applications");
    owner.post(&format!("{list}/panels"), &[("name", "")]).await.shows(422, "Enter what people apply for.");
    owner.submit(&format!("{list}/panels"), &[("name", "Moderator team"), ("open", "yes")]).await;
    owner.get(&list).await.shows(200, "All staff");
    let panel = deployment.audit("application_panels.add").await[0]["target_id"].as_str().unwrap().to_owned();
    let panel: i64 = panel.parse().unwrap();
    let sent = json!({ "panel_id": panel, "submission_id": 4711, "chat_id": guild.members[5].chat,
                       "answers": { "Why?": "I like order" } });
    deployment.api().post(&format!("/guilds/{}/application-submissions", guild.id), sent).await.ok();
    owner.get(&list).await.shows(200, "Application 4711");
    let one = format!("{list}/4711");
    owner.get(&one).await.shows(200, "I like order").shows(200, "Create ticket");
    let opened = owner.submit(&format!("{one}/ticket"), &[]).await;
    opened.shows(200, "Open ticket in Discord");
    owner.get(&format!("{list}/4712")).await.shows(404, "");
}
