//! A tab, as a person uses it: addresses, the mouse, the keyboard, and what is to be read.

use std::cell::Cell;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Deployment, eventually, eventually_ok};

use super::devtools::{Browser, Events};

const SHOWN_WITHIN: Duration = Duration::from_secs(15);
/// Finds elements as people do: by the words on them.
const FIND: &str = include_str!("find.js");

pub(super) struct Tab<'b> {
    browser: &'b Browser,
    session: String,
    pub(super) events: Events,
    base: String,
    scripts: Cell<bool>,
    /// A finger presses, not a mouse.
    touches: Cell<bool>,
}

impl<'b> Tab<'b> {
    pub(super) async fn open(browser: &'b Browser, deployment: &Deployment) -> Self {
        Self::at(browser, deployment.api_base(0)).await
    }

    /// Of a service with this address.
    pub(super) async fn at(browser: &'b Browser, base: String) -> Self {
        let (session, events) = browser.attach().await;
        let (scripts, touches) = (Cell::new(true), Cell::new(false));
        let tab = Self { browser, session, events, base, scripts, touches };
        tab.width(1280).await;
        tab
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params).await
    }

    pub(super) async fn width(&self, width: u32) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size).await;
    }

    pub(super) async fn as_phone(&self) {
        let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
        self.call("Emulation.setDeviceMetricsOverride", size).await;
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
        self.touches.set(true);
    }

    /// Without motion, so that a change of colours is immediate.
    pub(super) async fn scheme(&self, name: &str) {
        let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
        let features = [feature("prefers-color-scheme", name), feature("prefers-reduced-motion", "reduce")];
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    pub(super) async fn without_scripts(&self) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
        self.scripts.set(false);
    }

    /// The value of an expression, after its promise.
    pub(super) async fn evaluate(&self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = eventually("the page stays", SHOWN_WITHIN, async || {
            match self.browser.ask(Some(&self.session), "Runtime.evaluate", ask.clone()).await {
                Ok(answer) => Some(answer),
                // The page was left meanwhile: the next one answers.
                Err(error) if error.contains("navigated") || error.contains("context") => None,
                Err(error) => panic!("{expression}: {error}"),
            }
        })
        .await;
        assert!(answer["exceptionDetails"].is_null(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// Like [`Tab::evaluate`], with what [`FIND`] declares.
    async fn find(&self, expression: &str) -> Value {
        self.evaluate(&format!("(() => {{ {FIND}\nreturn {expression}; }})()")).await
    }

    /// Opens an address and waits until it is loaded.
    pub(super) async fn goto(&self, path: &str) {
        self.leave().await;
        let answer = self.call("Page.navigate", json!({ "url": format!("{}{path}", self.base) })).await;
        assert!(answer["errorText"].is_null(), "{path}: {answer}");
        self.loaded().await;
    }

    /// Marks this document as the one that is left.
    async fn leave(&self) {
        self.evaluate("void (globalThis.left = true)").await;
    }

    /// Waits for a complete document other than the one that was left.
    async fn loaded(&self) {
        eventually("the page is loaded", SHOWN_WITHIN, async || {
            let done = "!globalThis.left && document.readyState === 'complete'";
            (self.evaluate(done).await == true).then_some(())
        })
        .await;
    }

    pub(super) async fn path(&self) -> String {
        self.evaluate("location.pathname + location.search").await.as_str().unwrap().to_owned()
    }

    pub(super) async fn text(&self) -> String {
        let text = self.evaluate("document.body ? document.body.innerText : ''").await;
        text.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) async fn sees(&self, text: &str) {
        self.sees_within(text, SHOWN_WITHIN).await;
    }

    pub(super) async fn does_not_see(&self, text: &str) {
        eventually("it is gone", SHOWN_WITHIN, async || (!self.text().await.contains(text)).then_some(()))
            .await;
    }

    pub(super) async fn sees_within(&self, text: &str, within: Duration) {
        eventually_ok(&format!("{text:?} is shown"), within, async || {
            let shown = self.text().await;
            if shown.contains(text) { Ok(()) } else { Err(format!("{}: {shown}", self.path().await)) }
        })
        .await;
    }

    /// Presses the mouse on the visible button, link or summary with these words.
    pub(super) async fn click(&self, words: &str) {
        self.press_at("button, a[href], summary", words).await;
    }

    /// The same only for buttons, if a link has the same words. Without scripts a button sends its form:
    /// waits for the next page, because opening another address would cancel it.
    pub(super) async fn button(&self, words: &str) {
        if self.scripts.get() {
            return self.press_at("button", words).await;
        }
        self.leave().await;
        self.press_at("button", words).await;
        self.loaded().await;
    }

    /// Presses the mouse on this label of a choice.
    pub(super) async fn choose(&self, label: &str) {
        self.press_at("label", label).await;
    }

    /// Presses a link and waits until the page it leads to is loaded.
    pub(super) async fn follow(&self, words: &str) {
        self.leave().await;
        self.click(words).await;
        self.loaded().await;
    }

    /// Waits for a page with this path, on whatever host.
    pub(super) async fn arrives_at(&self, path: &str) {
        eventually_ok(&format!("{path} is shown"), SHOWN_WITHIN, async || {
            let shown = self.evaluate("location.pathname").await;
            if shown == path { Ok(()) } else { Err(shown.to_string()) }
        })
        .await;
    }

    /// Presses Enter and waits until the page it leads to is loaded.
    pub(super) async fn enter(&self) {
        self.leave().await;
        self.press("Enter").await;
        self.loaded().await;
    }

    /// Moves the mouse to the link with these words.
    pub(super) async fn point_at(&self, words: &str) {
        let at = self.place("a[href]", words).await;
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": at["x"], "y": at["y"] }))
            .await;
    }

    /// The point where the mouse hits it.
    async fn place(&self, kinds: &str, words: &str) -> Value {
        let ask = format!("place({}, {})", json!(kinds), json!(words));
        let what = format!("{words:?} can be pressed on {}: {}", self.path().await, self.text().await);
        eventually(&what, SHOWN_WITHIN, async || Some(self.find(&ask).await).filter(Value::is_object)).await
    }

    pub(super) async fn press_at(&self, kinds: &str, words: &str) {
        let at = self.place(kinds, words).await;
        if self.touches.get() {
            for (kind, points) in
                [("touchStart", json!([{ "x": at["x"], "y": at["y"] }])), ("touchEnd", json!([]))]
            {
                self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).await;
            }
            return;
        }
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": at["x"], "y": at["y"], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event).await;
        }
    }

    /// Types into the field with this label, or chooses the option with this text.
    pub(super) async fn fill(&self, label: &str, text: &str) {
        let ask = format!("fill({}, {})", json!(label), json!(text));
        let what = format!("there is a field {label:?} on {}", self.path().await);
        // A page that is still being read may show a label before its field.
        let kind =
            eventually(&what, SHOWN_WITHIN, async || Some(self.find(&ask).await).filter(Value::is_string));
        let kind = kind.await.as_str().unwrap_or_default().to_owned();
        if !["select", "date"].contains(&&*kind) {
            self.call("Input.insertText", json!({ "text": text })).await;
        }
    }

    /// `Tab`, `Enter`, `Escape`, an arrow or a space.
    pub(super) async fn press(&self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowUp" => (38, ""),
            "ArrowDown" => (40, ""),
            " " => (32, " "),
            _ => panic!("{key}"),
        };
        let mut event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if text.is_empty() {
            event["type"] = "rawKeyDown".into();
        } else {
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", event).await;
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up).await;
    }

    /// Presses Tab until the focus is on an element with these words or this label, or on one of the same choice, which must be
    /// visible. Returns the keys.
    pub(super) async fn tab_to(&self, words: &str) -> u32 {
        self.tab_until(words, false).await
    }

    /// The same to a field with this label, which may have the focus already.
    pub(super) async fn tab_to_field(&self, label: &str) -> u32 {
        self.tab_until(label, true).await
    }

    /// Nothing has the focus: Tab begins at the top of the page. A field that a page focuses has it only once the page is
    /// drawn: a key before that would be pressed elsewhere.
    pub(super) async fn is_unfocused(&self) -> bool {
        let unfocused = "document.activeElement === document.body && location.hash === ''";
        let settled = "document.readyState === 'complete' && !document.querySelector('[autofocus]')";
        eventually("the page's own field has the focus", SHOWN_WITHIN, async || {
            self.evaluate(&format!("{unfocused} ? ({settled} || null) : false")).await.as_bool()
        })
        .await
    }

    async fn tab_until(&self, words: &str, only_fields: bool) -> u32 {
        let mut passed = Vec::new();
        for keys in u32::from(!only_fields)..=80 {
            if keys > 0 {
                self.press("Tab").await;
            }
            let here = self.find("focused()").await;
            let name = here["name"].as_str().unwrap_or_default().to_owned();
            let in_choice = here["choice"].as_str().is_some_and(|choice| choice.contains(words));
            if (name.contains(words) || in_choice) && (here["field"] == true || !only_fields) {
                assert!(here["outlined"] == true, "the focus on {name:?} cannot be seen");
                return keys;
            }
            passed.push(name);
        }
        panic!("Tab does not reach {words:?} on {}: {passed:?}", self.path().await);
    }

    /// Marks the option with this label in the choice that has the focus. Returns the keys.
    pub(super) async fn arrow_to(&self, label: &str) -> u32 {
        for keys in 0..20 {
            let here = self.find("focused()").await;
            if here["name"].as_str().is_some_and(|name| name.contains(label)) {
                if here["checked"] == true {
                    return keys;
                }
                self.press(" ").await;
                return keys + 1;
            }
            self.press("ArrowDown").await;
        }
        panic!("no arrow leads to {label:?} on {}", self.path().await);
    }

    /// Presses the keys of these letters, as lists of options expect them.
    pub(super) async fn letters(&self, text: &str) {
        for letter in text.chars() {
            let key = json!({ "type": "keyDown", "key": letter.to_string(), "text": letter.to_string() });
            self.call("Input.dispatchKeyEvent", key).await;
            self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": letter.to_string() })).await;
        }
    }

    /// Into the field that has the focus.
    pub(super) async fn type_text(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text })).await;
    }
}
