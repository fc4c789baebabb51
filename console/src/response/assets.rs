//! Style, scripts, pictures and the font, which are in the binary. Their addresses name their content, so that browsers keep them.

use std::sync::LazyLock;

use bytes::Bytes;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::guard::secret::hex;
use crate::response::{PageError, Response};

pub(crate) const FOLDER: &str = "/console/assets/";

#[derive(RustEmbed)]
#[folder = "assets"]
struct Files;

/// The version of all files together: a new version of one changes all addresses.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = Sha256::new();
    for name in Files::iter() {
        hasher.update(Files::get(&name).map(|file| file.data).unwrap_or_default());
    }
    hex(&hasher.finalize()[..6])
});

/// The address of a file. Files import each other by relative addresses, so the version is a folder.
pub(crate) fn url(name: &str) -> String {
    format!("{FOLDER}{}/{name}", *VERSION)
}

pub(crate) fn response(path: &str) -> Result<Response, PageError> {
    let (version, name) = path.split_once('/').ok_or(PageError::NotFound)?;
    let file = Files::get(name).filter(|_| version == *VERSION).ok_or(PageError::NotFound)?;
    let content_type = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => return Err(PageError::NotFound),
    };
    Ok(Response::file(content_type, Bytes::from(file.data.into_owned())))
}

#[cfg(test)]
mod tests {
    use entities::guild::Accent;

    use super::*;

    /// The light and the dark colour of a property in a line of the style.
    fn colours(line: &str, property: &str) -> Option<[f64; 2]> {
        let (_, pair) = line.split_once(&format!("--{property}: light-dark("))?;
        let mut pair = pair.split_once(')')?.0.split(", ").map(luminance);
        Some([pair.next()?, pair.next()?])
    }

    /// Relative luminance, by WCAG.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn every_accent_can_be_read_as_text_and_below_text() {
        let style = Files::get("console.css").unwrap().data;
        let style = std::str::from_utf8(&style).unwrap();
        let of = |property| style.lines().find_map(|line| colours(line, property)).unwrap();
        let grounds = ["background", "raised", "on-accent"].map(of);
        for accent in Accent::ALL {
            let rule = format!("[data-accent={}] {{", accent.name());
            let own =
                style.lines().filter(|line| line.starts_with(&rule)).find_map(|line| colours(line, "accent"));
            let own = if *accent == Accent::Indigo { of("accent") } else { own.unwrap() };
            for (ground, theme) in grounds.iter().flat_map(|ground| [(ground, 0), (ground, 1)]) {
                let (dark, light) = (own[theme].min(ground[theme]), own[theme].max(ground[theme]));
                let contrast = (light + 0.05) / (dark + 0.05);
                assert!(contrast >= 4.5, "{} has a contrast of {contrast}", accent.name());
            }
        }
    }
}
