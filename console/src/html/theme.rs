//! Light or dark: as the system says, or as the person chose, which the browser keeps.

use http::HeaderMap;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::guard::cookies::{self, THEME};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        cookies::read(headers, THEME).and_then(|word| word.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// For the document; `None`: the system's.
    pub(crate) fn chosen(self) -> Option<&'static str> {
        (self != Self::System).then(|| self.word())
    }

    /// The choices, with their labels.
    pub(crate) fn choices(self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let label = |theme| match theme {
            Self::System => "As the system",
            Self::Light => "Light",
            Self::Dark => "Dark",
        };
        Self::VARIANTS.iter().map(move |theme| (theme.word(), label(*theme), *theme == self))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;

    #[test]
    fn the_browser_keeps_the_choice() {
        let of = |cookie: &'static str| {
            Theme::of(&HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_static(cookie))]))
        };
        assert_eq!(of("__Host-guildhall-theme=dark"), Theme::Dark);
        assert_eq!(of("__Host-guildhall-theme=\"><script>"), Theme::System);
        assert_eq!((Theme::default().chosen(), Theme::Light.chosen()), (None, Some("light")));
    }
}
