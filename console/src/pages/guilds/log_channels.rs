//! /console/guilds/:guild/log-channels: in which channels of Discord which news are posted.

use askama::Template;
use entities::ChannelId;
use entities::log_channel::{self as row, Model, State};
use entities::news::News;
use http::Method;
use people::values::NEWS;
use platforms::{PlatformError, TextChannel};
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

const FIELDS: [&str; 2] = ["channel_id", "news"];

#[derive(Template)]
#[template(path = "guilds/log_channels.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    rows: Vec<Row>,
    channels: Vec<Choice>,
    /// Why Discord does not say which channels there are; empty: it does.
    channels_problem: String,
}

struct Row {
    id: ChannelId,
    name: String,
    news: String,
    mark: (&'static str, &'static str),
    on: bool,
    refused: bool,
    /// The form, filled with this channel.
    change: String,
}

impl Row {
    fn new(channel: &Model, known: &[TextChannel]) -> Self {
        let name = known.iter().find(|one| one.id == channel.channel_id).map(|one| format!("#{}", one.name));
        let labels: Vec<_> = channel.news().map(|news| people::values::news(news.word())).collect();
        let id = channel.channel_id.to_string();
        let mut pairs = vec![("channel_id", id.as_str())];
        pairs.extend(channel.news().map(|news| ("news", news.word())));
        Self {
            id: channel.channel_id,
            name: name.unwrap_or_else(|| format!("Channel {id}")),
            news: labels.join(", "),
            mark: match channel.state {
                State::On => ("good", "on"),
                State::Off => ("quiet", "off"),
                State::Refused => ("bad", "switched off"),
            },
            on: channel.state == State::On,
            refused: channel.state == State::Refused,
            change: Fields::of(&pairs).with("before", ""),
        }
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let rows = row::list(visit.read(), visit.guild.guild_id).await?;
    let known = visit.platforms().chat.text_channels(visit.call_context()).await;
    let channels_problem = known.as_ref().err().map(PlatformError::to_string).unwrap_or_default();
    let known = known.unwrap_or_default();
    let rows: Vec<_> = rows.iter().map(|channel| Row::new(channel, &known)).collect();
    let mut channels: Vec<_> = known.iter().map(Choice::of_channel).collect();
    for row in &rows {
        Choice::keep(&mut channels, &row.id.to_string(), &row.name);
    }
    let page = Page {
        shell: visit.shell("Log channels", Place::LogChannels),
        url: visit.url("/log-channels"),
        form,
        rows,
        channels,
        channels_problem,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn set(visit: GuildVisit) -> Result<Response, PageError> {
    let Some(channel) = visit.form.read::<ChannelId>("channel_id") else {
        return show(&visit, Form::wrong(&visit.form, Some("channel_id"), "Choose a channel.")).await;
    };
    let news = visit.form.all("news");
    put(&visit, channel, &news, true, "News are posted there from now on.").await
}

pub(crate) async fn switch(visit: GuildVisit) -> Result<Response, PageError> {
    let channel = find(&visit).await?;
    let news: Vec<_> = channel.news().map(News::word).collect();
    let on = visit.form.text("enabled") == "true";
    let said =
        if on { "It is on: what happens from now on is posted." } else { "It is off: nothing is posted." };
    put(&visit, channel.channel_id, &news, on, said).await
}

async fn put(
    visit: &GuildVisit,
    channel: ChannelId,
    news: &[&str],
    on: bool,
    said: &str,
) -> Result<Response, PageError> {
    let news: Vec<Value> = news.iter().map(|word| Value::from(*word)).collect();
    let body = Map::from_iter([("news".to_owned(), news.into()), ("enabled".to_owned(), on.into())]);
    call(visit, Method::PUT, channel, body, said).await
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let channel = find(&visit).await?.channel_id;
    call(&visit, Method::DELETE, channel, Map::new(), "No more news are posted there.").await
}

async fn call(
    visit: &GuildVisit,
    method: Method,
    channel: ChannelId,
    body: Map<String, Value>,
    said: &str,
) -> Result<Response, PageError> {
    let answer = visit.api(method, &format!("/guilds/{{g}}/log-channels/{channel}"), body).await;
    if !answer.status.is_success() {
        return show(visit, Form::refused(&visit.form, &answer)).await;
    }
    Ok(Response::see(visit.url("/log-channels")).flash(Flash::new(said.to_owned())))
}

/// The log channel of the address, if it is of this guild.
async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    row::find(visit.read(), visit.guild.guild_id, visit.param("channel")?).await?.ok_or(PageError::NotFound)
}
