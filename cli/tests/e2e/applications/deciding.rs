//! Staff discuss an application, and accept or refuse it.

use std::time::Duration;

use serde_json::{Value, json};

use super::Applying;
use testkit::{Deployment, both_modes, eventually, in_turn};

both_modes!(
    an_acceptance_gives_the_role_and_tells_the_applicant,
    a_refusal_says_why,
    an_outage_of_the_platform_loses_no_role,
    staff_comment_on_an_application,
);

in_turn!(what_is_decided_stays_decided,);

const WITHIN: Duration = Duration::from_secs(60);

fn of(deployment: &Deployment, submission: &Value, rest: &str) -> String {
    deployment.applications(&format!("submissions/{}/{rest}", submission["submission_id"]))
}

/// A member without a role; the role is none of theirs.
fn applicant(deployment: &Deployment) -> (&str, &str) {
    let guild = deployment.guild();
    let member = guild.members.iter().skip(6).find(|member| member.held.is_empty()).unwrap();
    (&member.chat, &guild.roles[0])
}

async fn has_role(deployment: &Deployment, chat: &str, role: &str) {
    eventually("the role is there", WITHIN, async || {
        let member = deployment.simulator.member(deployment.guild(), chat).await;
        member["roles"].as_array().unwrap().contains(&json!(role)).then_some(())
    })
    .await;
}

/// The bot's message to the person about their application.
async fn told(deployment: &Deployment, chat: &str, words: &str) {
    eventually(words, WITHIN, async || {
        let messages = deployment.simulator.direct_messages(chat).await;
        messages.iter().any(|message| message["content"].as_str().unwrap().contains(words)).then_some(())
    })
    .await;
}

async fn an_acceptance_gives_the_role_and_tells_the_applicant(deployment: &Deployment) {
    let (api, (chat, role)) = (deployment.api(), applicant(deployment));
    let panel = deployment.panel(json!({ "accept_role_id": role })).await;
    let submission = deployment.applied(&panel, chat).await;
    let accept = of(deployment, &submission, "accept");
    let accepted = api.post(&accept, json!({ "reason": "Welcome *all*!" })).await.ok();
    let shown = &accepted["submission"];
    assert_eq!((&shown["state"], &shown["decision_reason"]), (&json!("accepted"), &json!("Welcome *all*!")));
    assert_eq!(shown["decided_by"], deployment.guild().members[0].chat.as_str());
    let job = deployment.job_ended(accepted["role_job_id"].as_str().unwrap()).await;
    assert_eq!((&job["kind"], &job["state"]), (&json!("assign_role"), &json!("succeeded")), "{job}");
    has_role(deployment, chat, role).await;
    told(deployment, chat, "Your application for Events team in ").await;
    told(deployment, chat, "was accepted.\n\nWelcome *all*!").await;
    assert_eq!(deployment.audit("roles.assign").await[0]["metadata"]["role_id"], role);
    // The same again changes nothing.
    let again = api.post(&accept, json!({ "reason": "other" })).await;
    assert!(again.message().contains("already accepted"), "{again}");
    let again = again.ok();
    assert_eq!((&again["submission"], &again["role_job_id"]), (shown, &Value::Null));
    let audit = deployment.audit("application_submissions.accept").await;
    assert_eq!(audit.len(), 1);
    let expected = json!({ "panel_id": panel, "chat_id": chat, "reason": "Welcome *all*!" });
    assert_eq!(
        (&audit[0]["metadata"], &audit[0]["target_id"]),
        (&expected, &json!(submission["submission_id"].to_string()))
    );
    assert_eq!(deployment.simulator.direct_messages(chat).await.len(), 1);
}

async fn a_refusal_says_why(deployment: &Deployment) {
    let (api, (chat, role)) = (deployment.api(), applicant(deployment));
    let panel = deployment.panel(json!({ "accept_role_id": role })).await;
    let submission = deployment.applied(&panel, chat).await;
    let refuse = of(deployment, &submission, "refuse");
    for bad in [json!({}), json!({ "reason": " " }), json!({ "reason": "x".repeat(1_001) })] {
        api.post(&refuse, bad).await.refused(400, &["reason"]);
    }
    let refused = api.post(&refuse, json!({ "reason": "Play a month first." })).await.ok();
    assert_eq!((&refused["submission"]["state"], &refused["role_job_id"]), (&json!("refused"), &Value::Null));
    told(deployment, chat, "was refused.\n\nPlay a month first.").await;
    let member = deployment.simulator.member(deployment.guild(), chat).await;
    assert_eq!(member["roles"], json!([]));
    let audit = deployment.audit("application_submissions.refuse").await;
    assert_eq!(audit[0]["metadata"]["reason"], "Play a month first.");
}

