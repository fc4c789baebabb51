//! Signing in with the chat platform, as a browser that goes to its page and comes back.

use reqwest::{Method, Url};
use serde_json::json;
use testkit::{Deployment, Setup, both_modes};

use testkit::console::SESSION;
use testkit::console::{Console, Page};

pub(super) const ATTEMPT: &str = "__Host-guildhall-attempt";
/// What people's browsers would see; these tests use paths alone.
const PUBLIC: &str = "https://console.example";

both_modes!(people_sign_in_with_the_platform(super::with_application));

pub(super) fn with_application(setup: Setup) -> Setup {
    let setup = setup.env("GUILDHALL_CHAT_CLIENT_ID", "guildhall-demo");
    setup.env("GUILDHALL_CHAT_CLIENT_SECRET", "guildhall-demo-secret").env("GUILDHALL_PUBLIC_URL", PUBLIC)
}

async fn people_sign_in_with_the_platform(deployment: &Deployment) {
    success(deployment).await;
    a_shared_link_is_kept(deployment).await;
    no_other_page_is_followed(deployment).await;
    several_guilds(deployment).await;
    cancelled(deployment).await;
    another_browser(deployment).await;
    a_code_is_used_once(deployment).await;
    the_platform_is_away(deployment).await;
}

/// Begins in this browser; returns the address of the platform's page.
pub(super) async fn begin(console: &Console) -> Url {
    begin_at(console, "/console/sign-in").await
}

async fn begin_at(console: &Console, sign_in: &str) -> Url {
    let page = console.get(sign_in).await;
    let start = console.get(&page.link("Sign in with Discord")).await;
    assert_eq!(start.status, 303);
    let url: Url = start.location().parse().unwrap();
    let asked: std::collections::BTreeMap<_, _> = url.query_pairs().into_owned().collect();
    assert_eq!(asked["scope"], "identify guilds");
    assert_eq!(asked["code_challenge_method"], "S256");
    assert_eq!(asked["redirect_uri"], format!("{PUBLIC}/console/sign-in/callback"));
    assert!(asked["state"].len() >= 16 && asked["code_challenge"].len() == 43);
    let cookie = start.header("set-cookie");
    assert!(cookie.starts_with(ATTEMPT) && cookie.contains("HttpOnly") && cookie.contains("Max-Age=600"));
    url
}

/// The path that the platform sends the browser back to.
pub(super) async fn decide(url: &Url, decision: &str) -> String {
    let http = testkit::http_builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let form = http.post(url.clone()).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body(decision.to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 302);
    let back = answer.headers()["location"].to_str().unwrap().to_owned();
    back.strip_prefix(PUBLIC).unwrap_or_else(|| panic!("{back}")).to_owned()
}

pub(super) fn authorize(user: &str) -> String {
    format!("user_id={user}&decision=authorize")
}

fn assert_refused(console: &Console, page: &Page, text: &str) {
    page.shows(403, text).shows(403, "Sign in with Discord");
    assert!(console.cookie(SESSION).is_none() && console.cookie(ATTEMPT).is_none());
}

async fn success(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let console = Console::new(deployment);
    let planted = "a".repeat(64);
    console.set_cookie(SESSION, &planted);
    let back = decide(&begin(&console).await, &authorize(&guild.members[0].chat)).await;
    let done = console.get(&back).await;
    assert_eq!((done.status, done.location()), (303, "/console"), "{}", done.text());
    assert!(console.cookie(SESSION).is_some_and(|given| given != planted), "a planted cookie was adopted");
    assert!(console.cookie(ATTEMPT).is_none());
    let entry = &deployment.audit("console.sign_in").await[0];
    assert_eq!(
        (&entry["target_id"], &entry["metadata"]["by_link"]),
        (&json!(guild.members[0].chat), &json!(false))
    );
    let log = deployment.roles().apis[0].process.log();
    let line = log.lines().find(|line| line.contains("signed in")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(&guild.members[0].chat), "{line}");
    // The only guild that this person manages.
    let home = console.get("/console").await;
    assert_eq!(home.location(), format!("/console/guilds/{}", guild.id));
    console.get(&format!("/console/guilds/{}", other.id)).await.shows(404, "There is no such page");
    console.get("/console/instance").await.shows(404, "There is no such page");
    // Signing in makes nobody staff.
    let stranger = Console::new(deployment);
    let back = decide(&begin(&stranger).await, &authorize(&guild.members[20].chat)).await;
    stranger.get(&back).await;
    let home = stranger.get("/console").await;
    assert_eq!(home.shows(200, "You manage none of the servers").link("Your linked accounts"), "/link");
    // A page of the console that staff sent to a member.
    let shared = stranger.get(&format!("/console/guilds/{}", guild.id)).await;
    assert_eq!(shared.shows(404, "There is no such page").link("Your linked accounts"), "/link");
}

