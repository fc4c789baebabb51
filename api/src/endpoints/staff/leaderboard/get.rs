//! GET /staff/leaderboard/:guildId

use entities::ChatId;
use entities::leaderboard::{self, LeaderboardRow};
use entities::quota::Period;
use serde::{Deserialize, Serialize};

use crate::endpoints::prelude::*;
use crate::endpoints::staff::period::{self, Switch};
use crate::request::values::by_serde;
use crate::schema::shape;

/// In the guild's time zone, weeks from the guild's first day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LeaderboardPeriod {
    Week,
    Month,
    All,
}

by_serde!("`week`, `month` or `all`", shape::word(&["week", "month", "all"]).default("week"); LeaderboardPeriod);

impl From<LeaderboardPeriod> for Period {
    fn from(period: LeaderboardPeriod) -> Self {
        match period {
            LeaderboardPeriod::Week => Self::Week,
            LeaderboardPeriod::Month => Self::Month,
            LeaderboardPeriod::All => Self::All,
        }
    }
}

request! {
    pub(crate) struct LeaderboardQuery {
        /// The current week if absent.
        period: Option<LeaderboardPeriod>,
        /// The period before the current one.
        ended: Option<Switch>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Leaderboard {
    period: LeaderboardPeriod,
    /// When the period began; null: all time.
    #[schema(required)]
    since: Option<Seconds>,
    /// When it ended; null: it has not ended.
    #[schema(required)]
    until: Option<Seconds>,
    /// Highest score first.
    leaderboard: Vec<LeaderboardRow>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<ChatId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getLeaderboard", "Staff by score")
        .about("Weights of actions, and a point for each full 10 minutes active.")
        .paged_if_asked::<ChatId>()
        .query::<LeaderboardQuery>()
        .data::<Leaderboard>()
        .refuses(422, &["period_never_ends"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ChatId>()?;
    let LeaderboardQuery { period, ended } = call.query()?;
    let period = period.unwrap_or(LeaderboardPeriod::Week);
    let guild = period::guild(&call).await?;
    let span = period::span(&call, &guild, period.into(), ended)?;
    let leaderboard = leaderboard::list(call.read(), &guild, span, call.now()).await?;
    let leaderboard = page.after(leaderboard, |row| row.chat_id)?;
    let (since, until) = (span.since.map(Seconds), span.until.map(Seconds));
    let data = |leaderboard, next_cursor| Leaderboard { period, since, until, leaderboard, next_cursor };
    page.reply(leaderboard, |row: &LeaderboardRow| row.chat_id, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::parts::Request;
    use crate::request::url::Query;

    #[test]
    fn the_period_is_a_word_and_may_be_absent() {
        let asked = |sent| LeaderboardQuery::read(&Query::parse(sent).unwrap());
        for (sent, expected) in [
            ("", None),
            ("period=", None),
            ("period=week", Some(LeaderboardPeriod::Week)),
            ("period=month", Some(LeaderboardPeriod::Month)),
        ] {
            assert_eq!(asked(sent).unwrap().period, expected);
        }
        for bad in ["period=day", "period=Week", "period=1"] {
            let message = asked(bad).unwrap_err().parts().message.to_string();
            assert!(message.starts_with("`period` must be `week`, `month` or `all`"), "{message}");
        }
    }
}
