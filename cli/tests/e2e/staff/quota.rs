//! `/guilds/:guildId/staff/quota` and `…/quota-pending` (docs/rules.md 6).

use chrono::{Datelike, Days, NaiveDate, NaiveTime, SecondsFormat, TimeDelta};
use serde_json::{Value, json};

use super::{act, item, now, path, refuse_each, same_404, theirs};
use testkit::{Deployment, Member, both_modes, in_turn};

both_modes!(
    a_quota_is_added_changed_and_deleted,
    progress_lists_the_staff_in_scope_highest_first,
    a_period_begins_in_the_time_zone_and_week_of_the_guild,
    a_quota_follows_the_name_of_its_role,
    an_action_under_a_strict_quota_counts_after_its_approval,
    an_undone_unban_waits_for_no_approval,
    an_approved_action_counts_in_the_period_it_was_done(own),
    a_quota_is_for_a_role_that_exists,
    who_was_on_leave_is_marked,
    quotas_of_another_guild_are_unknown,
);

in_turn!(invalid_quotas_are_refused,);

fn quota(metric: &str, target: i64) -> Value {
    json!({ "name": "weekly", "metric": metric, "target": target, "period": "all" })
}

async fn add(deployment: &Deployment, quota: Value) -> Value {
    deployment.api().post(&path(deployment, "quota"), quota).await.ok()["id"].clone()
}

/// `(staff_id, current, target, percent)` of each row.
async fn rows(deployment: &Deployment, id: &Value) -> Vec<(String, i64, i64, i64)> {
    let data = deployment.api().get(&path(deployment, &format!("quota/{id}/progress"))).await.ok();
    assert_eq!(data["quota_id"], *id);
    let row = |row: &Value| {
        let number = |field: &str| row[field].as_i64().unwrap();
        let staff = row["staff_id"].as_str().unwrap().to_owned();
        (staff, number("current"), number("target"), number("percent"))
    };
    data["rows"].as_array().unwrap().iter().map(row).collect()
}

async fn a_quota_is_added_changed_and_deleted(deployment: &Deployment) {
    let api = deployment.api();
    let list = path(deployment, "quota");
    let mut sent = quota("ban", 10);
    sent["period"] = json!("month");
    let id = add(deployment, sent).await;
    let shown = async || item(&api.get(&list).await.ok(), "quotas", &id).clone();
    let expected = json!({ "id": id, "name": "weekly", "metric": "ban", "target": 10, "period": "month",
                           "scope": null, "requires_approval": false });
    assert_eq!(shown().await, expected);
    let one = path(deployment, &format!("quota/{id}"));
    let all = json!({ "name": "daily", "metric": "kick", "target": 2, "period": "day", "scope": "role:Moderator",
                      "requires_approval": true });
    api.patch(&one, all.clone()).await.ok();
    let mut changed = all.clone();
    changed["id"] = id.clone();
    assert_eq!(shown().await, changed);
    assert!(api.patch(&one, all).await.message().starts_with("nothing to change"));
    // A null scope means all staff; absent fields are unchanged.
    api.patch(&one, json!({ "scope": null })).await.ok();
    changed["scope"] = Value::Null;
    assert_eq!(shown().await, changed);
    for period in ["day", "week", "month", "all"] {
        api.patch(&one, json!({ "period": period, "target": 3 })).await;
        rows(deployment, &id).await;
    }
    api.delete(&one).await.ok();
    assert_eq!(api.get(&list).await.ok()["quotas"], json!([]));
    api.delete(&one).await.refused(404, &[]);
    api.patch(&one, json!({ "target": 1 })).await.refused(404, &[]);
    api.get(&format!("{one}/progress")).await.refused(404, &[]);
    let updates = deployment.audit("quotas.update").await;
    assert_eq!(updates.last().unwrap()["metadata"]["before"]["metric"], "ban");
    assert_eq!(deployment.audit("quotas.delete").await.len(), 1);
}

