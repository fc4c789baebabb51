//! Every page of a guild and of the instance that links lead to, and the pages without a person.

use std::collections::BTreeSet;

use testkit::{Deployment, Mode, run_shared};

use super::super::Console;
use super::super::security::{crawl, populate};
use super::devtools::Browser;
use super::tab::Tab;
use super::{link, sign_in};

/// The pages are the same in both modes.
#[test]
fn every_page_of_a_guild_passes() {
    run_shared(Mode::Embedded, async |deployment| {
        populate(deployment).await;
        let console = Console::operator(deployment).await;
        let start = format!("/console/guilds/{}", deployment.guild().id);
        let pages = crawl(&console, &start, 1).await;
        let mut paths: BTreeSet<_> =
            pages.iter().filter(|page| is_page(page)).map(super::super::Page::path).collect();
        let instance = crawl(&console, "/console/instance", 1).await;
        paths.extend(instance.iter().filter(|page| is_page(page)).map(super::super::Page::path));
        paths.extend(["/console/sessions".to_owned()]);
        let browser = Browser::start().await;
        let tab = Tab::open(&browser, &deployment.api_base(0)).await;
        sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
        let mut faults = Vec::new();
        for path in paths {
            tab.goto(&path).await;
            faults.extend(tab.faults().await);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        before_sign_in(deployment, &browser).await;
    });
}

fn is_page(page: &super::super::Page) -> bool {
    page.status == 200
        && page.header("content-type").starts_with("text/html")
        && page.header("content-disposition").is_empty()
}

async fn before_sign_in(deployment: &Deployment, browser: &Browser) {
    let guild = deployment.guild();
    let tab = Tab::open(browser, &deployment.api_base(0)).await;
    let unused = link(deployment, &guild.id, &guild.members[1].chat, &[]).await;
    for path in ["/console/sign-in", unused.as_str()] {
        tab.goto(path).await;
        tab.passes().await;
    }
}
