//! Forms that are too large, or never arrive: they are read only after all other checks.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use reqwest::Method;
use testkit::{Deployment, in_turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use testkit::console::Console;
use testkit::console::SESSION;

in_turn!(
    a_form_that_stops_short_waits_for_nothing,
    a_form_has_a_size_and_a_number_of_fields,
    a_method_that_a_page_lacks_is_refused,
    a_person_opens_so_many_pages_a_minute,
);

/// Pages of a person.
const PAGES: usize = 600;

/// The head of a form of 4 MiB and nothing of it; the first bytes of the answer, and how long they took.
async fn stop_short(deployment: &Deployment, line: &str, headers: &str) -> (String, Duration) {
    let address = deployment.api_base(0).replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("{line} HTTP/1.1\r\nHost: a\r\nContent-Length: 4194304\r\n{headers}\r\nform_token=");
    let sent = Instant::now();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer).await.unwrap();
    (String::from_utf8_lossy(&answer[..length]).into_owned(), sent.elapsed())
}

async fn a_form_that_stops_short_waits_for_nothing(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let stranger = Console::of(deployment, guild, &guild.members[10].chat).await;
    let cookie = |console: &Console| format!("Cookie: {SESSION}={}\r\n", console.cookie(SESSION).unwrap());
    let import = format!("POST /console/guilds/{}/shield/import", guild.id);
    let bindings = format!("POST /console/guilds/{}/bindings", guild.id);
    let foreign = format!("{}Sec-Fetch-Site: cross-site\r\n", cookie(&owner));
    let asked = [
        (import.as_str(), String::new(), "303"),
        (&import, cookie(&stranger), "404"),
        (&import, foreign, "403"),
        ("POST /console/nothing", cookie(&owner), "404"),
        ("POST /console/link/x", String::new(), "413"),
        (&bindings, cookie(&owner), "413"),
        ("TRACK /console", cookie(&owner), "405"),
    ];
    let answers = asked.iter().map(|(line, headers, _)| stop_short(deployment, line, headers));
    for ((line, _, status), (answer, took)) in asked.iter().zip(futures_util::future::join_all(answers).await)
    {
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
        assert!(took < Duration::from_secs(5), "{line}: {took:?}");
    }
    // A person who may import gets the time to send it while bytes arrive.
    let (answer, _) = stop_short(deployment, &import, &cookie(&owner)).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

async fn a_form_has_a_size_and_a_number_of_fields(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let large = "x".repeat(64 * 1024);
    owner.post(&bindings, &[("rank", &large)]).await.shows(413, "65536 bytes");
    let many = vec![("rank", "1"); 1_001];
    owner.post(&bindings, &many).await.shows(413, "more fields than any page");
    let asked = format!("{bindings}?{}", "a=b&".repeat(1_001));
    owner.get(&asked).await.shows(413, "more fields than any page");
    // The page that imports takes a file.
    let lines = "900000001,exploiting\n".repeat(20_000);
    let import = format!("/console/guilds/{}/shield/import", guild.id);
    let page = owner.post(&import, &[("csv", &lines)]).await;
    assert!(![403, 413].contains(&page.status), "{}: {}", page.status, page.text());
}

async fn a_method_that_a_page_lacks_is_refused(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let staff = format!("/console/guilds/{}/staff", deployment.guild().id);
    for (path, allowed) in
        [("/console", "GET, HEAD"), ("/console/sign-out", "POST"), (staff.as_str(), "GET, HEAD, POST")]
    {
        for method in ["DELETE", "PROPFIND", "OPTIONS"] {
            let page = owner.send(Method::from_bytes(method.as_bytes()).unwrap(), path, &[], &[]).await;
            assert_eq!(page.header("allow"), allowed, "{}", page.what);
            page.shows(405, &format!("this address takes {allowed}"));
        }
    }
}

async fn a_person_opens_so_many_pages_a_minute(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, deployment.guild());
    let other = Console::of(deployment, guild, &guild.members[1].chat).await;
    let asked = stream::iter(0..=PAGES).map(|_| owner.get("/console/sessions")).buffered(8);
    let pages: Vec<_> = asked.collect().await;
    let shown = pages.iter().filter(|page| page.status == 200).count();
    // The pages of the sign-in count too.
    assert!((PAGES - 10..PAGES).contains(&shown), "{shown}");
    for page in pages.iter().filter(|page| page.status != 200) {
        page.shows(429, "very many pages");
        assert!((1..=60).contains(&page.header("retry-after").parse::<u64>().unwrap()), "{}", page.text());
    }
    other.get("/console/sessions").await.shows(200, "");
    // The limit is that of the person, not of the session.
    Console::owner(deployment).await.get("/console/sessions").await.shows(429, "very many pages");
}
