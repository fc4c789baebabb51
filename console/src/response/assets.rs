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
