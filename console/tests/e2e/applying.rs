//! /apply: members apply on a page, see how it stands, and learn nothing else.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::console::{Console, Page, decide};
use testkit::{Deployment, OUTSIDER, eventually, in_turn};

in_turn!(
    a_member_applies_and_sees_how_it_stands,
    what_is_wrong_stands_at_its_question,
    a_form_that_is_sent_twice_makes_one_application,
    what_changes_meanwhile_is_noticed,
    the_longest_answers_arrive,
    an_applicant_sees_the_word_and_no_comment,
    for_others_there_is_no_such_page,
    while_the_platform_is_away_members_stay_and_others_wait,
    links_lead_there_where_a_member_can_apply,
    a_sign_in_comes_back_to_the_page(testkit::console::with_both_platforms),
);

fn page_of(deployment: &Deployment, below: &str) -> String {
    format!("/apply/{}{below}", deployment.guild().id)
}

fn api_of(deployment: &Deployment, rest: &str) -> String {
    format!("/guilds/{}/application-{rest}", deployment.guild().id)
}

fn questions() -> Value {
    json!([
        { "label": "Name", "kind": "text", "required": false },
        { "label": "Why?", "kind": "paragraph" },
        { "label": "Team", "kind": "choice", "options": ["Red", "Blue"] },
        { "label": "Hours", "kind": "choice", "options": ["1", "2", "3", "4", "5", "6", "7"], "required": false },
        { "label": "Rules", "kind": "agree" },
    ])
}

/// Panel 7 of the first guild.
async fn panel(deployment: &Deployment, questions: Value) {
    let panel = json!({ "panel_id": 7, "name": "Builders", "questions": questions });
    deployment.api().post(&api_of(deployment, "panels"), panel).await.ok();
}

async fn change(deployment: &Deployment, panel: Value) {
    deployment.api().patch(&api_of(deployment, "panels/7"), panel).await.ok();
}

/// A member without a right, signed in.
async fn member(deployment: &Deployment, number: usize) -> Console {
    Console::of(deployment, deployment.guild(), &deployment.guild().members[number].chat).await
}

async fn submissions(deployment: &Deployment) -> Vec<Value> {
    let all = deployment.api().get(&api_of(deployment, "submissions")).await.ok();
    all["submissions"].as_array().unwrap().clone()
}

const FILLED: [(&str, &str); 3] =
    [("answer_2", "I like\r\norder "), ("answer_3", "Blue"), ("answer_5", "yes")];

async fn a_member_applies_and_sees_how_it_stands(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let closed = json!({ "panel_id": 8, "name": "Closed", "open": false });
    deployment.api().post(&api_of(deployment, "panels"), closed).await.ok();
    let console = member(deployment, 12).await;
    let list = console.get(&page_of(deployment, "")).await;
    list.shows(200, "Builders 5 questions").shows(200, "You have not applied here yet.");
    assert!(!list.contains("Closed"), "{}", list.text());
    let form = console.get(&list.link("Builders")).await;
    form.shows(200, "You have not applied for this yet.").shows(200, "At most 1,000 characters.");
    assert_eq!(form.form_asking("answer_4").choices("answer_4").len(), 8, "a long list, and no answer");
    let sent = console.press(&form, "Send application", &FILLED).await;
    sent.shows(200, "Your application is sent: number 1.").shows(200, "You have applied.");
    sent.shows(200, "waits for staff").shows(200, "Team Blue").shows(200, "Rules Yes");
    assert!(!sent.contains("Send application"), "{}", sent.text());
    let all = submissions(deployment).await;
    let answers = json!({ "Why?": "I like\norder", "Team": "Blue", "Rules": true });
    assert_eq!((all.len(), &all[0]["answers"]), (1, &answers));
    assert_eq!(all[0]["chat_id"], deployment.guild().members[12].chat.as_str());
    let audit = deployment.audit("application_submissions.add").await;
    assert_eq!(audit[0]["actor_id"], deployment.guild().members[12].chat.as_str());
    console.get(&page_of(deployment, "")).await.shows(200, "Builders waits for staff Application 1");
    // Another member sees nothing of it.
    let other = member(deployment, 13).await;
    other.get(&page_of(deployment, "")).await.shows(200, "You have not applied here yet.");
    other
        .get(&form.path())
        .await
        .shows(200, "Send application")
        .shows(200, "You have not applied for this yet.");
}

