//! Every link of every page leads to a page, and every form to an address that is open, for each person who sees them. The
//! pages are those that links lead to, in a guild that has one object of each kind.

use std::collections::BTreeSet;

use testkit::{Deployment, in_turn};

use super::security::{Row, Who, crawl, permissions, populate, rows, set_permissions};
use testkit::console::{Console, Page};

in_turn!(
    an_admin_meets_no_dead_end,
    staff_meet_no_dead_end_with_any_permission,
    a_member_meets_no_dead_end,
    an_operator_meets_no_dead_end(own)
);

/// What scripts and pages ask for by themselves.
const PARTS: [&str; 2] = ["/suggest", "/icon"];
/// The first pages of all people.
const START: &str = "/console";

async fn an_admin_meets_no_dead_end(deployment: &Deployment) {
    populate(deployment).await;
    let console = Console::owner(deployment).await;
    let faults = dead_ends(deployment, &console, |who| *who != Who::Operator).await;
    assert!(faults.is_empty(), "{faults:#?}");
}

async fn staff_meet_no_dead_end_with_any_permission(deployment: &Deployment) {
    populate(deployment).await;
    let guild = deployment.guild();
    let console = Console::of(deployment, guild, &guild.members[1].chat).await;
    let mut faults = Vec::new();
    for held in permissions().iter().map(Some).chain([None]) {
        set_permissions(deployment, &held.iter().map(|name| name.as_str()).collect::<Vec<_>>()).await;
        let opens = |who: &Who| match who {
            Who::Open | Who::Own | Who::Staff => true,
            Who::Permission(name) => Some(name) == held,
            Who::Admin | Who::Operator => false,
        };
        let found = dead_ends(deployment, &console, opens).await;
        faults.extend(found.into_iter().map(|fault| format!("with {held:?}: {fault}")));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// From their own accounts, which lead to what they can apply for.
async fn a_member_meets_no_dead_end(deployment: &Deployment) {
    populate(deployment).await;
    let guild = deployment.guild();
    let console = Console::of(deployment, guild, &guild.members[12].chat).await;
    let (own, apply) = ("/link", format!("/apply/{}", guild.id));
    let mut pages = crawl(&console, own, 2).await;
    assert!(pages[0].links().contains(&apply), "{}", pages[0].text());
    pages.extend(crawl(&console, &apply, 2).await);
    assert!(pages.iter().any(|page| page.path().starts_with(&format!("{apply}/"))));
    let mut faults = dead(&pages);
    faults.extend(dead_outside(&console, &pages).await);
    faults.extend(pages.iter().flat_map(lost_fragments));
    faults
        .extend(pages.iter().flat_map(|page| closed_forms(page, |who| matches!(who, Who::Open | Who::Own))));
    assert!(faults.is_empty(), "{faults:#?}");
}

async fn an_operator_meets_no_dead_end(deployment: &Deployment) {
    populate(deployment).await;
    let console = Console::operator(deployment).await;
    let faults = dead_ends(deployment, &console, |_| true).await;
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The findings of a walk through the console, for a person with access to these rows.
async fn dead_ends(deployment: &Deployment, console: &Console, opens: impl Fn(&Who) -> bool) -> Vec<String> {
    let pages = crawl(console, START, 2).await;
    let mut faults = dead(&pages);
    faults.extend(dead_outside(console, &pages).await);
    faults.extend(pages.iter().flat_map(lost_fragments));
    faults.extend(dead_searches(console, &pages).await);
    faults.extend(pages.iter().flat_map(|page| closed_forms(page, &opens)));
    faults.extend(unreachable(&pages, &deployment.guild().id, &opens));
    faults
}

fn is_alive(page: &Page) -> bool {
    [200, 303].contains(&page.status)
}

fn dead(pages: &[Page]) -> Vec<String> {
    let from = |page: &Page| {
        let leads = |other: &&Page| other.links().iter().any(|link| other.resolve(link) == Some(page.path()));
        pages.iter().find(leads).map(Page::path)
    };
    let dead = pages.iter().filter(|page| !is_alive(page));
    dead.map(|page| format!("{:?} leads to {}: {}", from(page), page.path(), page.status)).collect()
}

/// Links to this server that leave the console: its documentation, files.
async fn dead_outside(console: &Console, pages: &[Page]) -> Vec<String> {
    let links = pages.iter().flat_map(|page| page.links().into_iter().filter_map(|link| page.resolve(&link)));
    let outside = |link: &String| link.starts_with('/') && !pages.iter().any(|page| page.path() == *link);
    let outside: BTreeSet<_> = links.filter(outside).filter(|link| !below(START, link)).collect();
    let mut dead = Vec::new();
    for link in outside {
        let page = console.get(&link).await;
        dead.extend((!is_alive(&page)).then(|| format!("{link}: {}", page.status)));
    }
    dead
}

/// Pages of the console, without its files.
fn below(start: &str, link: &str) -> bool {
    link.starts_with(start) && !link.starts_with(&format!("{start}/assets/"))
}

/// Links to a part of their own page that is not there.
fn lost_fragments(page: &Page) -> Vec<String> {
    let names = page.links().into_iter().filter_map(|link| link.strip_prefix('#').map(str::to_owned));
    let lost = names.filter(|name| !page.has(&format!("[id='{name}']")));
    lost.map(|name| format!("{} has no #{name}", page.path())).collect()
}

/// Forms that only read, sent unchanged, each once.
async fn dead_searches(console: &Console, pages: &[Page]) -> Vec<String> {
    let (mut asked, mut dead) = (BTreeSet::new(), Vec::new());
    for (page, form) in pages.iter().flat_map(|page| page.forms().into_iter().map(move |form| (page, form))) {
        let action = form.action.split(['?', '#']).next().unwrap().to_owned();
        if !form.is_post && asked.insert(action) {
            let answer = console.send_form(&form, &form.fields).await;
            dead.extend(
                (!is_alive(&answer)).then(|| format!("{}: {}: {}", page.path(), answer.what, answer.status)),
            );
        }
    }
    dead
}

/// Forms that this person sees but may not send.
fn closed_forms(page: &Page, opens: impl Fn(&Who) -> bool) -> Vec<String> {
    let posts: Vec<_> = rows().into_iter().filter(Row::is_post).collect();
    let is_open = |action: &str| {
        let row = posts.iter().filter(|row| row.fits(action).is_some()).max_by_key(|row| row.fits(action));
        row.is_some_and(|row| opens(&row.who))
    };
    let forms = page.forms().into_iter().filter(|form| form.is_post && !is_open(&form.action));
    // A form without a button shows values and is not sent.
    let closed = forms.filter(|form| !form.buttons.is_empty());
    closed.map(|form| format!("{} has a form for {}", page.path(), form.action)).collect()
}

/// Pages that are open to this person and that no link leads to.
fn unreachable(pages: &[Page], guild: &str, opens: impl Fn(&Who) -> bool) -> Vec<String> {
    let visited = pages.iter().map(Page::path);
    let searched = pages.iter().flat_map(Page::forms).map(|form| form.action);
    let plain = |path: String| path.split(['?', '#']).next().unwrap().to_owned();
    let known: BTreeSet<_> = visited.chain(searched).map(plain).collect();
    let is_part = |row: &Row| PARTS.iter().any(|part| row.path.ends_with(part));
    let inside = |row: &Row| {
        row.path.starts_with(START)
            && !row.is_post()
            && row.who != Who::Open
            && !row.names_a_thing()
            && !is_part(row)
    };
    let paths =
        rows().into_iter().filter(|row| inside(row) && opens(&row.who)).map(|row| row.in_guild(guild));
    paths.filter(|path| !known.contains(path)).map(|path| format!("nothing leads to {path}")).collect()
}
