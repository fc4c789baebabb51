//! A guild with one object of each kind, and what a page may consist of.

use scraper::node::Element;
use testkit::Deployment;

use testkit::Ids;
use testkit::console::Page;

pub(crate) use testkit::console::crawl;

/// Gives the first guild an object of each kind.
pub(crate) async fn populate(deployment: &Deployment) {
    let number = deployment.guild().id.parse::<i64>().unwrap() / 10_000 % 100_000;
    Ids::made(deployment, deployment.guild(), 10 * number + 10).await;
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
