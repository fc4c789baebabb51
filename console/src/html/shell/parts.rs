//! The parts of the frame that no page changes. As templates of their own they are compiled once, and not in each page.

use askama::Template;
use askama::filters::HtmlSafe;

use super::Shell;

/// What the browser loads.
#[derive(Template)]
#[template(path = "shell/links.html")]
pub(crate) struct Links<'a> {
    shell: &'a Shell,
}

/// Of the body, for scripts and the guild's color.
#[derive(Template)]
#[template(path = "shell/attributes.html")]
pub(crate) struct Attributes<'a> {
    shell: &'a Shell,
}

/// The guild, the search and the menus.
#[derive(Template)]
#[template(path = "shell/bar.html")]
pub(crate) struct Bar<'a> {
    shell: &'a Shell,
}

/// Beside the page.
#[derive(Template)]
#[template(path = "shell/navigation.html")]
pub(crate) struct Navigation<'a> {
    shell: &'a Shell,
}

/// Above the page: that it is stale, and the flash of the last form.
#[derive(Template)]
#[template(path = "shell/notices.html")]
pub(crate) struct Notices<'a> {
    shell: &'a Shell,
}

/// The list of keyboard shortcuts.
#[derive(Template)]
#[template(path = "shell/shortcuts.html")]
pub(crate) struct Shortcuts<'a> {
    shell: &'a Shell,
}

impl HtmlSafe for Links<'_> {}
impl HtmlSafe for Attributes<'_> {}
impl HtmlSafe for Bar<'_> {}
impl HtmlSafe for Navigation<'_> {}
impl HtmlSafe for Notices<'_> {}
impl HtmlSafe for Shortcuts<'_> {}

/// For `shell.html`.
impl Shell {
    pub(crate) fn links(&self) -> Links<'_> {
        Links { shell: self }
    }

    pub(crate) fn attributes(&self) -> Attributes<'_> {
        Attributes { shell: self }
    }

    pub(crate) fn bar(&self) -> Bar<'_> {
        Bar { shell: self }
    }

    pub(crate) fn navigation(&self) -> Navigation<'_> {
        Navigation { shell: self }
    }

    pub(crate) fn notices(&self) -> Notices<'_> {
        Notices { shell: self }
    }

    pub(crate) fn shortcuts(&self) -> Shortcuts<'_> {
        Shortcuts { shell: self }
    }
}
