//! An application from the page for members, through the queue to the role.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use testkit::console::Console;
use testkit::{Deployment, both_modes, eventually, in_turn};

use super::Applying;

both_modes!(who_applied_on_the_page_gets_the_role_once);

in_turn!(a_panel_beyond_the_form_is_posted_where_there_is_a_page,);

const WITHIN: Duration = Duration::from_secs(60);

async fn who_applied_on_the_page_gets_the_role_once(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = guild.members.iter().skip(6).find(|member| member.held.is_empty()).unwrap();
    let panel = deployment.panel(json!({ "accept_role_id": guild.roles[0] })).await;
    let own = Console::of(deployment, guild, &member.chat).await;
    let page = own.get(&format!("/apply/{}/{panel}", guild.id)).await;
    let form = page.form_with("Send application");
    let fields = form.filled(&[("answer_2", "I like order"), ("answer_3", "Red"), ("answer_4", "yes")]);
    for answer in join_all([own.send_form(&form, &fields), own.send_form(&form, &fields)]).await {
        assert_eq!(answer.status, 303, "{}", answer.text());
    }
    let sent =
        deployment.api().get(&deployment.applications("submissions")).await.ok()["submissions"].clone();
    assert_eq!(sent.as_array().unwrap().len(), 1, "{sent}");
    let owner = Console::owner(deployment).await;
    let one =
        owner.get(&format!("/console/guilds/{}/applications/{}", guild.id, sent[0]["submission_id"])).await;
    let accept = one.form_with("Accept application");
    let fields = accept.filled(&[("reason", "Welcome!")]);
    join_all([owner.send_form(&accept, &fields), owner.send_form(&accept, &fields)]).await;
    eventually("the role is there", WITHIN, async || {
        let found = deployment.simulator.member(guild, &member.chat).await;
        (found["roles"] == json!([guild.roles[0]])).then_some(())
    })
    .await;
    assert_eq!(deployment.job_rows("assign_role").await.len(), 1);
    own.get(&page.path()).await.shows(200, "accepted").shows(200, "Welcome!");
}

async fn a_panel_beyond_the_form_is_posted_where_there_is_a_page(deployment: &Deployment) {
    let many: Vec<_> = (1..=6).map(|n| json!({ "label": n.to_string(), "kind": "text" })).collect();
    let panel = deployment.panel(json!({ "questions": many })).await;
    let post = deployment.applications(&format!("panels/{panel}/publish"));
    let here = json!({ "channel_id": deployment.guild().id });
    let refused = deployment.api().post(&post, here).await;
    assert_eq!(refused.refused(422, &["more questions than a form"]).error(), "no_page");
}
