//! The headers of every answer, of errors and files too.

use reqwest::Method;
use testkit::{Deployment, in_turn};

use super::crawl::{assert_inert, crawl, populate};
use testkit::console::SESSION;
use testkit::console::{Console, Page, link};

in_turn!(every_page_is_guarded, errors_and_files_are_guarded,);

fn assert_guarded(page: &Page) {
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "connect-src 'self'",
    ] {
        assert!(policy.split(';').any(|given| given.trim() == part), "{}: {policy}", page.what);
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
    assert_eq!(page.header("x-frame-options"), "DENY", "{}", page.what);
    assert_eq!(page.header("x-content-type-options"), "nosniff", "{}", page.what);
    assert_eq!(page.header("referrer-policy"), "same-origin", "{}", page.what);
    assert_eq!(page.header("access-control-allow-origin"), "", "{}", page.what);
    let is_file = page.what.contains("/console/assets/") && page.status == 200;
    assert!(is_file || page.header("cache-control") == "no-store", "{}", page.what);
}

async fn every_page_is_guarded(deployment: &Deployment) {
    populate(deployment).await;
    let (guild, console) = (&deployment.guild().id, Console::owner(deployment).await);
    let pages = crawl(&console, &format!("/console/guilds/{guild}"), 2).await;
    assert!(pages.len() > 20, "{} pages", pages.len());
    for page in &pages {
        assert_guarded(page);
        assert_inert(page);
        assert!(!page.html.contains(&console.cookie(SESSION).unwrap()), "{}", page.what);
    }
}

async fn errors_and_files_are_guarded(deployment: &Deployment) {
    let (guild, nobody) = (deployment.guild(), Console::new(deployment));
    let console = Console::owner(deployment).await;
    let own = format!("/console/guilds/{}", guild.id);
    let unused = link(deployment, &guild.id, &guild.members[1].chat, &[]).await;
    let mut pages = Vec::new();
    for path in [
        "/console",
        "/console/",
        "/console/sign-in",
        "/console/sign-in/start",
        "/console/nothing",
        "/console/link/x",
        "/console/assets/nothing.js",
        "/console/guilds/x",
        "/console/guilds/%FF",
        &unused,
    ] {
        pages.push(nobody.get(path).await);
        pages.push(nobody.send(Method::POST, path, &[], &[("origin", "https://evil.example")]).await);
    }
    pages.push(console.post(&format!("{own}/bindings"), &[("rank", "x")]).await);
    pages.push(console.send(Method::POST, &format!("{own}/bindings"), &[], &[]).await);
    pages.push(console.get(&format!("{own}/nothing")).await);
    let statuses: Vec<_> = pages.iter().map(|page| page.status).collect();
    assert!([200, 303, 403, 404, 422].iter().all(|status| statuses.contains(status)), "{statuses:?}");
    for page in &pages {
        assert!(page.status < 500, "{}: {}", page.what, page.text());
        assert_guarded(page);
        assert_inert(page);
    }
    let home = console.get(&own).await;
    let sources = home.each("[src]", |file| file.attr("src").unwrap().to_owned());
    let mut files: Vec<_> = home.links().into_iter().chain(sources).collect();
    files.retain(|file| file.starts_with("/console/assets/"));
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let file = nobody.get(&file).await;
        assert_guarded(&file);
        assert!(file.status == 200 && file.header("cache-control").contains("immutable"), "{}", file.what);
    }
}
