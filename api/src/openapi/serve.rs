//! `GET /openapi.json`, `/docs` and its files: the document, generated once, and the page that shows it. `/`
//! describes this server.

use std::sync::LazyLock;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use crate::openapi::document;
use crate::openapi::luau_model::MODEL;
use crate::response::error::ApiError;

/// The page may load resources of this server only.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
const HOME: &str = include_str!("page/home.html");
const PAGE: &str = include_str!("page/page.html");
const GAMES: &str = include_str!("page/games.html");
const WEBHOOKS: &str = include_str!("page/webhooks.html");

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// What the page loads: path, content type, text. Each has a row in `PAGES` too.
const FILES: [(&str, &str, &str); 14] = [
    ("/docs/page.css", CSS, include_str!("page/page.css")),
    ("/docs/page.js", SCRIPT, include_str!("page/page.js")),
    ("/docs/code.js", SCRIPT, include_str!("page/code.js")),
    ("/docs/dom.js", SCRIPT, include_str!("page/dom.js")),
    ("/docs/examples.js", SCRIPT, include_str!("page/examples.js")),
    ("/docs/key.js", SCRIPT, include_str!("page/key.js")),
    ("/docs/menu.js", SCRIPT, include_str!("page/menu.js")),
    ("/docs/operation.js", SCRIPT, include_str!("page/operation.js")),
    ("/docs/request.js", SCRIPT, include_str!("page/request.js")),
    ("/docs/results.js", SCRIPT, include_str!("page/results.js")),
    ("/docs/schema.js", SCRIPT, include_str!("page/schema.js")),
    ("/docs/search.js", SCRIPT, include_str!("page/search.js")),
    ("/docs/try.js", SCRIPT, include_str!("page/try.js")),
    ("/docs/words.js", SCRIPT, include_str!("page/words.js")),
];

static DOCUMENT: LazyLock<Result<Bytes, String>> = LazyLock::new(|| {
    // Converted to a value first, so that the order of fields is the same in every process.
    let document = serde_json::to_value(document::build());
    document.map(|document| document.to_string().into()).map_err(|error| error.to_string())
});

pub(crate) fn document() -> Result<Response<Bytes>, ApiError> {
    let text = DOCUMENT.clone().map_err(ApiError::internal)?;
    Ok(answer(text, "application/json"))
}

pub(crate) fn home() -> Response<Bytes> {
    answer(Bytes::from_static(HOME.as_bytes()), HTML)
}

pub(crate) fn page() -> Response<Bytes> {
    answer(Bytes::from_static(PAGE.as_bytes()), HTML)
}

/// The script for Roblox games, to be inserted in Studio.
pub(crate) fn luau_model() -> Response<Bytes> {
    answer(Bytes::from_static(MODEL.as_bytes()), "application/xml; charset=utf-8")
}

/// The guide for those who write games.
pub(crate) fn games() -> Response<Bytes> {
    answer(Bytes::from_static(GAMES.as_bytes()), HTML)
}

/// The guide for those who receive webhooks.
pub(crate) fn webhooks() -> Response<Bytes> {
    answer(Bytes::from_static(WEBHOOKS.as_bytes()), HTML)
}

/// From `/docs/` to `/docs`, also below a prefix: the links of the page are relative.
pub(crate) fn moved() -> Response<Bytes> {
    let mut response = answer(Bytes::new(), HTML);
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("../docs"));
    response
}

/// One of `FILES`.
pub(crate) fn file(path: &str) -> Result<Response<Bytes>, ApiError> {
    let file = FILES.iter().find(|file| file.0 == path);
    let &(_, content_type, text) = file.ok_or_else(ApiError::no_such_path)?;
    Ok(answer(Bytes::from_static(text.as_bytes()), content_type))
}

fn answer(body: Bytes, content_type: &'static str) -> Response<Bytes> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::pages::PAGES;

    fn scripts() -> impl Iterator<Item = (&'static str, &'static str)> {
        FILES.iter().filter(|file| file.1 == SCRIPT).map(|file| (file.0, file.2))
    }

    #[test]
    fn every_file_of_the_page_has_a_row() {
        let others = ["/docs/games", "/docs/webhooks", "/docs/guildhall.rbxmx"];
        let rows = PAGES.iter().map(|page| page.path).filter(|path| path.starts_with("/docs/"));
        let rows: Vec<_> = rows.filter(|path| !others.contains(path)).collect();
        let files: Vec<_> = FILES.iter().map(|file| file.0).collect();
        assert_eq!(rows, files);
    }

    #[test]
    fn every_import_of_a_script_is_a_file() {
        for (path, text) in scripts() {
            for import in text.lines().filter_map(|line| line.split_once(" from \"./")) {
                let name = import.1.trim_end_matches("\";");
                assert!(file(&format!("/docs/{name}")).is_ok(), "{path} imports {name}");
            }
        }
    }

    /// The policy would refuse the first three; the others could turn a text into markup or code.
    #[test]
    fn nothing_of_the_page_is_inline_or_becomes_markup() {
        for page in [HOME, PAGE, GAMES] {
            for inline in [" style=", " onclick=", "<style", "javascript:"] {
                assert!(!page.contains(inline), "{inline}");
            }
            assert_eq!(page.matches("<script").count(), page.matches("<script src=").count());
        }
        for (path, text) in scripts() {
            for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style."] {
                assert!(!text.contains(way), "{path}: {way}");
            }
        }
    }
}
