//! /console/guilds/:guild/keys: the guild's API keys. The text of a new key is only on the page that its form
//! answers with: not in a cookie, an address or a later page.

pub(crate) mod create;
pub(crate) mod revoke;
pub(crate) mod rotate;

use askama::Template;
use entities::Timestamp;
use entities::api_key::{self, Model, Scope, State};
use people::ApiAnswer;

use super::actors::Actors;
use super::people::Who;
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::list::{Column, columns, cut_whole, sorted_by};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 4] = ["name", "scopes", "expires_at", "hot_path_factor"];

/// Each scope with what it allows.
const SCOPES: [(Scope, &str); 8] = [
    (Scope::Read, "Read links, bindings, bans, servers and who is staff"),
    (Scope::Moderation, "Ban, mute and lift; send commands to servers"),
    (Scope::Staff, "Strikes, notes, leave, quotas, tickets, activity, audit log"),
    (Scope::Play, "What game servers report: sessions, heartbeats, actions"),
    (Scope::Sync, "Bindings, syncs and roles"),
    (Scope::Shield, "Write to Shield, where the operator allows it"),
    (Scope::Links, "Say who is who: link and unlink members"),
    (Scope::Admin, "Settings, staff roles and keys: as much as an admin"),
];

/// Quick choices: the sets of the command line.
const SCOPE_SETS: [(&str, &str); 3] =
    [("game", "Game servers"), ("dashboard", "A dashboard"), ("bot", "A Discord bot")];

#[derive(Template)]
#[template(path = "guilds/keys.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    /// Value, label, and the scopes.
    sets: [(&'static str, &'static str, String); 3],
    /// The chosen set.
    set: String,
    scopes: Vec<(&'static str, &'static str)>,
    /// By name, last use and end.
    columns: [Column; 3],
    is_sorted: bool,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    public_id: String,
    name: String,
    scopes: String,
    owner: Option<Who>,
    used: Option<When>,
    expires: Option<When>,
    live: bool,
    /// The public id of the key that made it.
    parent: Option<String>,
    /// Its codes prove for the whole instance.
    trusted: bool,
    /// It, or a key that it made, is not revoked.
    revocable: bool,
    mark: (&'static str, &'static str),
}

/// A new key, with its text.
#[derive(Template)]
#[template(path = "guilds/key_new.html")]
struct Shown {
    shell: Shell,
    url: String,
    text: String,
    public_id: String,
    name: String,
    /// Where the API is.
    address: String,
    /// A first call; `None`: the key may not read.
    command: Option<String>,
    /// A game's first lines; `None`: the key is not for game servers.
    luau: Option<String>,
    /// After a rotation: the end of the old key.
    old: Option<(String, Option<When>)>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let all = api_key::list(visit.read(), Some(visit.guild.guild_id)).await?;
    let mut keys = all.clone();
    match sorted_by(&visit.query).0 {
        "name" => keys.sort_by_cached_key(|key| key.name.to_lowercase()),
        "used" => keys.sort_by_key(|key| key.last_used_at),
        "expires" => keys.sort_by_key(|key| (key.expires_at.is_none(), key.expires_at)),
        _ => keys.reverse(),
    }
    if sorted_by(&visit.query).1 {
        keys.reverse();
    }
    let (_, more) = cut_whole(&visit.query, &mut keys);
    let actors = Actors::read(visit, keys.iter().map(|key| key.owner_id.get()).collect()).await?;
    let page = Page {
        shell: visit.shell("Keys", Place::Keys),
        url: visit.url("/keys"),
        sets: SCOPE_SETS
            .map(|(set, label)| (set, label, api_key::Scopes::set_for(set).map(listed).unwrap_or_default())),
        set: if form.is_refused() { form.text("set").to_owned() } else { SCOPE_SETS[0].0.to_owned() },
        scopes: SCOPES.iter().map(|(scope, about)| (scope.name(), *about)).collect(),
        columns: columns(&visit.query, [("name", "Key"), ("used", "Last used"), ("expires", "Expires")]),
        is_sorted: visit.query.has("sort"),
        rows: keys.iter().map(|key| Row::new(visit, key, &all, &actors)).collect(),
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

impl Row {
    fn new(visit: &GuildVisit, key: &Model, all: &[Model], actors: &Actors) -> Self {
        let state = key.state(visit.now());
        Self {
            public_id: key.public_id.clone(),
            name: key.name.clone(),
            scopes: listed(key.scopes()),
            owner: actors.who(visit, key.owner_id.get()),
            used: key.last_used_at.map(|at| visit.when(at)),
            expires: key.expires_at.map(|at| visit.when(at)),
            live: state == State::Live,
            parent: key.parent.clone(),
            trusted: key.trusted,
            revocable: state != State::Revoked || !accepted(all, key, visit.now()).is_empty(),
            mark: match state {
                State::Live => ("good", "live"),
                State::Expired => ("quiet", "expired"),
                State::Revoked => ("bad", "revoked"),
            },
        }
    }
}

/// "read, play"
fn listed(scopes: api_key::Scopes) -> String {
    scopes.to_string().replace(' ', ", ")
}

/// The key of the address, if it is of this guild.
async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let public_id: String = visit.param("key")?;
    api_key::find(visit.read(), visit.guild.guild_id, &public_id).await?.ok_or(PageError::NotFound)
}

/// The keys that came from a key and are accepted.
fn accepted<'k>(all: &'k [Model], key: &Model, now: Timestamp) -> Vec<&'k Model> {
    let mut keys = api_key::descendants(all, &key.public_id);
    keys.retain(|key| key.state(now) == State::Live);
    keys
}

