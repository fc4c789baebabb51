//! The markup of a page, as the parser of a browser reads it.

use scraper::{ElementRef, Selector};

/// All elements inside that match a CSS selector, in the order of the page.
pub fn all<'d>(within: ElementRef<'d>, selector: &str) -> Vec<ElementRef<'d>> {
    within.select(&Selector::parse(selector).unwrap()).collect()
}

/// The text inside, with white space folded; elements are apart.
pub fn text(element: ElementRef<'_>) -> String {
    element.text().flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

pub fn attribute(element: ElementRef<'_>, name: &str) -> Option<String> {
    element.attr(name).map(str::to_owned)
}
