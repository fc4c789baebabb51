//! An answer of the console as a person reads it, and the forms on it.

use reqwest::Url;
use reqwest::header::HeaderMap;

use super::form::FoundForm;

/// The answer to a request.
pub(crate) struct Page {
    /// Method and path.
    pub(crate) what: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

impl Page {
    /// The visible text: without tags, with entities decoded and white space folded.
    pub(crate) fn text(&self) -> String {
        text_of(&self.html)
    }

    /// The text of the first row of a table with this text.
    #[track_caller]
    pub(crate) fn row(&self, text: &str) -> String {
        let rows = self.html.split("<tr").skip(1).map(|rest| rest.split("</tr>").next().unwrap());
        let mut rows = rows.map(|row| text_of(row.split_once('>').unwrap().1));
        rows.find(|row| row.contains(text)).unwrap_or_else(|| panic!("no row {text:?}: {}", self.text()))
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

    /// All errors on the page.
    pub(crate) fn problems(&self) -> Vec<String> {
        let found = self.html.split("class=\"problem\"").skip(1).filter_map(|rest| rest.split_once('>'));
        found.map(|(_, rest)| text_of(rest.split("</p>").next().unwrap())).collect()
    }

    /// The error of a field on the page.
    fn problem(&self, field: &str) -> Option<String> {
        let (_, rest) = self.html.split_once(&format!("id=\"problem-{field}\">"))?;
        Some(decoded(rest.split("</p>").next().unwrap()))
    }

    /// Panics unless the page has this error beside a field, and keeps its input.
    #[track_caller]
    pub(crate) fn refuses(&self, field: &str, typed: &str, text: &str) -> &Self {
        let problem = self.problem(field);
        let problem = problem.unwrap_or_else(|| panic!("{}: nothing at {field}: {}", self.what, self.text()));
        assert!(problem.contains(text), "{}: {field}: {problem}", self.what);
        assert_eq!(self.status, 422, "{}: {problem}", self.what);
        self.has_typed(field, typed)
    }

    /// Panics unless the page keeps this input of another field, without an error.
    #[track_caller]
    pub(crate) fn keeps(&self, field: &str, typed: &str) -> &Self {
        assert_eq!(self.problem(field), None, "{}: {field}", self.what);
        self.has_typed(field, typed)
    }

    /// Panics unless a form of the page has this value.
    #[track_caller]
    pub(crate) fn has_typed(&self, field: &str, typed: &str) -> &Self {
        let forms = self.forms();
        let mut fields = forms.iter().flat_map(|form| &form.fields);
        assert!(
            fields.any(|(name, value)| name == field && value == typed),
            "{}: {field}: {forms:?}",
            self.what
        );
        self
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The requested path, with its query.
    pub(crate) fn path(&self) -> String {
        self.what.split_once(' ').unwrap().1.to_owned()
    }

    pub(crate) fn location(&self) -> &str {
        self.header("location")
    }

    /// Panics unless a person has to sign in first, and returns to this page afterwards.
    #[track_caller]
    pub(crate) fn asks_to_sign_in(&self) -> &Self {
        let (method, path) = self.what.split_once(' ').unwrap();
        let back = Url::parse_with_params("http://form/console/sign-in", [("to", path)]).unwrap();
        // A sign-in leads to the first page anyway, and the address of a form is not a page.
        let expected = match back.as_str().strip_prefix("http://form") {
            Some(back) if method == "GET" && path != "/console" => back,
            _ => "/console/sign-in",
        };
        assert_eq!((self.status, self.location()), (303, expected), "{}", self.what);
        self
    }

    /// The page without its request id, which an error page shows.
    pub(crate) fn without_request_id(&self) -> String {
        self.html.replace(self.header("x-request-id"), "")
    }

    pub(crate) fn form_token(&self) -> Option<String> {
        let (_, rest) = self.html.split_once("name=\"form_token\" value=\"")?;
        Some(rest.split('"').next()?.to_owned())
    }

    pub(crate) fn forms(&self) -> Vec<FoundForm> {
        let forms = self.html.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap());
        forms.map(|html| FoundForm::read(html, &self.path())).collect()
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

    /// The address of the first link with this text.
    #[track_caller]
    pub(crate) fn link(&self, text: &str) -> String {
        let links = self.html.split("<a ").skip(1).map(|rest| rest.split("</a>").next().unwrap());
        let mut links = links.filter_map(|link| {
            Some((format!(" {}", link.split('>').next()?), text_of(link.split_once('>')?.1)))
        });
        let found = links
            .find(|(_, said)| said.contains(text))
            .and_then(|(head, _)| attributes(&head, "href").next());
        let found = found.unwrap_or_else(|| panic!("{}: no link {text:?} in: {}", self.what, self.text()));
        self.resolve(&decoded(&found)).unwrap_or_else(|| panic!("{text:?} leads nowhere: {found}"))
    }

    /// The address that a browser requests for a link; `None`: it stays on the page.
    pub(crate) fn resolve(&self, link: &str) -> Option<String> {
        match link.split('#').next().unwrap() {
            "" => None,
            query if query.starts_with('?') => {
                Some(format!("{}{query}", self.path().split('?').next().unwrap()))
            }
            link => Some(link.to_owned()),
        }
    }
}

fn text_of(html: &str) -> String {
    let (mut text, mut inside) = (String::with_capacity(html.len() / 2), false);
    for character in html.chars() {
        match character {
            '<' => (inside, text) = (true, text + " "),
            '>' if inside => inside = false,
            character if !inside => text.push(character),
            _ => {}
        }
    }
    decoded(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn attributes(html: &str, name: &str) -> impl Iterator<Item = String> {
    let start = format!(" {name}=\"");
    let found = html.match_indices(&start).map(|(at, _)| at + start.len()).collect::<Vec<_>>();
    found
        .into_iter()
        .map(move |at| html[at..].split('"').next().unwrap().to_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

pub(super) fn decoded(text: &str) -> String {
    let named =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\"")];
    let more = [("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"), ("&#38;", "&")];
    let all = named.into_iter().chain(more);
    all.fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}
