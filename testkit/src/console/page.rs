//! An answer of the console as a person reads it, and the forms on it.

use reqwest::Url;
use reqwest::header::HeaderMap;
use scraper::{ElementRef, Html};

use super::form::FoundForm;
use super::html::{all, attribute, text};

/// The answer to a request.
pub struct Page {
    /// Method and path.
    pub what: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub html: String,
}

impl Page {
    fn read<T>(&self, read: impl FnOnce(ElementRef<'_>) -> T) -> T {
        read(Html::parse_document(&self.html).root_element())
    }

    /// What `read` says about each element that matches a CSS selector.
    pub fn each<T>(&self, selector: &str, read: impl FnMut(ElementRef<'_>) -> T) -> Vec<T> {
        self.read(|root| all(root, selector).into_iter().map(read).collect())
    }

    /// The visible text: without tags, with white space folded.
    pub fn text(&self) -> String {
        self.read(text)
    }

    /// The texts of the elements that match a CSS selector.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        self.each(selector, text)
    }

    /// Whether an element matches a CSS selector.
    pub fn has(&self, selector: &str) -> bool {
        self.read(|root| !all(root, selector).is_empty())
    }

    /// The text of the first row of a table with this text.
    #[track_caller]
    pub fn row(&self, text: &str) -> String {
        let found = self.texts("tr").into_iter().find(|row| row.contains(text));
        found.unwrap_or_else(|| panic!("no row {text:?}: {}", self.text()))
    }

    /// Whether a person reads this text on the page.
    pub fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Panics unless the page has this status and text.
    #[track_caller]
    pub fn shows(&self, status: u16, text: &str) -> &Self {
        assert_eq!(self.status, status, "{}: {}", self.what, self.text());
        assert!(self.contains(text), "{}: no {text:?} in: {}", self.what, self.text());
        self
    }

    /// All errors on the page.
    pub fn problems(&self) -> Vec<String> {
        self.texts(".problem")
    }

    /// The error of a field on the page.
    fn problem(&self, field: &str) -> Option<String> {
        self.texts(&format!("[id='problem-{field}']")).into_iter().next()
    }

    /// Panics unless the page has this error beside a field, and keeps its input.
    #[track_caller]
    pub fn refuses(&self, field: &str, typed: &str, text: &str) -> &Self {
        let problem = self.problem(field);
        let problem = problem.unwrap_or_else(|| panic!("{}: nothing at {field}: {}", self.what, self.text()));
        assert!(problem.contains(text), "{}: {field}: {problem}", self.what);
        assert_eq!(self.status, 422, "{}: {problem}", self.what);
        self.has_typed(field, typed)
    }

    /// Panics unless the page keeps this input of another field, without an error.
    #[track_caller]
    pub fn keeps(&self, field: &str, typed: &str) -> &Self {
        assert_eq!(self.problem(field), None, "{}: {field}", self.what);
        self.has_typed(field, typed)
    }

    /// Panics unless a form of the page has this value.
    #[track_caller]
    pub fn has_typed(&self, field: &str, typed: &str) -> &Self {
        let forms = self.forms();
        let mut fields = forms.iter().flat_map(|form| &form.fields);
        assert!(
            fields.any(|(name, value)| name == field && value == typed),
            "{}: {field}: {forms:?}",
            self.what
        );
        self
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The requested path, with its query.
    pub fn path(&self) -> String {
        self.what.split_once(' ').unwrap().1.to_owned()
    }

    pub fn location(&self) -> &str {
        self.header("location")
    }

    /// Panics unless a person has to sign in first, and returns to this page afterwards.
    #[track_caller]
    pub fn asks_to_sign_in(&self) -> &Self {
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
    pub fn without_request_id(&self) -> String {
        self.html.replace(self.header("x-request-id"), "")
    }

    pub fn form_token(&self) -> Option<String> {
        self.each("[name=form_token]", |field| attribute(field, "value")).into_iter().next()?
    }

    pub fn forms(&self) -> Vec<FoundForm> {
        self.each("form", |form| FoundForm::read(form, &self.path()))
    }

    /// The first form with this button.
    #[track_caller]
    pub fn form_with(&self, button: &str) -> FoundForm {
        let found = self.forms().into_iter().find(|form| form.button(button).is_some());
        found.unwrap_or_else(|| panic!("{}: no button {button:?} in: {}", self.what, self.html))
    }

    /// The first form with a field of this name.
    #[track_caller]
    pub fn form_asking(&self, field: &str) -> FoundForm {
        let found = self.forms().into_iter().find(|form| form.has_field(field));
        found.unwrap_or_else(|| panic!("{}: no field {field:?} in: {}", self.what, self.html))
    }

    /// The addresses of all links.
    pub fn links(&self) -> Vec<String> {
        self.each("[href]", |link| attribute(link, "href").unwrap())
    }

    /// The address of the first link with this text.
    #[track_caller]
    pub fn link(&self, said: &str) -> String {
        let links = self.each("a[href]", |link| (text(link), attribute(link, "href").unwrap()));
        let found = links.into_iter().find(|(text, _)| text.contains(said));
        let (_, found) =
            found.unwrap_or_else(|| panic!("{}: no link {said:?} in: {}", self.what, self.text()));
        self.resolve(&found).unwrap_or_else(|| panic!("{said:?} leads nowhere: {found}"))
    }

    /// The address that a browser requests for a link; `None`: it stays on the page.
    pub fn resolve(&self, link: &str) -> Option<String> {
        match link.split('#').next().unwrap() {
            "" => None,
            query if query.starts_with('?') => {
                Some(format!("{}{query}", self.path().split('?').next().unwrap()))
            }
            link => Some(link.to_owned()),
        }
    }
}
