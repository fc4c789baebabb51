//! A log channel as the API shows it, and the kinds of news in requests.

use std::borrow::Cow;

use entities::ChannelId;
use entities::log_channel::{Model, State};
use entities::news::News;
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::request::values::List;
use crate::schema::shape::{self, Shape};

answer! {
    pub(crate) struct LogChannel from row: Model {
        channel_id: ChannelId,
        news: Vec<News> = row.news().collect(),
        /// `refused`: the chat platform refused a message, which switched the channel off.
        state: State,
        created_at: Seconds,
    }
}

/// What an audit entry says of a log channel.
#[derive(Serialize)]
pub(crate) struct Noted {
    news: Vec<News>,
    state: State,
}

impl From<&Model> for Noted {
    fn from(row: &Model) -> Self {
        Self { news: row.news().collect(), state: row.state }
    }
}

/// One kind of news.
#[derive(Debug)]
pub(crate) struct NewsWord(News);

impl NewsWord {
    fn words() -> [&'static str; 6] {
        News::ALL.map(News::word)
    }
}

impl Field for NewsWord {
    fn allowed() -> Cow<'static, str> {
        format!("one of {}", Self::words().join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_str().and_then(News::named).map(Self)
    }

    fn shape() -> Shape {
        shape::word(&Self::words()).example("moderation")
    }
}

pub(crate) type NewsList = List<NewsWord, 6>;

/// The kinds, each once.
pub(crate) fn chosen(news: &NewsList) -> Result<Vec<News>, ApiError> {
    let mut chosen: Vec<_> = news.0.iter().map(|word| word.0).collect();
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() {
        return Err(ApiError::rule("no_news", "`news` must name at least one kind"));
    }
    Ok(chosen)
}