async fn progress_lists_the_staff_in_scope_highest_first(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let row = |member: &Member, current, target, percent| (member.chat.clone(), current, target, percent);
    let [admin, one, two, three] = &guild.members[..4] else { unreachable!() };
    let warns = add(deployment, quota("warn", 3)).await;
    let mut scoped = quota("warn", 3);
    scoped["scope"] = json!("role:Moderator");
    let scoped = add(deployment, scoped).await;
    let (sessions, minutes) =
        (add(deployment, quota("sessions", 4)).await, add(deployment, quota("minutes", 60)).await);
    act(&api, two, &["warn", "warn"]).await;
    act(&api, three, &["warn", "kick", "warn", "warn", "warn"]).await;
    act(&api, admin, &["warn"]).await;
    act(&api, admin, &[]).await;
    // Percents are rounded down and may exceed 100; equal ones are ordered by chat id.
    let all = [row(three, 4, 3, 133), row(two, 2, 3, 66), row(admin, 1, 3, 33), row(one, 0, 3, 0)];
    assert_eq!(rows(deployment, &warns).await, all);
    assert_eq!(rows(deployment, &scoped).await, [all[0].clone(), all[1].clone(), all[3].clone()]);
    let expected = [row(admin, 2, 4, 50), row(two, 1, 4, 25), row(three, 1, 4, 25), row(one, 0, 4, 0)];
    assert_eq!(rows(deployment, &sessions).await, expected);
    assert_eq!(rows(deployment, &minutes).await.len(), 4);
}

async fn a_period_begins_in_the_time_zone_and_week_of_the_guild(deployment: &Deployment) {
    let (api, settings) = (deployment.api(), format!("/guilds/{}/settings", deployment.guild().id));
    let of_period = async |period: &str| {
        let mut sent = quota("warn", 3);
        sent["period"] = json!(period);
        path(deployment, &format!("quota/{}/progress", add(deployment, sent).await))
    };
    let (day, week, month) = (of_period("day").await, of_period("week").await, of_period("month").await);
    // 25 hours apart: at every moment one of them has another date than UTC.
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Pacific/Pago_Pago", -11)] {
        let today = || (now() + TimeDelta::hours(hours)).date_naive();
        let begins = |day: NaiveDate| {
            let at = day.and_time(NaiveTime::MIN).and_utc() - TimeDelta::hours(hours);
            json!(at.to_rfc3339_opts(SecondsFormat::Secs, true))
        };
        for back in 0..7 {
            let date = today();
            let first = date - Days::new(back);
            let sent = json!({ "time_zone": zone, "week_start": first.weekday().number_from_monday() });
            api.patch(&settings, sent).await.ok();
            for (quota, first) in [(&day, date), (&week, first), (&month, date.with_day(1).unwrap())] {
                let since = api.get(quota).await.ok()["since"].clone();
                // Unless midnight has passed meanwhile.
                assert!(since == begins(first) || today() != date, "{zone} {back}: {since}");
            }
        }
    }
}

async fn a_quota_follows_the_name_of_its_role(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut scoped = quota("warn", 3);
    scoped["scope"] = json!("role:Moderator");
    let id = add(deployment, scoped).await;
    let scope =
        async || item(&api.get(&path(deployment, "quota")).await.ok(), "quotas", &id)["scope"].clone();
    let put = async |role: &str, name: &str| {
        let path = path(deployment, &format!("roles/{role}"));
        api.send(reqwest::Method::PUT, &path, Some(json!({ "role_name": name }))).await.ok();
    };
    put(&guild.roles[3], "Guard").await;
    assert_eq!(scope().await, "role:Guard");
    assert_eq!(rows(deployment, &id).await.len(), 3);
    // The scope keeps the name while another role has it.
    put("55", "Guard").await;
    put(&guild.roles[3], "Watch").await;
    assert_eq!(scope().await, "role:Guard");
}

