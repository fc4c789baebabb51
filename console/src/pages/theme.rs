//! POST /console/theme: light or dark, kept by the browser for a year.

use crate::guard::cookies::{self, THEME};
use crate::guard::own_page::page_before;
use crate::html::theme::Theme;
use crate::request::ROOT;
use crate::response::{PageError, Response};
use crate::visit::Visit;

const YEAR: i64 = 365 * 24 * 3600;

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn post(visit: Visit) -> Result<Response, PageError> {
    let theme: Theme = visit.form.text("theme").parse().unwrap_or_default();
    let page = page_before(visit.headers()).unwrap_or(ROOT).to_owned();
    Ok(Response::see(page).cookie(cookies::set(THEME, theme.word(), YEAR)))
}
