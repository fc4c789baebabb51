//! The navigation beside a page.

/// Of a guild, or of the instance.
pub(crate) struct Rail {
    pub(crate) label: &'static str,
    pub(crate) entries: Vec<NavEntry>,
}

pub(crate) struct NavEntry {
    pub(crate) label: &'static str,
    /// In `shell/icons.html`.
    pub(crate) icon: &'static str,
    pub(crate) url: String,
    pub(crate) current: bool,
    /// The first one below the line.
    pub(crate) after_line: bool,
}

/// Icons are named as the pages.
pub(super) fn icon_of(page: &'static str) -> &'static str {
    page.strip_prefix('/').unwrap_or("overview")
}
