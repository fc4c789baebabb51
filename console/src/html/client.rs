//! The browser of a session, in words.

/// The first that fits counts: most browsers also send the names of those below theirs.
const BROWSERS: [(&str, &str); 11] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome without a window"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// "Firefox on Windows", from the header that a browser sent; an unknown header stays as it was sent.
pub(crate) fn name(agent: &str) -> String {
    let first = |list: &[(&str, &'static str)]| {
        list.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    match (first(&BROWSERS), first(&SYSTEMS)) {
        _ if agent.is_empty() => "Unknown browser".to_owned(),
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => agent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_names() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (agent, words) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Windows",
            ),
            (
                &format!("Mozilla/5.0 (X11; Linux x86_64) {webkit} Chrome/140.0.0.0 Safari/537.36"),
                "Chrome on Linux",
            ),
            (
                &format!(
                    "Mozilla/5.0 (Windows NT 10.0) {webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
                ),
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                &format!("Mozilla/5.0 (Linux; Android 10; K) {webkit} Chrome/140.0.0.0 Mobile Safari/537.36"),
                "Chrome on Android",
            ),
            ("curl/8.5.0", "curl"),
            ("console-test", "console-test"),
            ("", "Unknown browser"),
        ] {
            assert_eq!(name(agent), words);
        }
    }
}
