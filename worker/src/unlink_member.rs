//! `unlink_member`: takes away the roles and the nickname that came from a link that has ended, and gives the
//! guild's unverified role (docs/rules.md 11).
//!
//! A member who is linked again gets a sync instead: at the beginning, and again at the end for a link made meanwhile.

use entities::{ChatId, GuildId, RoleId, link};
use jobs::kinds::{SyncMember, UnlinkMember};
use platforms::{CallContext, ChatMember, Platforms, nickname};
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::job_error;
use crate::sync_member::{self, Why};
use crate::wanted::{Change, GuildRules};

pub(crate) struct Job(pub(crate) Platforms);

impl Handler for Job {
    type Payload = UnlinkMember;

    async fn run(&self, job: &JobContext, ended: UnlinkMember) -> Result<Outcome, JobError> {
        let (guild, user) = (ended.guild, ended.user);
        let sync = sync_member::Job(self.0.clone());
        if is_linked(job, guild, user).await? {
            return sync.run(job, SyncMember::of(guild, user)).await;
        }
        let member = self.0.chat.member(CallContext::interactive(guild), user).await.map_err(job_error)?;
        let Some(member) = member else {
            return Ok(Outcome::Done { result: json!({ "left_the_guild": true }), audit: Vec::new() });
        };
        let rules = GuildRules::load(job.database().read(), guild).await?;
        let change = change(&ended, rules.unverified, &member);
        // Of members without a link no state is noted.
        let outcome = sync.make(job, guild, &member, &rules.allowed, change, &Why::default()).await?;
        if is_linked(job, guild, user).await? {
            return sync.run(job, SyncMember::of(guild, user)).await;
        }
        match outcome {
            Outcome::Done { result, .. } if ended.erased => Ok(Outcome::done(result)),
            outcome => Ok(outcome),
        }
    }
}

async fn is_linked(job: &JobContext, guild: GuildId, user: ChatId) -> Result<bool, JobError> {
    Ok(link::find_by_chat(job.database().read(), guild, user).await?.is_some())
}

/// What the member still has of the link, and what they lack without one. A nickname that somebody else gave stays.
fn change(ended: &UnlinkMember, unverified: Option<RoleId>, member: &ChatMember) -> Change {
    let goes = |role: &RoleId| ended.roles.contains(role) && unverified != Some(*role);
    let given = nickname(&ended.nickname_template, &ended.play_username, ended.play);
    let has = given.is_some() && member.nick == given;
    Change {
        add: unverified.into_iter().filter(|role| !member.roles.contains(role)).collect(),
        remove: member.roles.iter().copied().filter(goes).collect(),
        nick: has.then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{member, play, role, roles};

    #[test]
    fn only_what_came_from_the_link_goes() {
        let ended = UnlinkMember {
            guild: GuildId::try_from(7).unwrap(),
            user: ChatId::try_from(8).unwrap(),
            play: play(1),
            play_username: "builder".to_owned(),
            roles: roles(&[101, 102]),
            nickname_template: "{play_username}".to_owned(),
            erased: false,
        };
        let after = change(&ended, None, &member(&[900, 102], Some("builder")));
        assert_eq!(after, Change { add: Vec::new(), remove: roles(&[102]), nick: Some(String::new()) });
        assert!(change(&ended, None, &member(&[900], Some("boss"))).is_empty());
        let unnamed = UnlinkMember { nickname_template: String::new(), ..ended };
        assert!(change(&unnamed, None, &member(&[900], None)).is_empty());
        let other = change(&unnamed, Some(role(700)), &member(&[101], None));
        assert_eq!(other, Change { add: roles(&[700]), remove: roles(&[101]), nick: None });
        assert!(change(&unnamed, Some(role(101)), &member(&[101], None)).is_empty());
    }
}
