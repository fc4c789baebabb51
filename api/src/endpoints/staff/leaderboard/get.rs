//! GET /staff/leaderboard/:guildId

use entities::ChatId;
use entities::leaderboard::{self, LeaderboardRow};
use entities::quota::Period;
use serde::{Deserialize, Serialize};

use crate::endpoints::prelude::*;
use crate::endpoints::staff::period;
use crate::openapi::shape;
use crate::request::values::by_serde;

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
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Leaderboard {
    period: LeaderboardPeriod,
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
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ChatId>()?;
    let LeaderboardQuery { period } = call.query()?;
    let period = period.unwrap_or(LeaderboardPeriod::Week);
    let (conn, guild, now) = (call.read(), call.guild(), call.now());
    let settings = period::settings(&call).await?;
    let since = period::begin(period.into(), &settings, now);
    let leaderboard = leaderboard::list(conn, guild, since, &settings.score_weights, now).await?;
    let leaderboard = page.after(leaderboard, |row| row.chat_id)?;
    let data = |leaderboard, next_cursor| Leaderboard { period, leaderboard, next_cursor };
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