/// The guild's kicks without the admin's one, and the member's actions, score and total.
async fn counted(deployment: &Deployment, member: &Member) -> (i64, i64, i64, i64) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let stats = api.get(&format!("/staff/stats/{}", guild.id)).await.ok();
    let by_type: i64 = stats["by_type"].as_object().unwrap().values().map(|one| one.as_i64().unwrap()).sum();
    assert_eq!(stats["total_actions"], by_type);
    let board = api.get(&format!("/staff/leaderboard/{}?period=all", guild.id)).await.ok();
    let rows = board["leaderboard"].as_array().unwrap();
    let row = rows.iter().find(|row| row["chat_id"] == member.chat.as_str()).unwrap();
    let profile = api.get(&path(deployment, &format!("profile/{}", member.chat))).await.ok();
    let number = |value: &Value| value.as_i64().unwrap();
    let kicks = number(&stats["by_type"]["kick"]) - 1;
    (kicks, number(&row["actions"]), number(&row["score"]), number(&profile["actions_total"]))
}

async fn an_action_under_a_strict_quota_counts_after_its_approval(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (admin, member) = (&guild.members[0], &guild.members[1]);
    let mut strict = quota("kick", 2);
    (strict["requires_approval"], strict["scope"]) = (json!(true), json!("role:Moderator"));
    let (strict, lax) = (add(deployment, strict).await, add(deployment, quota("kick", 2)).await);
    let current = async |quota: &Value| {
        let rows = rows(deployment, quota).await;
        rows.iter().find(|row| row.0 == member.chat).unwrap().1
    };
    let actions = act(&api, member, &["kick", "kick", "warn"]).await;
    // The strict quota does not cover the admin, whose kick needs no approval.
    act(&api, admin, &["kick"]).await;
    assert_eq!((current(&strict).await, current(&lax).await), (0, 0));
    // Pending kicks are not counted; the warn and the admin's kick are.
    assert_eq!(counted(deployment, member).await, (0, 1, 2, 1));

    let list = path(deployment, "quota-pending");
    let pending = api.get(&list).await.ok();
    assert_eq!(pending["pending"].as_array().unwrap().len(), 2, "{pending}");
    let newest = &pending["pending"][0];
    let expected = json!({ "id": newest["id"], "staff_id": member.chat, "action_type": "kick",
        "submitted_at": newest["submitted_at"], "action_id": actions[1], "state": "pending" });
    assert_eq!(*newest, expected);
    assert!(newest["id"].is_i64() && newest["submitted_at"].is_string());

    let decide = async |n: usize, verb: &str| {
        let id = &pending["pending"][n]["id"];
        api.post(&path(deployment, &format!("quota-pending/{id}/{verb}")), json!({})).await
    };
    let approved = decide(0, "approve").await.ok();
    assert_eq!((&approved["id"], &approved["state"]), (&newest["id"], &json!("approved")));
    assert_eq!((current(&strict).await, current(&lax).await), (1, 1));
    assert_eq!(counted(deployment, member).await, (1, 2, 5, 2));
    decide(0, "approve").await.refused(409, &["approved"]);
    decide(0, "reject").await.refused(409, &["approved"]);
    decide(1, "reject").await.ok();
    decide(1, "reject").await.refused(409, &["rejected"]);
    decide(1, "approve").await.refused(409, &["rejected"]);
    assert_eq!((current(&strict).await, current(&lax).await), (1, 1));
    assert_eq!(counted(deployment, member).await, (1, 2, 5, 2), "what was rejected counts nowhere");
    assert_eq!(api.get(&list).await.ok()["pending"], json!([]));
    let shown = api.get(&format!("/staff/activity/{}", guild.id)).await.ok();
    assert_eq!(item(&shown, "actions", &json!(actions[1]))["counts"], true);
    assert_eq!(item(&shown, "actions", &json!(actions[0]))["counts"], false);
    assert_eq!(
        deployment.audit("quotas.approve").await.len() + deployment.audit("quotas.reject").await.len(),
        2
    );
}

async fn an_undone_unban_waits_for_no_approval(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut strict = quota("unban", 2);
    strict["requires_approval"] = json!(true);
    add(deployment, strict).await;
    let decide = async |verb: &str, moderator: usize| {
        let body = json!({ "identifier": guild.members[7].chat, "reason": "spam",
                           "moderator_id": guild.members[moderator].chat });
        api.post(&format!("/moderation/{}/play/{verb}", guild.id), body).await.ok();
    };
    let waiting = async || api.get(&path(deployment, "quota-pending")).await.ok()["pending"].clone();
    decide("ban", 0).await;
    decide("unban", 1).await;
    assert_eq!(waiting().await[0]["action_type"], "unban");
    decide("ban", 0).await;
    assert_eq!(waiting().await, json!([]));
}

