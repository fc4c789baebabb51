//! Journeys through the console in a real browser, over a deployment: with scripts and without, by mouse and by keyboard.

mod applying;
mod checks;
mod devtools;
mod docs;
mod errands;
mod every_page;
mod failures;
mod journeys;
mod keyboard;
mod member_pages;
mod phone;
mod pictures;
mod scripts;
mod still;
mod suggest;
mod tab;

use testkit::{Deployment, Guild};

use self::devtools::Browser;
use self::tab::Tab;
use testkit::console::link;

/// The owner of the first guild, signed in by a link; the page is the overview.
async fn owner<'b>(deployment: &Deployment, browser: &'b Browser) -> Tab<'b> {
    let tab = Tab::open(browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &[]).await;
    tab
}

/// The same where the browser runs no scripts.
async fn owner_without_scripts<'b>(deployment: &Deployment, browser: &'b Browser) -> Tab<'b> {
    let tab = Tab::open(browser, deployment).await;
    tab.without_scripts().await;
    sign_in(deployment, &tab, deployment.guild(), 0, &[]).await;
    tab
}

async fn sign_in(deployment: &Deployment, tab: &Tab<'_>, guild: &Guild, member: usize, more: &[&str]) {
    let link = link(deployment, &guild.id, &guild.members[member].chat, more).await;
    tab.goto(&link).await;
    tab.click("Sign in as").await;
    tab.sees("Overview").await;
}
