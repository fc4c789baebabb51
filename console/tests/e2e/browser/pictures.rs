//! The pictures of the documentation: the ten main pages of the demo at a desk, in the dark and on a phone. `docs/images/take` runs it.

use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use testkit::{Process, eventually, free_address};

use super::devtools::Browser;
use super::tab::Tab;

/// Names of files, and pages below the guild.
const PAGES: [(&str, &str); 10] = [
    ("overview", ""),
    ("members", "/members"),
    ("member", "/members/1000000000000000003"),
    ("bindings", "/bindings"),
    ("sync", "/sync"),
    ("moderation", "/moderation/bans"),
    ("staff", "/staff"),
    ("servers", "/servers"),
    ("applications", "/applications"),
    ("audit", "/audit"),
];
/// Names, widths and heights of what shows them, and the colours.
const SCREENS: [(&str, u32, u32, &str); 3] =
    [("", 1280, 900, "light"), ("-dark", 1280, 900, "dark"), ("-phone", 390, 844, "light")];
const READY_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test]
#[ignore = "writes docs/images"]
async fn the_main_pages() {
    let (folder, address): (_, String) = (tempfile::tempdir().unwrap(), free_address());
    let mut demo = Process::spawn("demo", &["demo", "--listen", &address], &[], folder.path());
    let link = eventually("the demo is ready", READY_WITHIN, async || {
        let log = demo.log();
        let link = log.split_whitespace().find(|word| word.contains("/console/link/")).map(str::to_owned);
        link.filter(|_| log.contains(" console link "))
    })
    .await;
    let browser = Browser::join().await;
    let base = format!("http://{address}");
    let tab = Tab::at(&browser, base.clone()).await;
    tab.goto(link.strip_prefix(&base).unwrap_or(&link)).await;
    tab.button("Sign in as").await;
    tab.sees("Needs you").await;
    let guild = tab.path().await;
    tab.call("Emulation.setScrollbarsHidden", json!({ "hidden": true })).await;
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images");
    for (screen, width, height, colours) in SCREENS {
        tab.scheme(colours).await;
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        tab.call("Emulation.setDeviceMetricsOverride", size).await;
        for (name, page) in PAGES {
            tab.goto(&format!("{guild}{page}")).await;
            tab.evaluate("document.fonts.ready.then(() => true)").await;
            let taken = tab.call("Page.captureScreenshot", json!({ "format": "webp", "quality": 80 })).await;
            let bytes = BASE64_STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
            std::fs::write(images.join(format!("{name}{screen}.webp")), bytes).unwrap();
        }
    }
    demo.terminate();
    demo.ended(Duration::from_secs(35)).await;
}