async fn an_outage_of_the_platform_loses_no_role(deployment: &Deployment) {
    let (api, (chat, role)) = (deployment.api(), applicant(deployment));
    let panel = deployment.panel(json!({ "accept_role_id": role })).await;
    let submission = deployment.applied(&panel, chat).await;
    deployment
        .fault(json!({ "route": "PUT /guilds/:guild/members/:user/roles/:role", "status": 503, "count": 2 }))
        .await;
    let accepted = api.post(&of(deployment, &submission, "accept"), json!({})).await.ok();
    assert_eq!(accepted["submission"]["state"], "accepted");
    has_role(deployment, chat, role).await;
}

async fn staff_comment_on_an_application(deployment: &Deployment) {
    let (api, (chat, _)) = (deployment.api(), applicant(deployment));
    let panel = deployment.panel(json!({})).await;
    let submission = deployment.applied(&panel, chat).await;
    let comments = of(deployment, &submission, "comments");
    let first = api.post(&comments, json!({ "text": "Known from events." })).await.ok();
    assert_eq!(first["author_id"], deployment.guild().members[0].chat.as_str());
    let second = api.post(&comments, json!({ "text": "Agreed." })).await.ok();
    assert_eq!(api.get(&comments).await.ok()["comments"], json!([second, first]));
    let page = api.get(&format!("{comments}?limit=1")).await.ok();
    assert_eq!((&page["comments"], &page["next_cursor"]), (&json!([second]), &second["id"]));
    let next = api.get(&format!("{comments}?limit=1&cursor={}", second["id"])).await.ok();
    assert_eq!((&next["comments"], &next["next_cursor"]), (&json!([first]), &Value::Null));
    for bad in [json!({}), json!({ "text": "" }), json!({ "text": "x".repeat(1_001) }), json!({ "text": 7 })]
    {
        api.post(&comments, bad).await.refused(400, &["text"]);
    }
    let audit = deployment.audit("application_submissions.comment").await;
    assert_eq!((audit.len(), &audit[0]["metadata"]), (2, &json!({ "panel_id": panel, "chat_id": chat })));
    // An erasure takes what was said about the applicant, and decides the application.
    deployment.command(&["erase", "--user", chat, "--yes"]).await.succeeded();
    assert_eq!(api.get(&comments).await.ok()["comments"], json!([]));
    let left = api.get(&deployment.applications("submissions")).await.ok()["submissions"][0].clone();
    assert_eq!((&left["state"], &left["answers"]), (&json!("refused"), &json!({})), "{left}");
}

async fn what_is_decided_stays_decided(deployment: &Deployment) {
    let (api, members) = (deployment.api(), &deployment.guild().members);
    let panel = deployment.panel(json!({})).await;
    let (one, two) = (
        deployment.applied(&panel, &members[8].chat).await,
        deployment.applied(&panel, &members[9].chat).await,
    );
    let reason = json!({ "reason": "no" });
    api.post(&of(deployment, &one, "accept"), json!({})).await.ok();
    let refused = api.post(&of(deployment, &one, "refuse"), reason.clone()).await;
    assert_eq!(refused.refused(409, &["already accepted"]).error(), "already_accepted");
    api.post(&of(deployment, &two, "refuse"), reason.clone()).await.ok();
    let accepted = api.post(&of(deployment, &two, "accept"), json!({})).await;
    assert_eq!(accepted.refused(409, &["already refused"]).error(), "already_refused");
    // Without the scope, of another guild, and of none.
    let reader = api.key(&deployment.new_key("read").await);
    let other = deployment.other_guild();
    for (rest, body) in [("accept", json!({})), ("refuse", reason), ("comments", json!({ "text": "x" }))] {
        let path = of(deployment, &one, rest);
        reader.post(&path, body.clone()).await.refused(403, &["staff"]);
        let theirs = path.replace(&deployment.guild().id, &other.id);
        api.key(&other.admin_key).post(&theirs, body.clone()).await.refused(404, &["submission"]);
        let unknown = deployment.applications(&format!("submissions/987654321/{rest}"));
        api.post(&unknown, body.clone()).await.refused(404, &["submission"]);
        let malformed = deployment.applications(&format!("submissions/x/{rest}"));
        api.post(&malformed, body).await.refused(400, &["submissionId"]);
    }
}
