//! Visits every page of a guild that links lead to, in a guild that has one object of each kind.

use std::collections::{BTreeMap, VecDeque};

use scraper::node::Element;
use testkit::Deployment;

use super::routes::rows;
use testkit::Ids;
use testkit::console::{Console, Page};

const AT_MOST: usize = 250;

/// Gives the first guild an object of each kind.
pub(crate) async fn populate(deployment: &Deployment) {
    let number = deployment.guild().id.parse::<i64>().unwrap() / 10_000 % 100_000;
    Ids::made(deployment, deployment.guild(), 10 * number + 10).await;
}

/// The pages below `start` that links lead to, at most `of_a_kind` whose paths differ only in ids and whose
/// queries have the same fields; also those of broken links.
pub(crate) async fn crawl(console: &Console, start: &str, of_a_kind: usize) -> Vec<Page> {
    // Only a form leads to it.
    let find = start.contains("/guilds/") && rows().iter().any(|row| row.path.ends_with("/find"));
    let mut waiting: VecDeque<_> = [start.to_owned()].into();
    waiting.extend(find.then(|| format!("{start}/find?q=player")));
    let (mut seen, mut pages) = (BTreeMap::<String, usize>::new(), Vec::<Page>::new());
    while let Some(path) = waiting.pop_front() {
        let times = seen.entry(kind(&path)).or_default();
        if *times == of_a_kind || pages.iter().any(|page| page.path() == path) {
            continue;
        }
        *times += 1;
        let page = console.get(&path).await;
        assert!(page.status < 500, "{}: {}: {}", page.what, page.status, page.text());
        let found = page.links().into_iter().chain([page.location().to_owned()]);
        waiting.extend(found.filter_map(|link| page.resolve(&link)).filter(|link| link.starts_with(start)));
        pages.push(page);
        assert!(pages.len() < AT_MOST, "the links do not end: {seen:?}");
    }
    pages
}

/// The path with `*` for ids, and the names of the query's fields.
fn kind(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_id = |part: &&str| part.bytes().any(|byte| byte.is_ascii_digit());
    let parts = path.split('/').map(|part| if is_id(&part) { "*" } else { part }).collect::<Vec<_>>();
    let fields = query.split('&').filter_map(|field| field.split('=').next()).collect::<Vec<_>>();
    format!("{}?{}", parts.join("/"), fields.join("&"))
}

/// Panics if the page has more than its template: scripts or styles other than the files of this server,
/// handlers, or addresses that run code.
pub(super) fn assert_inert(page: &Page) {
    if !page.header("content-type").starts_with("text/html") {
        let file = page.html.is_empty() || page.header("content-disposition").starts_with("attachment");
        let of_page = page.path().starts_with("/console/assets/");
        assert!(file || of_page, "{} is shown by browsers", page.what);
        return;
    }
    page.each("*", |element| {
        let what = format!("{}: {:?}", page.what, element.value());
        assert!(is_inert(element.value()), "{what}");
    });
}

fn is_inert(tag: &Element) -> bool {
    let forbidden = ["iframe", "object", "embed", "base", "style", "marquee", "math", "template", "frame"];
    let own_file = |src: &str| src.starts_with("/console/assets/");
    tag.name().bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !forbidden.contains(&tag.name())
        && (tag.name() != "script" || tag.attr("src").is_some_and(own_file))
        && tag.attrs().all(|(name, value)| is_inert_attribute(name, value))
}

fn is_inert_attribute(name: &str, value: &str) -> bool {
    let runs = name.starts_with("on") || name == "style" || name == "srcdoc";
    let known = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-:".contains(&byte));
    // The prefix of `xlink:href` is not part of its name.
    let leads = ["href", "src", "action", "formaction"].contains(&name);
    let local = value.starts_with(['/', '#', '?']) && !value.starts_with("//") && !value.starts_with("/\\");
    let leads_well = local || value.starts_with("https://") || value.is_empty() || value == "data:,";
    known && !runs && (!leads || leads_well)
}
