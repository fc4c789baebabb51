//! POST /guilds/:guildId/link-attempts/:attemptId/profile

use entities::account::Way;
use entities::link_attempt::{self, State};
use entities::{PlayId, guild};

use crate::endpoints::guilds::link_attempts::code::has_words;
use crate::endpoints::guilds::link_attempts::own::{member, own_attempt};
use crate::endpoints::guilds::link_attempts::record::LinkAttempt;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct ProfileRequest {
        /// The game account.
        play_id: Option<PlayId>,
        /// Its name, in place of `play_id`.
        #[example("Brickmason")]
        play_username: Option<Text>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("proveByProfile", "Prove a game account by the words in its profile")
        .about("Reads the profile on the game platform. Only for the member, in the pages of this service.")
        .body::<ProfileRequest>()
        .data::<LinkAttempt>()
        .message("proven")
        .refuses(403, &["members_only"])
        .refuses(404, &["not_found", "unknown_player"])
        .refuses(409, &["attempt_ended"])
        .refuses(422, &["way_off", "words_missing"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    member(&call)?;
    let named = Named::read(call.body()?)?;
    let rules = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?;
    if !rules.link_ways.0.contains(&Way::Profile) {
        return Err(ApiError::rule("way_off", "this guild does not take words in a profile"));
    }
    let play_id = named.find(&call).await?;
    let profile = call.state.platforms.play.profile(call.platform(), play_id).await?;
    let profile = profile.ok_or_else(ApiError::unknown_player)?;
    let work = UnitOfWork::begin(&call).await?;
    let mut attempt = own_attempt(&call, &work).await?;
    if !has_words(&profile.description, &attempt.words) {
        return Err(ApiError::rule(
            "words_missing",
            format!("`{}`: the profile of this account does not have the words yet", named.field()),
        ));
    }
    attempt.state = State::Proven;
    attempt.way = Some(Way::Profile);
    attempt.play_id = Some(profile.id);
    attempt.play_username = Some(profile.name);
    link_attempt::save(work.tx(), &attempt).await?;
    work.commit(Reply::data(&LinkAttempt::from(&attempt))?.with_message("proven")).await
}

/// How the request names the account.
#[derive(Debug, PartialEq)]
enum Named {
    Id(PlayId),
    Name(String),
}

impl Named {
    fn read(request: ProfileRequest) -> Result<Self, ApiError> {
        match (request.play_id, request.play_username) {
            (Some(id), None) => Ok(Self::Id(id)),
            (None, Some(Text(name))) => Ok(Self::Name(name)),
            (Some(_), Some(Text(name))) => {
                Err(ApiError::field("play_username", &name.into(), "absent where `play_id` is given"))
            }
            (None, None) => {
                Err(ApiError::missing("play_username", "the name of a player, unless an id is given"))
            }
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::Id(_) => "play_id",
            Self::Name(_) => "play_username",
        }
    }

    async fn find(&self, call: &Call) -> Result<PlayId, ApiError> {
        match self {
            Self::Id(id) => Ok(*id),
            Self::Name(name) => {
                let found = call.state.platforms.play.find_by_name(call.platform(), name).await?;
                Ok(found.ok_or_else(ApiError::unknown_player_name)?.id)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_named_in_one_way() {
        let read = |play_id: Option<i64>, name: Option<&str>| {
            let play_id = play_id.map(|id| PlayId::try_from(id).unwrap());
            Named::read(ProfileRequest { play_id, play_username: name.map(|name| Text(name.to_owned())) })
        };
        assert_eq!(read(None, Some("ann")).unwrap(), Named::Name("ann".to_owned()));
        assert_eq!(read(Some(7), None).unwrap().field(), "play_id");
        for refused in [read(Some(7), Some("ann")), read(None, None)] {
            assert!(refused.unwrap_err().parts().message.starts_with("`play_username`"));
        }
    }
}
