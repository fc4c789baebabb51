//! What a member can do next on the page of a guild.

use entities::account::{self, Way};
use entities::link_attempt::{self, Model as Attempt, State};
use entities::{GuildId, PlayId, Subject, Timestamp, guild, link};
use platforms::{CallContext, PictureOf};

use super::picture::Picture;
use super::prove::is_possible;
use crate::html::format::When;
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
    },
    Begin {
        /// The account that the member has proven before.
        known: Option<Shown>,
        ways: Vec<Way>,
    },
    Prove {
        /// Shown once.
        code: Option<String>,
        words: Option<String>,
        ways: Vec<Way>,
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

/// What has just begun.
#[derive(Default)]
pub(super) struct Begun {
    /// Of the new attempt.
    pub(super) code: Option<String>,
    /// The member proves another account than the one that is known.
    pub(super) anew: bool,
}

pub(super) async fn find(visit: &Visit, guild: &guild::Model, begun: Begun) -> Result<Step, PageError> {
    let (conn, user, now) = (visit.read(), visit.session.row.user_id, visit.now());
    let id = guild.guild_id;
    let mut ways = guild.link_ways.0.clone();
    ways.retain(|way| is_possible(visit, *way));
    if let Some(attempt) = link_attempt::of_chat(conn, id, user, now).await? {
        return Ok(next(visit, attempt, ways, begun).await);
    }
    if let Some(link) = link::find_by_chat(conn, id, user).await? {
        let since = visit.when(link.verified_at);
        return Ok(Step::Linked { account: Shown::player(id, link.play_id, link.play_username), since });
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

async fn next(visit: &Visit, attempt: Attempt, ways: Vec<Way>, begun: Begun) -> Step {
    match (attempt.state, attempt.play_id, attempt.play_username) {
        (State::Proven, Some(play), Some(name)) if !begun.anew => {
            let guild = attempt.guild_id;
            let mut player = Shown::player(guild, play, name);
            let profile = async {
                let read = visit.platforms().play.profile(CallContext::interactive(guild), play);
                read.await.map_err(std::sync::Arc::new)
            };
            player.made = soon(profile).await.ok().flatten().map(|profile| month(profile.created_at));
            Step::Agree { chat: Shown::member(visit, guild), play: player, ways }
        }
        (State::Held, ..) => Step::Held { why: attempt.held_for.unwrap_or_default() },
        _ => Step::Prove {
            code: begun.code.filter(|_| ways.contains(&Way::Code)),
            words: ways.contains(&Way::Profile).then_some(attempt.words),
            ways,
            end: visit.when(attempt.expires_at),
        },
    }
}

/// Where Discord does not answer the API decides.
async fn is_member(visit: &Visit, guild: GuildId) -> bool {
    let subject = Subject::Chat(visit.session.row.user_id);
    let found = visit.console.accounts.find(CallContext::interactive(guild), subject).await;
    !matches!(found, Ok(Account::Unknown | Account::Known { is_member: Some(false), .. }))
}
