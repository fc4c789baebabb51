//! An answer of the console as a person reads it, and the forms on it.

use reqwest::header::HeaderMap;

/// What a request was answered with.
pub(crate) struct Page {
    /// Method and path.
    pub(crate) what: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

/// A form of a page.
#[derive(Debug)]
pub(crate) struct FoundForm {
    pub(crate) action: String,
    /// Of inputs with a value.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) html: String,
}

impl Page {
    /// What a person reads: without tags, with entities decoded and white space folded.
    pub(crate) fn text(&self) -> String {
        let (mut text, mut inside) = (String::with_capacity(self.html.len() / 2), false);
        for character in self.html.chars() {
            match character {
                '<' => (inside, text) = (true, text + " "),
                '>' if inside => inside = false,
                character if !inside => text.push(character),
                _ => {}
            }
        }
        decoded(&text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether a person reads this text on the page.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Panics unless the page has this status and text.
    #[track_caller]
    pub(crate) fn shows(&self, status: u16, text: &str) -> &Self {
        assert_eq!(self.status, status, "{}: {}", self.what, self.text());
        assert!(self.contains(text), "{}: no {text:?} in: {}", self.what, self.text());
        self
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The path that was asked for, with its query.
    pub(crate) fn path(&self) -> String {
        self.what.split_once(' ').unwrap().1.to_owned()
    }

    pub(crate) fn location(&self) -> &str {
        self.header("location")
    }

    pub(crate) fn form_token(&self) -> Option<String> {
        let (_, rest) = self.html.split_once("name=\"form_token\" value=\"")?;
        Some(rest.split('"').next()?.to_owned())
    }

    pub(crate) fn forms(&self) -> Vec<FoundForm> {
        let forms = self.html.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap());
        forms.map(|html| FoundForm::read(html, &self.what)).collect()
    }

    /// The first form that contains this text, such as the word on its button.
    #[track_caller]
    pub(crate) fn form_with(&self, text: &str) -> FoundForm {
        let found = self.forms().into_iter().find(|form| decoded(&form.html).contains(text));
        found.unwrap_or_else(|| panic!("{}: no form with {text:?} in: {}", self.what, self.html))
    }

    /// The addresses of all links.
    pub(crate) fn links(&self) -> Vec<String> {
        attributes(&self.html, "href").map(|href| decoded(&href)).collect()
    }
}

impl FoundForm {
    fn read(html: &str, page: &str) -> Self {
        let own = page.split_once(' ').map_or(page, |(_, path)| path);
        let head = html.split('>').next().unwrap();
        let action = attributes(head, "action").next().map_or_else(|| own.to_owned(), |url| decoded(&url));
        let inputs = html.split("<input").skip(1).map(|rest| rest.split('>').next().unwrap());
        let fields = inputs.filter_map(|input| {
            let name = attributes(input, "name").next()?;
            let choice = input.contains("type=\"checkbox\"") || input.contains("type=\"radio\"");
            if choice && !input.contains("checked") {
                return None;
            }
            Some((name, decoded(&attributes(input, "value").next().unwrap_or_default())))
        });
        Self { action, fields: fields.collect(), html: html.to_owned() }
    }
}

fn attributes(html: &str, name: &str) -> impl Iterator<Item = String> {
    let start = format!(" {name}=\"");
    let found = html.match_indices(&start).map(|(at, _)| at + start.len()).collect::<Vec<_>>();
    found
        .into_iter()
        .map(move |at| html[at..].split('"').next().unwrap().to_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

fn decoded(text: &str) -> String {
    let named =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\"")];
    let more = [("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"), ("&#38;", "&")];
    let all = named.into_iter().chain(more);
    all.fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}
