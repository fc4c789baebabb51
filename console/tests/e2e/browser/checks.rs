//! Checks of every page: an empty browser console, no violation of the policy, no serious fault by axe-core,
//! unique names of landmarks, no sideways scrolling on a small phone.

use serde_json::Value;

use super::tab::Tab;

const AXE: &str = include_str!("../axe/axe.min.js");
const NARROWEST: u32 = 320;
const RUN: &str = "axe.run(document, OPTIONS).then((found) => found.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact) || one.id === 'landmark-unique')
    .map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.target + ' ' + node.failureSummary).join('; ')))";
/// The page that scrolls sideways, with what reaches beyond the window; and elements whose text or content reaches beyond
/// them, the innermost ones.
pub(super) const WIDE: &str = "(() => {
    const root = document.documentElement;
    const scrolls = root.scrollWidth > innerWidth;
    const isBeyond = (one) => scrolls && one.getBoundingClientRect().right > innerWidth + 1;
    const overflows = (one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1
        && getComputedStyle(one).overflowX === 'visible';
    const wide = [...document.body.querySelectorAll('*')]
        .filter((one) => one.checkVisibility() && !one.closest('.rail, .tabs, .hidden, pre'))
        .filter((one) => isBeyond(one) || overflows(one))
        .filter((one, _, wide) => !wide.some((other) => other !== one && one.contains(other)))
        .map((one) => one.scrollWidth + ' px: ' + one.outerHTML.slice(0, 120));
    return [...(scrolls ? [root.scrollWidth + ' px of ' + innerWidth] : []), ...wide.slice(0, 4)];
})()";

impl Tab<'_> {
    /// All faults of the page that is shown.
    pub(super) async fn faults(&self) -> Vec<String> {
        let mut faults = self.reported();
        self.evaluate(AXE).await;
        // The dark theme differs only in colours.
        for (scheme, rules) in [("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")] {
            self.scheme(scheme).await;
            let run = RUN.replace("OPTIONS", rules);
            faults.extend(texts(&self.evaluate(&run).await).map(|text| format!("{scheme}: {text}")));
        }
        self.scheme("light").await;
        self.width(NARROWEST).await;
        faults.extend(
            texts(&self.evaluate(WIDE).await).map(|text| format!("wider than {NARROWEST} px: {text}")),
        );
        self.width(1280).await;
        faults
    }

    pub(super) async fn passes(&self) {
        let faults = self.faults().await;
        assert!(faults.is_empty(), "{}: {}", self.path().await, faults.join("\n"));
    }

    /// Errors and violations of the policy so far; each is reported once.
    pub(super) fn reported(&self) -> Vec<String> {
        std::mem::take(&mut *self.events.lock().unwrap()).into_iter().filter_map(fault).collect()
    }
}

fn fault((method, params): (String, Value)) -> Option<String> {
    let entry = &params["entry"];
    let text = match &*method {
        "Runtime.exceptionThrown" => params["exceptionDetails"].to_string(),
        "Runtime.consoleAPICalled" if params["type"] == "error" => params["args"].to_string(),
        "Log.entryAdded" if entry["level"] == "error" && !is_expected(entry) => {
            format!("{} {}", entry["text"], entry["url"])
        }
        "Audits.issueAdded" if params["issue"]["code"] == "ContentSecurityPolicyIssue" => {
            params["issue"].to_string()
        }
        _ => return None,
    };
    Some(format!("{method}: {text}"))
}

/// A form with a mistake is answered with 422; a person without a picture has initials.
fn is_expected(entry: &Value) -> bool {
    let (text, url) = (entry["text"].to_string(), entry["url"].to_string());
    text.contains("status of 422") || (text.contains("status of 404") && url.contains("/picture/"))
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().cloned().unwrap_or_default().into_iter().map(|text| text.as_str().unwrap().to_owned())
}
