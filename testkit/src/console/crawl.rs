//! Visits every page that links lead to.

use std::collections::{BTreeMap, VecDeque};

use super::{Console, Page};

const AT_MOST: usize = 250;

/// The pages below `start` that links lead to, at most `of_a_kind` whose paths differ only in ids and whose
/// queries have the same fields; also those of broken links.
pub async fn crawl(console: &Console, start: &str, of_a_kind: usize) -> Vec<Page> {
    // Only a form leads to it.
    let find = start.contains("/guilds/");
    let mut waiting: VecDeque<_> = [start.to_owned()].into();
    waiting.extend(find.then(|| format!("{start}/find?q=player")));
    let (mut seen, mut pages) = (BTreeMap::<String, usize>::new(), Vec::<Page>::new());
    while let Some(path) = waiting.pop_front() {
        let times = seen.entry(kind_of_page(&path)).or_default();
        if *times == of_a_kind || pages.iter().any(|page| page.path() == path) {
            continue;
        }
        *times += 1;
        let page = console.read(&path).await;
        assert!(page.status < 500, "{}: {}: {}", page.what, page.status, page.text());
        let found = page.links().into_iter().chain([page.location().to_owned()]);
        waiting.extend(found.filter_map(|link| page.resolve(&link)).filter(|link| link.starts_with(start)));
        pages.push(page);
        assert!(pages.len() < AT_MOST, "the links do not end: {seen:?}");
    }
    pages
}

/// The path with `*` for ids, and the names of the query's fields: the same in every deployment.
pub fn kind_of_page(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_id = |part: &&str| part.bytes().any(|byte| byte.is_ascii_digit());
    let parts = path.split('/').map(|part| if is_id(&part) { "*" } else { part }).collect::<Vec<_>>();
    let fields = query.split('&').filter_map(|field| field.split('=').next()).collect::<Vec<_>>();
    format!("{}?{}", parts.join("/"), fields.join("&"))
}
