//! `unlink_member`: takes away the roles and the nickname that came from a link that has ended, and gives the
//! guild's unverified role (docs/rules.md 11).
//!
//! A member who is linked again gets a sync instead: at the beginning, and again at the end for a link made meanwhile.

use std::collections::BTreeSet;

use entities::{ChatId, GuildId, RoleId, link};
use jobs::kinds::{SyncMember, UnlinkMember};
use platforms::{
    CallContext, Change, ChatMember, GuildRules, Memberships, Missing, NameWords, PlatformError, Platforms,
    Reasons, SyncedPlayer, needs_rank, nickname,
};
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::job_error;
use crate::sync_member::{self, Why};
use crate::{names, wanted};

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
        let rules = wanted::load(job.database().read(), guild).await?;
        let given = self.given(&ended, &rules, &member).await?;
        let change = change(&ended, &rules.unlinked_roles(), &member, &given);
        // Of members without a link no state is noted, and no account is named.
        let (why, reasons) = (Why::default(), |_: &Change| Reasons::default());
        let mut outcome = sync.make(job, guild, &member, &rules.grants, change, (&why, reasons)).await?;
        if let Outcome::Done { audit, .. } = &mut outcome
            && ended.erased
        {
            audit.clear();
        }
        if is_linked(job, guild, user).await? {
            tell(job, outcome).await?;
            return sync.run(job, SyncMember::of(guild, user)).await;
        }
        Ok(outcome)
    }
}

/// Writes what was changed before another change follows, which tells only its own.
async fn tell(job: &JobContext, outcome: Outcome) -> Result<(), JobError> {
    let Outcome::Done { audit, .. } = outcome else { return Ok(()) };
    let mut work = job.begin_with_claim().await?;
    for entry in audit {
        work.audit(job.actor(), entry);
    }
    job.commit(work).await
}

impl Job {
    /// The nicknames that the link may have given the member: by the guild's template at its end, and by the rules of
    /// now, for which ranks and names are read where a template needs them.
    async fn given(
        &self,
        ended: &UnlinkMember,
        rules: &GuildRules,
        member: &ChatMember,
    ) -> Result<Vec<String>, JobError> {
        let template = &ended.nickname_template;
        let is_plain = |template: &str| !needs_rank(template) && !template.contains("{play_display_name}");
        let (mut memberships, mut names) = (Memberships::new(), None);
        // The platform no longer knows an account that was erased.
        if !ended.erased && (rules.templates().count() > 1 || !is_plain(template)) {
            let (play, call) = (self.0.play.as_ref(), CallContext::interactive(ended.guild));
            let (players, groups) = ([ended.play], rules.groups());
            let (read, known) = tokio::join!(
                play.memberships(call, &players, &groups),
                names::of_player(play, call, ended.play),
            );
            memberships = match read {
                Err(PlatformError::NotFound(Missing::Group(_))) => Memberships::new(),
                read => read.map_err(job_error)?,
            };
            names = known;
        }
        let display_name = names.as_ref().map(|names| names.display_name.as_str());
        let words = NameWords {
            play_username: &ended.play_username,
            play_display_name: display_name,
            play_id: ended.play,
            chat_username: &member.username,
            rank: None,
        };
        let player = SyncedPlayer { id: ended.play, name: &ended.play_username, display_name };
        let given = [nickname(template, &words), rules.nickname(member, player, &memberships)];
        // Where ranks are not known any more, what contains the name came from the link.
        let erased = member.nick.clone().filter(|nick| ended.erased && nick.contains(&ended.play_username));
        Ok(given.into_iter().flatten().chain(erased).collect())
    }
}

async fn is_linked(job: &JobContext, guild: GuildId, user: ChatId) -> Result<bool, JobError> {
    Ok(link::find_by_chat(job.database().read(), guild, user).await?.is_some())
}

/// What the member still has of the link, and what they lack without one. A nickname that somebody else gave stays.
/// `unlinked`: the roles of members without a link; `given`: nicknames that a link gave.
fn change(
    ended: &UnlinkMember,
    unlinked: &BTreeSet<RoleId>,
    member: &ChatMember,
    given: &[String],
) -> Change {
    let goes = |role: &RoleId| ended.roles.contains(role) && !unlinked.contains(role);
    let has = member.nick.as_ref().is_some_and(|nick| given.contains(nick));
    Change {
        add: unlinked.iter().copied().filter(|role| !member.roles.contains(role)).collect(),
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
        let (none, given) = (BTreeSet::new(), ["builder".to_owned()]);
        let change = |unlinked: &BTreeSet<RoleId>, member| change(&ended, unlinked, &member, &given);
        let after = change(&none, member(&[900, 102], Some("builder")));
        assert_eq!(after, Change { add: Vec::new(), remove: roles(&[102]), nick: Some(String::new()) });
        assert!(change(&none, member(&[900], Some("boss"))).is_empty());
        assert!(change(&none, member(&[900], None)).is_empty());
        let other = change(&[role(700)].into(), member(&[101], None));
        assert_eq!(other, Change { add: roles(&[700]), remove: roles(&[101]), nick: None });
        assert!(change(&[role(101)].into(), member(&[101], None)).is_empty());
    }
}