async fn what_is_wrong_stands_at_its_question(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let console = member(deployment, 12).await;
    let form = console.get(&page_of(deployment, "/7")).await;
    let typed = [("answer_1", "Ann"), ("answer_3", "Red"), ("answer_4", "7"), ("answer_5", "yes")];
    let empty = console.press(&form, "Send application", &typed).await;
    empty.refuses("answer_2", "", "Needs an answer.");
    for (name, value) in typed {
        empty.keeps(name, value);
    }
    let long = "x".repeat(1_001);
    let long = console.press(&empty, "Send application", &[("answer_2", &long)]).await;
    long.refuses("answer_2", &"x".repeat(1_001), "Takes at most 1000 characters.").keeps("answer_3", "Red");
    let refused = console
        .post(
            &form.path(),
            &[("asked_1", "Why?"), ("answer_1", "order"), ("asked_2", "Team"), ("answer_2", "Red")],
        )
        .await;
    refused.shows(422, "Must be agreed to.").keeps("answer_2", "order").keeps("answer_3", "Red");
    let made_up = console
        .post(
            &form.path(),
            &[("asked_1", "Why?"), ("answer_1", "order"), ("asked_2", "Team"), ("answer_2", "Pink")],
        )
        .await;
    made_up.shows(422, "Takes one of its options: Red, Blue.").keeps("answer_2", "order");
    assert_eq!(submissions(deployment).await, [Value::Null; 0]);
    console
        .press(&made_up, "Send application", &[("answer_3", "Red"), ("answer_5", "yes")])
        .await
        .shows(200, "is sent");
}

async fn a_form_that_is_sent_twice_makes_one_application(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let console = member(deployment, 12).await;
    let page = console.get(&page_of(deployment, "/7")).await;
    let form = page.form_with("Send application");
    let fields = form.filled(&FILLED);
    let sent = join_all((0..4).map(|_| console.send_form(&form, &fields))).await;
    for answer in &sent {
        assert_eq!((answer.status, answer.location()), (303, page.path().as_str()), "{}", answer.text());
    }
    assert_eq!(submissions(deployment).await.len(), 1);
    // Another text, from a tab that was open before.
    let other = console
        .press(&page, "Send application", &[("answer_2", "I like disorder"), FILLED[1], FILLED[2]])
        .await;
    other.shows(422, "You have applied for this already: number 1.").keeps("answer_2", "I like disorder");
    assert_eq!(submissions(deployment).await.len(), 1);
    // After the decision they may apply again.
    deployment
        .api()
        .post(&api_of(deployment, "submissions/1/refuse"), json!({ "reason": "too short" }))
        .await
        .ok();
    console.press(&other, "Send application", &[]).await.shows(200, "number 2");
    let both = console.get(&page.path()).await;
    both.shows(200, "Application 2").shows(200, "Application 1").shows(200, "too short");
}

