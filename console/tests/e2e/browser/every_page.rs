//! Every page of a guild and of the instance that links lead to, and the pages before sign-in.

use std::collections::BTreeSet;

use testkit::{Deployment, in_turn};

use super::super::security::{crawl, populate};
use super::devtools::Browser;
use super::sign_in;
use super::tab::Tab;
use testkit::console::link;
use testkit::console::{Console, Page, kind_of_page};

in_turn!(
    a_third_of_a_guilds_pages_passes,
    another_third_of_a_guilds_pages_passes,
    the_last_third_of_a_guilds_pages_passes,
    every_page_of_the_instance_passes,
);

async fn a_third_of_a_guilds_pages_passes(deployment: &Deployment) {
    third_of_a_guild(deployment, 0).await;
}

async fn another_third_of_a_guilds_pages_passes(deployment: &Deployment) {
    third_of_a_guild(deployment, 1).await;
}

async fn the_last_third_of_a_guilds_pages_passes(deployment: &Deployment) {
    third_of_a_guild(deployment, 2).await;
}

/// All of them take one test minutes. A page is in the same third in every deployment, whatever the ids in its path.
async fn third_of_a_guild(deployment: &Deployment, third: u32) {
    populate(deployment).await;
    let start = format!("/console/guilds/{}", deployment.guild().id);
    let is_mine = |path: &str| kind_of_page(path).bytes().map(u32::from).sum::<u32>() % 3 == third;
    pass(deployment, &start, &["/console/sessions"], is_mine).await;
}

async fn every_page_of_the_instance_passes(deployment: &Deployment) {
    populate(deployment).await;
    let browser = pass(deployment, "/console/instance", &[], |_| true).await;
    before_sign_in(deployment, &browser).await;
}

/// The pages that links from `start` lead to and others, those of them that `is_mine` picks.
async fn pass(
    deployment: &Deployment,
    start: &str,
    others: &[&str],
    is_mine: impl Fn(&str) -> bool,
) -> Browser {
    let console = Console::operator(deployment).await;
    let pages = crawl(&console, start, 1).await;
    let mut paths: BTreeSet<_> = pages.iter().filter(|page| is_page(page)).map(Page::path).collect();
    paths.extend(others.iter().map(|path| (*path).to_owned()));
    paths.retain(|path| is_mine(path));
    assert!(!paths.is_empty());
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