async fn a_shared_link_is_kept(deployment: &Deployment) {
    let guild = deployment.guild();
    let shared = format!("/console/guilds/{}/moderation/bans?q=a%26b&before=7", guild.id);
    let console = Console::new(deployment);
    let asked = console.get(&shared).await;
    let url = begin_at(&console, asked.asks_to_sign_in().location()).await;
    // Also by a second attempt.
    let cancelled = console.get(&decide(&url, "decision=cancel").await).await;
    let start = cancelled.link("Sign in with Discord");
    let url: Url = console.get(&start).await.location().parse().unwrap();
    let done = console.get(&decide(&url, &authorize(&guild.members[0].chat)).await).await;
    assert_eq!((done.status, done.location()), (303, &*shared), "{}", done.text());
}

/// Addresses that some browsers treat as those of another host, or that sign out, and addresses that are not
/// pages.
async fn no_other_page_is_followed(deployment: &Deployment) {
    for other in [
        "//evil.example",
        "//evil.example/console",
        "/\\evil.example",
        "https://evil.example/console",
        "javascript:alert(1)",
        "/console\\evil.example",
        "/console//evil.example",
        "/console/..//evil.example",
        "/console/%2e%2e//evil.example",
        "/console.evil.example",
        "/console@evil.example",
        "/console/x\r\nset-cookie: a=b",
        "/console/sign-out",
        "/docs",
    ] {
        let console = Console::new(deployment);
        let sign_in = Url::parse_with_params("http://form/console/sign-in", [("to", other)]).unwrap();
        let page = console.get(sign_in.as_str().strip_prefix("http://form").unwrap()).await;
        assert_eq!(page.link("Sign in with Discord"), "/console/sign-in/start", "{other}");
        // Skipping the page.
        let start = format!("/console/sign-in/start?{}", sign_in.query().unwrap());
        let url: Url = console.get(&start).await.location().parse().unwrap();
        let done = console.get(&decide(&url, &authorize(&deployment.guild().members[0].chat)).await).await;
        assert_eq!((done.status, done.location()), (303, "/console"), "{other}");
    }
}

/// A person finds the guilds that they manage on the platform and those in which they are staff.
async fn several_guilds(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let moderator = &guild.members[1].chat;
    let manager = json!({ "guild_id": other.id, "chat_id": moderator, "roles": [other.privileged_role] });
    deployment.simulator.change_member(manager).await;
    let console = Console::new(deployment);
    let back = decide(&begin(&console).await, &authorize(moderator)).await;
    console.get(&back).await;
    let home = console.get("/console").await;
    home.shows(200, "Admin").shows(200, "Moderator");
    for guild in [guild, other] {
        assert!(home.links().contains(&format!("/console/guilds/{}", guild.id)), "{}", home.text());
    }
}

async fn cancelled(deployment: &Deployment) {
    let console = Console::new(deployment);
    let back = decide(&begin(&console).await, "decision=cancel").await;
    assert_refused(&console, &console.get(&back).await, "you pressed Cancel");
}

async fn another_browser(deployment: &Deployment) {
    let (victim, attacker) = (Console::new(deployment), Console::new(deployment));
    let back = decide(&begin(&attacker).await, &authorize(&deployment.guild().members[1].chat)).await;
    // A browser without an attempt, and one with another attempt.
    assert_refused(&victim, &victim.get(&back).await, "was not begun in this browser");
    begin(&victim).await;
    assert_refused(&victim, &victim.get(&back).await, "was not begun in this browser");
    // Parameters of another form.
    for query in ["", "?state=", "?code=x", "?state=x&code=y", "?error=access_denied", "?state=%FF&code=%00"]
    {
        let page = victim.get(&format!("/console/sign-in/callback{query}")).await;
        assert_refused(&victim, &page, "was not begun in this browser");
    }
    let long = format!("/console/sign-in/callback?state={}", "a".repeat(4_000));
    assert_refused(&victim, &victim.get(&long).await, "was not begun in this browser");
}

async fn a_code_is_used_once(deployment: &Deployment) {
    let console = Console::new(deployment);
    let url = begin(&console).await;
    let attempt = console.cookie(ATTEMPT).unwrap();
    let back = decide(&url, &authorize(&deployment.guild().members[0].chat)).await;
    assert_eq!(console.get(&back).await.status, 303);
    let copy = Console::new(deployment);
    copy.set_cookie(ATTEMPT, &attempt);
    assert_refused(&copy, &copy.get(&back).await, "has expired or was used before");
    // An unknown code, with the right state.
    let url = begin(&copy).await;
    let state = url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    let page =
        copy.send(Method::GET, &format!("/console/sign-in/callback?code=x&state={state}"), &[], &[]).await;
    assert_refused(&copy, &page, "has expired or was used before");
}

async fn the_platform_is_away(deployment: &Deployment) {
    let console = Console::new(deployment);
    let back = decide(&begin(&console).await, &authorize(&deployment.guild().members[0].chat)).await;
    deployment.fault(json!({ "route": "POST /oauth2/token", "status": 503, "count": 100 })).await;
    assert_refused(&console, &console.get(&back).await, "Discord does not answer");
    deployment.clear_faults().await;
    let back = decide(&begin(&console).await, &authorize(&deployment.guild().members[0].chat)).await;
    assert_eq!(console.get(&back).await.status, 303);
}