async fn what_changes_meanwhile_is_noticed(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let (early, late) = (member(deployment, 12).await, member(deployment, 13).await);
    let (form, other) =
        (early.get(&page_of(deployment, "/7")).await, late.get(&page_of(deployment, "/7")).await);
    let asked = json!({ "questions": [{ "label": "Age", "kind": "text" }, { "label": "Why?", "kind": "paragraph" }] });
    change(deployment, asked).await;
    let changed = early.press(&form, "Send application", &FILLED).await;
    changed.refuses("answer_1", "", "Needs an answer.").keeps("answer_2", "I like\norder");
    let sent = early.press(&changed, "Send application", &[("answer_1", "20")]).await;
    sent.shows(200, "Age 20").shows(200, "number 1");
    change(deployment, json!({ "open": false })).await;
    let closed = late.press(&other, "Send application", &[("answer_2", "order")]).await;
    closed.shows(422, "no applications at the moment").keeps("answer_2", "order");
    late.get(&other.path()).await.shows(200, "This takes no applications at the moment.");
    deployment.api().delete(&api_of(deployment, "panels/7")).await.ok();
    late.get(&other.path()).await.shows(404, "There is no such page");
    late.post(&other.path(), &[]).await.shows(404, "There is no such page");
    // Whoever applied sees what becomes of it.
    early.get(&form.path()).await.shows(200, "You have applied.");
    deployment.api().post(&api_of(deployment, "submissions/1/accept"), json!({})).await.ok();
    early.get(&form.path()).await.shows(200, "Nobody can apply for this any more.").shows(200, "accepted");
}

/// Ten questions, with letters that browsers write in twelve.
async fn the_longest_answers_arrive(deployment: &Deployment) {
    let all: Vec<_> = (1..=10)
        .map(|n| json!({ "label": format!("{n} {}", "q".repeat(42)), "kind": "paragraph" }))
        .collect();
    panel(deployment, all.into()).await;
    let console = member(deployment, 12).await;
    let (page, text) = (console.get(&page_of(deployment, "/7")).await, "😀".repeat(1_000));
    let names: Vec<_> = (1..=10).map(|n| format!("answer_{n}")).collect();
    let typed: Vec<_> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    console.press(&page, "Send application", &typed).await.shows(200, "is sent");
    let answers = submissions(deployment).await[0]["answers"].clone();
    assert!(
        answers.as_object().unwrap().len() == 10
            && answers.as_object().unwrap().values().all(|said| *said == text)
    );
}

async fn an_applicant_sees_the_word_and_no_comment(deployment: &Deployment) {
    panel(deployment, json!([])).await;
    let (api, console) = (deployment.api(), member(deployment, 12).await);
    // Without questions there is a button alone.
    let page = console.get(&page_of(deployment, "/7")).await;
    console.press(&page, "Send application", &[]).await.shows(200, "is sent").shows(200, "Without answers.");
    api.post(&api_of(deployment, "submissions/1/comments"), json!({ "text": "we know them" })).await.ok();
    api.post(&api_of(deployment, "submissions/1/refuse"), json!({ "reason": "<i>Too young</i>" })).await.ok();
    let refused = console.get(&page.path()).await;
    refused.shows(200, "refused Application 1").shows(200, "<i>Too young</i>").shows(200, "Send application");
    let list = console.get(&page_of(deployment, "")).await;
    list.shows(200, "Builders refused");
    for page in [&refused, &list] {
        assert!(
            !page.html.contains("we know them")
                && !page.html.contains(&deployment.guild().members[0].name.clone()),
            "{}",
            page.html
        );
    }
}

/// Every address that a stranger could try, with what it answers.
async fn tried(console: &Console, guild: &str) -> Vec<Page> {
    let mut pages = Vec::new();
    for below in ["", "/7", "/8", "/999", "/x", "/7?cursor=9"] {
        pages.push(console.get(&format!("/apply/{guild}{below}")).await);
    }
    pages.push(console.post(&format!("/apply/{guild}/7"), &[("asked_1", "Name"), ("answer_1", "x")]).await);
    pages
}

