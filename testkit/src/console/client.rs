//! A browser without JavaScript: keeps cookies, posts forms with their token, and does not follow redirects
//! by itself.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Deployment, Guild};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, Url, redirect};

use super::Page;
use super::form::FoundForm;

/// The cookie of a session.
pub const SESSION: &str = "__Host-guildhall";

/// Bytes of a cookie's name and value; browsers ignore larger ones.
const COOKIE_MAX: usize = 4096;

/// One person's browser.
pub struct Console {
    http: Client,
    base: String,
    /// Where it is: some limits count by address. Only deployments that trust their proxy look at it.
    pub address: String,
    /// Browsers of one person may have different names.
    pub agent: String,
    cookies: RefCell<BTreeMap<String, String>>,
    /// The token of the last page with a form.
    token: RefCell<String>,
}

impl Console {
    /// Not signed in.
    pub fn new(deployment: &Deployment) -> Self {
        let http = crate::http_builder().redirect(redirect::Policy::none()).build().unwrap();
        Self {
            http,
            base: deployment.api_base(0),
            // An address only of this test, because limits count by address.
            address: format!("10.200.{}.{}", rand_byte(deployment, 0), rand_byte(deployment, 1)),
            agent: "console-test".to_owned(),
            cookies: RefCell::default(),
            token: RefCell::default(),
        }
    }

    /// The first guild's owner, who is its admin.
    pub async fn owner(deployment: &Deployment) -> Self {
        Self::of(deployment, deployment.guild(), &deployment.guild().members[0].chat).await
    }

    /// A person of a guild, signed in by a link. Members 1 to 3 of a fixture are Moderators, later ones have
    /// no role.
    pub async fn of(deployment: &Deployment, guild: &Guild, user: &str) -> Self {
        let console = Self::new(deployment);
        console.sign_in(&link(deployment, &guild.id, user, &[]).await).await;
        console
    }

    /// The owner, who may also operate the instance.
    pub async fn operator(deployment: &Deployment) -> Self {
        let (console, guild) = (Self::new(deployment), deployment.guild());
        console.sign_in(&link(deployment, &guild.id, &guild.members[0].chat, &["--operator"]).await).await;
        console
    }

    /// Uses the link of this path.
    pub async fn sign_in(&self, path: &str) -> Page {
        let page = self.send(Method::POST, path, &[], &[]).await;
        assert_eq!(page.status, 303, "{}: {}", page.what, page.text());
        // For the token of the forms.
        self.get("/console/sessions").await;
        page
    }

    pub async fn get(&self, path: &str) -> Page {
        self.send(Method::GET, path, &[], &[]).await
    }

    /// The same by somebody who reads very many pages, and waits as long as a refusal of more says.
    pub async fn read(&self, path: &str) -> Page {
        loop {
            let page = self.get(path).await;
            if page.status != 429 {
                return page;
            }
            tokio::time::sleep(Duration::from_secs(page.header("retry-after").parse().unwrap())).await;
        }
    }

    /// Posts a form, with the token of the last page.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.token.borrow().clone();
        let fields: Vec<_> = fields.iter().copied().chain([("form_token", token.as_str())]).collect();
        self.send(Method::POST, path, &fields, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Posts a form that succeeds, and shows the page that follows.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let page = self.post(path, fields).await;
        assert_eq!(page.status, 303, "{}: {}", page.what, page.text());
        self.get(page.location()).await
    }

    /// Posts the form behind the Undo of this page, and shows the page that follows.
    pub async fn undo(&self, page: &Page) -> Page {
        let undone = self.press(page, "Undo", &[]).await;
        assert_eq!(undone.status, 200, "{}: {}", undone.what, undone.text());
        undone
    }

    /// Fills in the form of the page that has this button, presses it, and shows the page that follows.
    pub async fn press(&self, page: &Page, button: &str, typed: &[(&str, &str)]) -> Page {
        let form = page.form_with(button);
        let fields: Vec<_> = form.filled(typed).into_iter().chain(form.pressed(button)).collect();
        let answer = self.send_form(&form, &fields).await;
        if answer.status == 303 { self.get(answer.location()).await } else { answer }
    }

    /// Sends a form with these fields.
    pub async fn send_form(&self, form: &FoundForm, fields: &[(String, String)]) -> Page {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        if form.is_post {
            return self.send(Method::POST, &form.action, &fields, &[]).await;
        }
        let path = form.action.split(['?', '#']).next().unwrap();
        let query = Url::parse_with_params("http://form", &fields).unwrap().query().unwrap_or("").to_owned();
        self.get(&format!("{path}?{query}")).await
    }

    /// Any request; `fields` are the whole form, `headers` replace those of a browser.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Page {
        let what = format!("{method} {path}");
        let body = Url::parse_with_params("http://form", fields).unwrap().query().unwrap_or("").to_owned();
        let mut all = HeaderMap::new();
        all.insert("user-agent", HeaderValue::from_str(&self.agent).unwrap());
        all.insert("x-forwarded-for", HeaderValue::from_str(&self.address).unwrap());
        all.insert("cookie", HeaderValue::from_str(&self.cookie_line()).unwrap());
        if method == Method::POST {
            all.insert("origin", HeaderValue::from_str(&self.base).unwrap());
            all.insert("content-type", HeaderValue::from_static("application/x-www-form-urlencoded"));
        }
        for (name, value) in headers {
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            all.insert(name, HeaderValue::from_str(value).unwrap());
        }
        let request = self.http.request(method, format!("{}{path}", self.base)).headers(all);
        let response = request.body(body).send().await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let html = response.text().await.unwrap();
        self.keep(&headers);
        let page = Page { what, status, headers, html };
        if let Some(token) = page.form_token() {
            self.token.replace(token);
        }
        page
    }

    fn keep(&self, headers: &HeaderMap) {
        for line in headers.get_all("set-cookie") {
            let line = line.to_str().unwrap();
            let (name, rest) = line.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if name.len() + value.len() > COOKIE_MAX {
                continue;
            }
            if line.contains("Max-Age=0") {
                self.cookies.borrow_mut().remove(name);
            } else {
                self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
            }
        }
    }

    fn cookie_line(&self) -> String {
        let cookies = self.cookies.borrow();
        cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.borrow().get(name).cloned()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
    }

    /// The token of this session's forms.
    pub fn form_token(&self) -> String {
        self.token.borrow().clone()
    }

    pub fn base(&self) -> &str {
        &self.base
    }
}

/// The path of a new link for a person, by the real command.
pub async fn link(deployment: &Deployment, guild: &str, user: &str, more: &[&str]) -> String {
    let mut args = vec!["console", "link", "--guild", guild, "--user", user];
    args.extend(more);
    let url = deployment.command(&args).await.succeeded();
    let at = url.find("/console/link/").unwrap_or_else(|| panic!("no link: {url}"));
    url[at..].trim().to_owned()
}

/// From the guild, so that tests of a shared deployment have addresses of their own.
fn rand_byte(deployment: &Deployment, part: u32) -> u64 {
    let number = deployment.guild().id.parse::<u64>().unwrap() / 10_000;
    (number >> (8 * part)) & 0xFF
}
