//! What a member can do next on the page of a guild.

use chrono::TimeDelta;
use entities::account::{self, Way};
use entities::link_attempt::{self, Model as Attempt, State};
use entities::{GuildId, PlayId, Subject, Timestamp, guild, link};
use platforms::{CallContext, PictureOf};

use super::code::Begun;
use super::picture::Picture;
use super::prove::is_possible;
use crate::html::format::{Count, When};
use crate::platform_cache::accounts::{Account, soon};
use crate::response::PageError;
use crate::visit::Visit;

pub(super) enum Step {
    /// Not a member of the Discord server.
    Stranger,
    /// Nobody links by themselves here.
    Off,
    Linked {
        account: Shown,
        since: When,
        /// Members link themselves here, so one who unlinks can come back.
        is_open: bool,
    },
    Begin {
        /// The account that the member has proven before.
        known: Option<Shown>,
        ways: Vec<Way>,
    },
    Prove {
        /// In the browser that began.
        code: Option<String>,
        words: Option<String>,
        ways: Vec<Way>,
        left: Count<i64>,
        end: When,
    },
    Agree {
        chat: Shown,
        play: Shown,
        ways: Vec<Way>,
    },
    Held {
        why: String,
    },
}

/// An account as a person recognizes it.
pub(super) struct Shown {
    pub(super) picture: Picture,
    pub(super) name: String,
    pub(super) id: String,
    /// "March 2019"; `None`: the platform does not say.
    pub(super) made: Option<String>,
}

impl Shown {
    fn player(guild: GuildId, play: PlayId, name: String) -> Self {
        let picture = Picture::new(guild, PictureOf::Player(play), &name);
        Self { picture, name, id: play.to_string(), made: None }
    }

    fn member(visit: &Visit, guild: GuildId) -> Self {
        let (user, name) = (visit.session.row.user_id, visit.session.row.user_name.clone());
        let picture = Picture::new(guild, PictureOf::Member(user), &name);
        Self { picture, name, id: user.to_string(), made: user.made_at().map(month) }
    }
}

fn month(at: Timestamp) -> String {
    at.format("%B %Y").to_string()
}

/// `anew`: the member proves another account than the one that is known.
pub(super) async fn find(visit: &Visit, guild: &guild::Model, anew: bool) -> Result<Step, PageError> {
    let (conn, user, now) = (visit.read(), visit.session.row.user_id, visit.now());
    let id = guild.guild_id;
    let mut ways = guild.link_ways.0.clone();
    ways.retain(|way| is_possible(visit, *way));
    if let Some(attempt) = link_attempt::of_chat(conn, id, user, now).await? {
        return Ok(next(visit, attempt, ways, anew).await);
    }
    if let Some(link) = link::find_by_chat(conn, id, user).await? {
        let since = visit.when(link.verified_at);
        let account = Shown::player(id, link.play_id, link.play_username);
        return Ok(Step::Linked { account, since, is_open: !ways.is_empty() });
    }
    if !is_member(visit, id).await {
        return Ok(Step::Stranger);
    }
    if ways.is_empty() {
        return Ok(Step::Off);
    }
    let known = account::find(conn, user).await?.filter(|known| guild.link_ways.0.contains(&known.way));
    let known = known.map(|known| Shown::player(id, known.play_id, known.play_username));
    Ok(Step::Begin { known, ways })
}

async fn next(visit: &Visit, attempt: Attempt, ways: Vec<Way>, anew: bool) -> Step {
    let begun = Begun::read(visit, attempt.guild_id, attempt.attempt_id);
    let anew = anew || begun.as_ref().is_some_and(|begun| begun.anew);
    match (attempt.state, attempt.play_id, attempt.play_username) {
        (State::Proven, Some(play), Some(name)) if !anew => {
            let guild = attempt.guild_id;
            let mut player = Shown::player(guild, play, name);
            let profile = visit.platforms().play.profile(CallContext::interactive(guild), play);
            player.made = soon(profile).await.ok().flatten().map(|profile| month(profile.created_at));
            Step::Agree { chat: Shown::member(visit, guild), play: player, ways }
        }
        (State::Held, ..) => Step::Held { why: attempt.held_for.unwrap_or_default() },
        _ => Step::Prove {
            code: begun.map(|begun| begun.code).filter(|_| ways.contains(&Way::Code)),
            words: ways.contains(&Way::Profile).then_some(attempt.words),
            ways,
            left: minutes_left(attempt.expires_at - visit.now()),
            end: visit.when(attempt.expires_at),
        },
    }
}

fn minutes_left(left: TimeDelta) -> Count<i64> {
    Count(((left.num_seconds() + 30) / 60).max(1), "minute")
}

/// Where Discord does not answer the API decides.
async fn is_member(visit: &Visit, guild: GuildId) -> bool {
    let subject = Subject::Chat(visit.session.row.user_id);
    let found = visit.console.accounts.find(CallContext::interactive(guild), subject).await;
    !matches!(found, Ok(Account::Unknown | Account::Known { is_member: Some(false), .. }))
}
