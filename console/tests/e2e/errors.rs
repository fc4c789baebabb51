//! Error pages: a person can continue from them, and report the request's id.

use reqwest::Method;
use testkit::{Deployment, in_turn};

use testkit::console::{Console, Page};

in_turn!(an_error_page_keeps_the_frame_and_names_its_request, a_failed_form_leads_back_to_its_page);

#[track_caller]
fn names_its_request(page: &Page) {
    let id = page.header("x-request-id");
    assert!(!id.is_empty() && page.contains(&format!("Request {id}")), "{}: {}", page.what, page.text());
}

async fn an_error_page_keeps_the_frame_and_names_its_request(deployment: &Deployment) {
    let (own, other) = (&deployment.guild().id, &deployment.other_guild().id);
    let (overview, console) = (format!("/console/guilds/{own}"), Console::owner(deployment).await);
    for path in ["/moderation/bans/4000000000", "/nothing"] {
        let page = console.get(&format!("{overview}{path}")).await;
        page.shows(404, "There is no such page");
        names_its_request(&page);
        assert_eq!(page.link("Moderation"), format!("{overview}/moderation"), "{path}");
        assert!(page.forms().iter().any(|form| form.action.ends_with("/find")), "{path}");
    }
    for path in ["/console/nothing".to_owned(), format!("/console/guilds/{other}")] {
        let page = console.get(&path).await;
        page.shows(404, "Your sessions");
        assert!(!page.html.contains(other), "{path}");
    }
    let operator = Console::operator(deployment).await;
    let page = operator.get("/console/instance/nothing").await;
    assert_eq!(page.link("Queues"), "/console/instance/queues");
    // Not signed in.
    let page = Console::new(deployment).get("/console/nothing").await;
    names_its_request(page.shows(404, "Back to the console"));
    assert!(!page.contains("Your sessions") && !page.contains("Your linked accounts"));
}

async fn a_failed_form_leads_back_to_its_page(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let bindings = format!("/console/guilds/{}/bindings", deployment.guild().id);
    let from = async |referer: &str| {
        let headers = [("sec-fetch-site", "same-origin"), ("referer", referer)];
        console.send(Method::POST, &format!("{bindings}/1/remove"), &[], &headers).await
    };
    let page = from(&format!("{}{bindings}?group_id=7", console.base())).await;
    names_its_request(page.shows(403, "Not allowed"));
    assert_eq!(page.link("Try again"), format!("{bindings}?group_id=7"));
    for elsewhere in ["https://evil.example/", "https://a.example//evil.example", "//evil.example/console"] {
        assert!(!from(elsewhere).await.contains("Try again"), "{elsewhere}");
    }
}
