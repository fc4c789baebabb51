//! Every page of a guild and of the instance that links lead to, and the pages before sign-in.

use std::collections::BTreeSet;

use testkit::{Deployment, in_turn};

use super::super::security::{crawl, populate};
use super::devtools::Browser;
use super::sign_in;
use super::tab::Tab;
use testkit::console::link;
use testkit::console::{Console, Page};

in_turn!(every_page_of_a_guild_passes, every_page_of_the_instance_passes);

async fn every_page_of_a_guild_passes(deployment: &Deployment) {
    populate(deployment).await;
    pass(deployment, &format!("/console/guilds/{}", deployment.guild().id), &["/console/sessions"]).await;
}

async fn every_page_of_the_instance_passes(deployment: &Deployment) {
    populate(deployment).await;
    let browser = pass(deployment, "/console/instance", &[]).await;
    before_sign_in(deployment, &browser).await;
}

/// The pages that links from `start` lead to, and others.
async fn pass(deployment: &Deployment, start: &str, others: &[&str]) -> Browser {
    let console = Console::operator(deployment).await;
    let pages = crawl(&console, start, 1).await;
    let mut paths: BTreeSet<_> = pages.iter().filter(|page| is_page(page)).map(Page::path).collect();
    paths.extend(others.iter().map(|path| (*path).to_owned()));
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
    let mut faults = Vec::new();
    for path in paths {
        tab.goto(&path).await;
        faults.extend(tab.faults().await.into_iter().map(|fault| format!("{path}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    browser
}

fn is_page(page: &Page) -> bool {
    page.status == 200
        && page.header("content-type").starts_with("text/html")
        && page.header("content-disposition").is_empty()
}

async fn before_sign_in(deployment: &Deployment, browser: &Browser) {
    let guild = deployment.guild();
    let tab = Tab::open(browser, deployment).await;
    let unused = link(deployment, &guild.id, &guild.members[1].chat, &[]).await;
    for path in ["/console/sign-in", unused.as_str()] {
        tab.goto(path).await;
        tab.passes().await;
    }
}