async fn an_approved_action_counts_in_the_period_it_was_done(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (admin, member) = (&guild.members[0], &guild.members[1]);
    let mut strict = quota("kick", 2);
    (strict["requires_approval"], strict["period"]) = (json!(true), json!("month"));
    let strict = add(deployment, strict).await;
    act(&api, member, &["kick"]).await;
    act(&api, admin, &["warn"]).await;
    // The month before: midday of its last day but one.
    let month = now().date_naive().with_day(1).unwrap();
    let done = (month - Days::new(2)).and_hms_opt(12, 0, 0).unwrap().format("%Y-%m-%d %H:%M:%S+00:00");
    for (table, column) in [("staff_action", "created_at"), ("pending_action", "submitted_at")] {
        let sql = format!("UPDATE {table} SET {column} = '{done}' WHERE action_type = 'kick'");
        deployment.execute(&sql).await;
    }
    let pending = api.get(&path(deployment, "quota-pending")).await.ok()["pending"][0]["id"].clone();
    api.post(&path(deployment, &format!("quota-pending/{pending}/approve")), json!({})).await.ok();
    let of = async |query: &str| {
        let data = api.get(&path(deployment, &format!("quota/{strict}/progress{query}"))).await.ok();
        let rows = data["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["staff_id"] == member.chat.as_str()).unwrap();
        (row["current"].clone(), data["since"].clone(), data["until"].clone())
    };
    let (current, ended) = (of("").await, of("?ended=1").await);
    assert_eq!((&current.0, &current.2), (&json!(0), &Value::Null));
    assert_eq!((&ended.0, &ended.2), (&json!(1), &current.1), "the period before ends where this one begins");
    let board = async |query: &str| {
        let data = api.get(&format!("/staff/leaderboard/{}?{query}", guild.id)).await.ok();
        let rows = data["leaderboard"].as_array().unwrap();
        let row = |member: &Member| {
            rows.iter().find(|row| row["chat_id"] == member.chat.as_str()).unwrap()["actions"].clone()
        };
        (row(member), row(admin))
    };
    assert_eq!(board("period=month").await, (json!(0), json!(1)));
    assert_eq!(board("period=month&ended=1").await, (json!(1), json!(0)));
    let path = format!("/staff/leaderboard/{}", guild.id);
    let answer = api.get(&format!("{path}?period=all&ended=1")).await.refused(422, &["ended"]);
    assert_eq!(answer.error(), "period_never_ends");
    api.get(&format!("{path}?ended=2")).await.refused(400, &["ended"]);
}

async fn a_quota_is_for_a_role_that_exists(deployment: &Deployment) {
    let api = deployment.api();
    let scoped = |role: &str| {
        let mut sent = quota("warn", 3);
        sent["scope"] = json!(format!("role:{role}"));
        sent
    };
    let list = path(deployment, "quota");
    let answer = api.post(&list, scoped("Moderators")).await.refused(422, &["scope", "Moderators"]);
    assert_eq!(answer.error(), "unknown_role");
    let put = async |rest: &str, name: &str| {
        let body = Some(json!({ "role_name": name }));
        api.send(reqwest::Method::PUT, &path(deployment, rest), body).await.ok();
    };
    put("roles/55", "Guard").await;
    let id = add(deployment, scoped("Guard")).await;
    let one = path(deployment, &format!("quota/{id}"));
    api.patch(&one, json!({ "scope": "role:Guards" })).await.refused(422, &["scope", "Guards"]);
    // The role stays as long as a quota is for it alone.
    api.delete(&path(deployment, "roles/55")).await.refused(409, &["1 quotas", "scope"]);
    put("roles/56", "Guard").await;
    api.delete(&path(deployment, "roles/55")).await.ok();
    api.delete(&path(deployment, "roles/56")).await.refused(409, &["1 quotas"]);
    api.patch(&one, json!({ "scope": null })).await.ok();
    api.delete(&path(deployment, "roles/56")).await.ok();
}

async fn who_was_on_leave_is_marked(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let away = &guild.members[1].chat;
    let id = add(deployment, quota("warn", 3)).await;
    let day = |n: i64| (now() + TimeDelta::days(n)).format("%Y-%m-%dT12:00:00Z").to_string();
    let leave = json!({ "staff_id": away, "starts_at": day(-3), "ends_at": day(-1), "reason": "exams" });
    api.post(&path(deployment, "loa"), leave).await.ok();
    let progress = api.get(&path(deployment, &format!("quota/{id}/progress"))).await.ok();
    let board = api.get(&format!("/staff/leaderboard/{}?period=all", guild.id)).await.ok();
    for (rows, name) in [(&progress["rows"], "staff_id"), (&board["leaderboard"], "chat_id")] {
        for row in rows.as_array().unwrap() {
            let days = if row[name] == away.as_str() { 3 } else { 0 };
            assert_eq!(row["on_leave_days"], days, "{row}");
        }
    }
}

async fn invalid_quotas_are_refused(deployment: &Deployment) {
    let api = deployment.api();
    let (list, good) = (path(deployment, "quota"), quota("ban", 5));
    let bad = [
        ("name", json!("absent")),
        ("name", json!("")),
        ("metric", json!("absent")),
        ("metric", json!("jail")),
        ("target", json!("absent")),
        ("target", json!(0)),
        ("target", json!("5")),
        ("target", json!(1.5)),
        ("period", json!("absent")),
        ("period", json!("year")),
        ("scope", json!("Moderator")),
        ("scope", json!("role:")),
        ("requires_approval", json!("yes")),
    ];
    refuse_each(&api, ("POST", &list), &good, &bad).await;
    for metric in ["minutes", "sessions"] {
        let mut strict = quota(metric, 5);
        strict["requires_approval"] = json!(true);
        api.post(&list, strict).await.refused(422, &["`requires_approval`"]);
    }
    assert_eq!(api.get(&list).await.ok()["quotas"], json!([]));
    let id = add(deployment, good).await;
    let one = path(deployment, &format!("quota/{id}"));
    api.patch(&one, json!({})).await.refused(400, &["`name`", "`scope`"]);
    let bad = [("target", json!(-1)), ("name", json!(null)), ("period", json!(null)), ("scope", json!(7))];
    refuse_each(&api, ("PATCH", &one), &json!({}), &bad).await;
    api.get(&path(deployment, "quota/x/progress")).await.refused(400, &["quotaId"]);
    api.post(&path(deployment, "quota-pending/x/approve"), json!({})).await.refused(400, &["actionId"]);
    api.post(&path(deployment, "quota-pending/999999/approve"), json!({})).await.refused(404, &[]);
}

async fn quotas_of_another_guild_are_unknown(deployment: &Deployment) {
    let api = deployment.api();
    let (their_api, their_quotas) = theirs(deployment, "quota");
    let mut strict = quota("warn", 5);
    strict["requires_approval"] = json!(true);
    let id = their_api.post(&their_quotas, strict).await.ok()["id"].clone();
    act(&their_api, &deployment.other_guild().members[1], &["warn"]).await;
    let (_, their_pending) = theirs(deployment, "quota-pending");
    let waiting = their_api.get(&their_pending).await.ok();
    let waiting_id = waiting["pending"][0]["id"].clone();
    let (foreign, unknown) = (path(deployment, &format!("quota/{id}")), path(deployment, "quota/999999"));
    let change = json!({ "target": 1 });
    same_404(api.patch(&unknown, change.clone()).await, api.patch(&foreign, change).await);
    same_404(api.delete(&unknown).await, api.delete(&foreign).await);
    let progress = async |quota: &str| api.get(&format!("{quota}/progress")).await;
    same_404(progress(&unknown).await, progress(&foreign).await);
    for verb in ["approve", "reject"] {
        let decide = async |id: &str| {
            api.post(&path(deployment, &format!("quota-pending/{id}/{verb}")), json!({})).await
        };
        same_404(decide("999999").await, decide(&waiting_id.to_string()).await);
    }
    assert_eq!(their_api.get(&their_pending).await.ok(), waiting);
}