async fn for_others_there_is_no_such_page(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    panel(deployment, json!([{ "label": "Secret question", "kind": "text" }])).await;
    deployment
        .api()
        .post(&api_of(deployment, "panels"), json!({ "panel_id": 8, "name": "Removed" }))
        .await
        .ok();
    deployment.api().delete(&api_of(deployment, "panels/8")).await.ok();
    let outsider = Console::of(deployment, guild, OUTSIDER).await;
    // Signed in for another server.
    let elsewhere = Console::of(deployment, other, &other.members[12].chat).await;
    for console in [&outsider, &elsewhere] {
        let nothing = console.get("/apply/7999999999999999999/7").await;
        nothing.shows(404, "There is no such page");
        for page in tried(console, &guild.id).await {
            assert_eq!(
                (page.status, page.without_request_id()),
                (404, nothing.without_request_id()),
                "{}",
                page.what
            );
        }
    }
    let own = member(deployment, 12).await;
    for below in ["/8", "/999", "/x"] {
        own.get(&page_of(deployment, below)).await.shows(404, "There is no such page");
    }
    own.get("/apply").await.shows(404, "There is no such page");
    let nobody = Console::new(deployment);
    for below in ["", "/7", "/999"] {
        nobody.get(&page_of(deployment, below)).await.asks_to_sign_in();
    }
    let forged = own.send(Method::POST, &page_of(deployment, "/7"), &[("answer_1", "x")], &[]).await;
    assert_eq!(forged.status, 403, "{}", forged.text());
    assert_eq!(submissions(deployment).await, [Value::Null; 0]);
}

async fn while_the_platform_is_away_members_stay_and_others_wait(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let (known, other) = (member(deployment, 12).await, member(deployment, 13).await);
    known.get(&page_of(deployment, "/7")).await.shows(200, "Send application");
    deployment.fault(json!({ "route": "*", "status": 503, "count": 1000 })).await;
    let page = known.get(&page_of(deployment, "/7")).await;
    known.press(&page, "Send application", &FILLED).await.shows(200, "is sent");
    other.get(&page_of(deployment, "/7")).await.shows(503, "Discord does not answer at the moment");
    deployment.clear_faults().await;
    eventually("the platform is asked again", Duration::from_secs(40), async || {
        (other.get(&page_of(deployment, "/7")).await.status == 200).then_some(())
    })
    .await;
}

const LINK: &str = "What you can apply for";

async fn links_lead_there_where_a_member_can_apply(deployment: &Deployment) {
    let guild = deployment.guild();
    let (console, home) = (member(deployment, 12).await, format!("/link/{}", guild.id));
    assert!(!console.get("/link").await.contains(LINK) && !console.get(&home).await.contains(LINK));
    panel(deployment, questions()).await;
    for path in ["/link", &home] {
        let page = console.get(path).await;
        assert_eq!(page.shows(200, LINK).link(LINK), page_of(deployment, ""));
    }
    let outsider = Console::of(deployment, guild, OUTSIDER).await;
    assert!(!outsider.get(&home).await.shows(200, "is not a member").contains(LINK));
    change(deployment, json!({ "open": false })).await;
    assert!(!console.get("/link").await.contains(LINK) && !console.get(&home).await.contains(LINK));
    // Staff copy the address of the page.
    let owner = Console::owner(deployment).await;
    let page = owner.get(&format!("/console/guilds/{}/applications/panels/7", guild.id)).await;
    let address = format!("{}{}", owner.base(), page_of(deployment, "/7"));
    page.shows(200, &address).shows(200, "Before they can, signing in with Discord has to be set up");
    assert!(page.has(&format!("button[data-copy='{address}']")));
    owner.get(&page.link(&address)).await.shows(200, "This takes no applications at the moment.");
}

async fn a_sign_in_comes_back_to_the_page(deployment: &Deployment) {
    panel(deployment, questions()).await;
    let console = Console::new(deployment);
    let path = page_of(deployment, "/7");
    let asks = console.get(&path).await;
    let sign_in = console.get(asks.asks_to_sign_in().location()).await;
    sign_in.shows(200, "only members of the server apply there");
    let start = console.get(&sign_in.link("Sign in with Discord")).await;
    let authorize = format!("user_id={}&decision=authorize", deployment.guild().members[12].chat);
    let back = console.get(&decide(start.location(), &authorize).await).await;
    assert_eq!((back.status, back.location()), (303, path.as_str()));
    console.get(&path).await.shows(200, "Send application");
}
