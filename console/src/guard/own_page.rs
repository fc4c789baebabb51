//! Addresses that browsers send back. Only those of pages of this console are followed.

use http::{HeaderMap, header};

use crate::fields::Fields;
use crate::guard::origin::is_same_origin;
use crate::request::{APPLICANTS, MEMBERS, ROOT};

/// Longest address that is kept, in bytes: a cookie has to hold it.
const LONGEST: usize = 1_000;
/// Pages that redirect, and files.
const NOT_KEPT: [&str; 4] = ["/sign-in", "/sign-out", "/link", "/assets"];

/// The text, if it is the path (and query) of a page: no browser takes it for an address of another host.
pub(crate) fn own_page(text: &str) -> Option<&str> {
    let path = text.split('?').next()?;
    let under =
        |root| path.strip_prefix(root).filter(|below: &&str| below.is_empty() || below.starts_with('/'));
    let of_members = under(MEMBERS).or_else(|| under(APPLICANTS));
    let below = under(ROOT).or(of_members)?;
    let is_kept = of_members.is_some()
        || NOT_KEPT.iter().all(|page| {
            let rest = below.strip_prefix(page);
            rest.is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/'))
        });
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\#\"<>".contains(&byte));
    // Dots that browsers resolve, and the two slashes before a host.
    let is_resolved = !path.contains("//")
        && !path.split('/').any(|part| matches!(&*part.to_ascii_lowercase().replace("%2e", "."), "." | ".."));
    (is_kept && is_plain && is_resolved && text.len() <= LONGEST).then_some(text)
}

/// An address of the sign-in, which leads to this page afterwards.
pub(crate) fn with_page(sign_in: &str, page: Option<&str>) -> String {
    // It leads to the first page anyway.
    let page = page.filter(|page| *page != ROOT);
    page.map_or_else(
        || sign_in.to_owned(),
        |page| format!("{sign_in}?{}", Fields::default().with("to", page)),
    )
}

/// The page of this console from which a request was sent.
pub(crate) fn page_before(headers: &HeaderMap) -> Option<&str> {
    let referer = headers.get(header::REFERER).filter(|_| is_same_origin(headers))?.to_str().ok()?;
    let (_, rest) = referer.split_once("://")?;
    own_page(&rest[rest.find('/')?..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_console_are_kept() {
        for page in [
            "/console",
            "/console?x=1",
            "/console/guilds/17/moderation/bans?q=a%26b&before=7",
            "/console/guilds/17/find?q=//x..y",
            "/console/linked",
            "/link",
            "/link/17",
            "/apply/17/3",
        ] {
            assert_eq!(own_page(page), Some(page));
        }
    }

    #[test]
    fn nothing_else_is() {
        for other in [
            "",
            "/",
            "/docs",
            "/consolex",
            "/linked",
            "/applying",
            "/apply/..//evil.example",
            "/link//evil.example",
            "console",
            "//evil.example/console",
            "/\\evil.example",
            "/console\\evil.example",
            "/console//evil.example",
            "/console/..//evil.example",
            "/console/%2E%2e/docs",
            "/console/./x",
            "/console@evil.example",
            "/console.evil.example",
            "https://evil.example/console",
            "javascript:alert(1)",
            "/console/x\r\nset-cookie: a=b",
            "/console/\tx",
            "/console/ä",
            "/console/x#y",
            "/console/sign-in",
            "/console/sign-in/start?to=/console",
            "/console/sign-out",
            "/console/link/x",
            "/console/assets/x.js",
        ] {
            assert_eq!(own_page(other), None, "{other:?}");
        }
        assert_eq!(own_page(&format!("/console/{}", "x".repeat(LONGEST))), None);
    }

    #[test]
    fn the_page_before_is_of_this_host() {
        let of = |referer: &'static str, site: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::REFERER, header::HeaderValue::from_static(referer));
            headers.insert("sec-fetch-site", header::HeaderValue::from_static(site));
            page_before(&headers).map(str::to_owned)
        };
        let own = "https://a.example/console/guilds/1?x=2";
        assert_eq!(of(own, "same-origin").as_deref(), Some("/console/guilds/1?x=2"));
        assert_eq!(of(own, "cross-site"), None);
        for other in ["https://a.example", "https://a.example//console", "/console", "about:blank"] {
            assert_eq!(of(other, "same-origin"), None, "{other}");
        }
    }
}