/// The page with the text of a new key.
fn shown(
    visit: &GuildVisit,
    answer: &ApiAnswer,
    old: Option<(String, Option<When>)>,
) -> Result<Response, PageError> {
    let text = |name: &str| answer.body["data"][name].as_str().unwrap_or_default().to_owned();
    let (key, address) = (text("text"), visit.address());
    let path = format!("/moderation/{}/ban-status/1", visit.guild.guild_id);
    let command = format!("curl -H \"X-API-Key: {key}\" \"{address}{path}\"");
    let luau = format!(
        "local HttpService = game:GetService(\"HttpService\")\n\
         local Guildhall = require(game.ServerScriptService.Guildhall)\n\
         Guildhall.start({{ url = \"{address}\", key = HttpService:GetSecret(\"guildhall\") }})"
    );
    let scopes = answer.body["data"]["scopes"].as_array();
    let may = |wanted: Scope| scopes.is_some_and(|all| all.iter().any(|scope| scope == wanted.name()));
    let page = Shown {
        shell: visit.shell("Copy the key now", Place::Keys),
        url: visit.url("/keys"),
        text: key,
        command: may(Scope::Read).then_some(command),
        luau: may(Scope::Play).then_some(luau),
        address,
        public_id: text("public_id"),
        name: text("name"),
        old,
    };
    Response::page(&page)
}

/// The scopes of a form: those that are checked, and those of the quick choice.
fn chosen(form: &Fields) -> Vec<&'static str> {
    let set = api_key::Scopes::set_for(form.text("set"));
    let checked = form.all("scopes");
    let wanted =
        |scope: &Scope| checked.contains(&scope.name()) || set.is_some_and(|set| set.contains(*scope));
    Scope::ALL.iter().filter(|scope| wanted(scope)).map(|scope| scope.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_choice_and_the_boxes_add_up() {
        let form = Fields::of(&[("set", "game"), ("scopes", "sync"), ("scopes", "nonsense")]);
        assert_eq!(chosen(&form), ["read", "moderation", "play", "sync"]);
        assert!(chosen(&Fields::of(&[("set", "everything")])).is_empty());
    }

    #[test]
    fn every_scope_is_explained() {
        assert!(SCOPES.iter().map(|(scope, _)| *scope).eq(Scope::ALL.iter().copied()));
    }
}
