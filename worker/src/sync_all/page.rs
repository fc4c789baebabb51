//! Reads one page of members: their links, their names, and their differences from the bindings.

use std::collections::{HashMap, HashSet};

use chrono::TimeDelta;
use entities::job_failure::NewFailure;
use entities::synced_member::{self, States};
use entities::{ChatId, GuildId, PlayId, link};
use jobs::bulk_sync::{OutOfStep, PlannedChange};
use platforms::{Change, ChatMember, MEMBERS_PER_PAGE, Reasons, SyncedPlayer};
use queue::run::JobError;
use sea_orm::prelude::Json;
use sea_orm::{ConnectionTrait, DbErr};

use super::plan::Differences;
use super::planner::Planner;
use crate::errors::{job_error, unwritable};
use crate::names;
use crate::permitted::{Permitted, permitted, refusal};
use crate::states::states;

/// Most plans are carried out in this time; an event after it leads to a sync that finds nothing.
const CHUNKS_WITHIN: TimeDelta = TimeDelta::minutes(10);
/// Links read per query: any number of users who left may be between two members.
const LINKS_PER_QUERY: u64 = 1_000;

/// Members by ascending id: all members after `after`, up to the last one here.
pub(super) struct Page {
    pub(super) after: Option<ChatId>,
    pub(super) members: Vec<ChatMember>,
}

impl Page {
    pub(super) fn is_last(&self) -> bool {
        self.members.len() < usize::from(MEMBERS_PER_PAGE)
    }

    /// The last id that the page covers; `None` on the last page, which covers all following ids.
    pub(super) fn up_to(&self) -> Option<ChatId> {
        if self.is_last() { None } else { self.members.last().map(|member| member.chat_id) }
    }
}

/// The result of a page.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) differences: Differences,
    pub(super) renamed: Vec<link::Renamed>,
    /// For each affected member, the refused changes.
    pub(super) refusals: Vec<NewFailure>,
    /// Where members are left, if that is not noted yet.
    pub(super) states: Vec<(ChatId, States)>,
    /// Who is out of step, if that is not noted yet.
    pub(super) due: Vec<(ChatId, Json)>,
    /// Who no longer is.
    pub(super) settled: HashSet<ChatId>,
    /// Who is staff otherwise than by the roles that they hold.
    pub(super) staff: Vec<ChatId>,
}

pub(super) async fn examine(planner: &Planner<'_>, page: &Page) -> Result<Findings, JobError> {
    let (guild, read) = (planner.args.guild, planner.job.database().read());
    let (linked, not_in_guild) = linked(read, guild, page).await?;
    let players: Vec<PlayId> = linked.iter().map(|(_, link)| link.play_id).collect();
    let (play, groups) = (planner.platforms.play.as_ref(), planner.rules.groups());
    let (memberships, names) = tokio::join!(
        play.memberships(planner.call, &players, &groups),
        names::current(play, planner.call, &players),
    );
    let memberships = memberships.map_err(job_error)?;
    let mut findings = Findings::default();
    findings.differences.seen.not_in_guild = not_in_guild;
    let of_group =
        |group| players.iter().filter(|player| memberships.contains_key(&(**player, group))).count();
    findings.differences.in_group =
        groups.iter().map(|group| (*group, i64::try_from(of_group(*group)).unwrap_or(i64::MAX))).collect();
    let users: Vec<ChatId> = linked.iter().map(|(member, _)| member.chat_id).collect();
    let noted = synced_member::find_many(read, guild, &users).await?;
    let mut noted: HashMap<ChatId, _> = noted.into_iter().map(|row| (row.chat_id, row)).collect();
    findings.settled =
        synced_member::due_between(read, guild, page.after, page.up_to()).await?.into_iter().collect();
    if let Some(staff) = &planner.staff {
        findings.staff = staff.differing(&page.members, (page.after, page.up_to()));
    }
    let watched = planner.rules.watched();
    for (member, link) in linked {
        let names = names.get(&link.play_id);
        let change = planner.rules.change(member, SyncedPlayer::of(&link, names), &memberships);
        let (noted, noted_due) =
            noted.remove(&member.chat_id).map(|row| (row.states, row.due)).unwrap_or_default();
        let reasons = planner.rules.reasons(&change, link.play_id, &memberships).since(&noted.ranks);
        let ranks = if change.is_empty() || noted.ranks.is_empty() {
            planner.rules.ranks(link.play_id, &memberships)
        } else {
            noted.ranks.clone()
        };
        let whole = planned(member, link.play_id, &change, &reasons);
        let permitted = permitted(&planner.overview, &planner.rules.grants, &member.roles, change);
        let until = planner.job.now() + CHUNKS_WITHIN;
        let left = States { ranks, ..states(&watched, member, &permitted.change, until) };
        let is_noted = (noted.end, &noted.ranks, &noted.name) == (left.end, &left.ranks, &left.name);
        if !is_noted || !left.passing.is_empty() {
            findings.states.push((member.chat_id, left));
        }
        findings.note(whole, permitted, noted_due.as_ref())?;
        findings.renamed.extend(names::difference(&link, names));
    }
    Ok(findings)
}

/// The page's members with their links, and the number of links of users outside the guild.
async fn linked<'p, C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    page: &'p Page,
) -> Result<(Vec<(&'p ChatMember, link::Model)>, i64), DbErr> {
    let members: HashMap<ChatId, &ChatMember> =
        page.members.iter().map(|member| (member.chat_id, member)).collect();
    let (mut linked, mut not_in_guild) = (Vec::new(), 0);
    let mut from = page.after;
    loop {
        let links = link::range(conn, guild, from, page.up_to(), LINKS_PER_QUERY).await?;
        let more = links.len() as u64 == LINKS_PER_QUERY;
        from = links.last().map(|link| link.chat_id);
        for link in links {
            match members.get(&link.chat_id) {
                Some(member) => linked.push((*member, link)),
                None => not_in_guild += 1,
            }
        }
        if !more {
            return Ok((linked, not_in_guild));
        }
    }
}

impl Findings {
    /// `whole`: all that the member lacks. `noted`: what was due before.
    fn note(
        &mut self,
        whole: PlannedChange,
        permitted: Permitted,
        noted: Option<&Json>,
    ) -> Result<(), JobError> {
        let in_part = !permitted.is_whole();
        let Permitted { change, failed_roles, nickname_refused } = permitted;
        let refusal = refusal(whole.user, &failed_roles, nickname_refused);
        self.differences.seen.count(&change, in_part);
        if in_part || !change.is_empty() {
            self.settled.remove(&whole.user);
            let refused = refusal.as_ref().map(|refusal| refusal.message.clone());
            let due = OutOfStep { change: whole.clone(), refused };
            let due = serde_json::to_value(due).map_err(unwritable)?;
            if noted != Some(&due) {
                self.due.push((whole.user, due));
            }
        }
        self.refusals.extend(refusal);
        self.differences.refused_roles.extend(failed_roles);
        if !change.is_empty() {
            let Change { add, remove, nick } = change;
            self.differences.changes.push(PlannedChange { add, remove, nick, in_part, ..whole });
        }
        Ok(())
    }
}

fn planned(member: &ChatMember, player: PlayId, change: &Change, reasons: &Reasons) -> PlannedChange {
    let Change { add, remove, nick } = change.clone();
    let Reasons { ranks, ranks_before, bindings, nickname } = reasons.clone();
    PlannedChange {
        user: member.chat_id,
        play: Some(player),
        add,
        remove,
        nick_before: nick.as_ref().and(member.nick.clone()),
        nick,
        ranks,
        ranks_before,
        bindings,
        nick_binding: nickname,
        in_part: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permitted::FailedRole;
    use crate::sync_all::plan::Seen;
    use crate::testing::{chat, member, play, role, roles};

    fn failed(id: i64) -> FailedRole {
        FailedRole { role_id: role(id), error: "role_above_bot", reason: "too high".to_owned() }
    }

    #[test]
    fn only_the_last_page_covers_all_following_ids() {
        let mut page = Page { after: None, members: vec![member(&[], None); 1_000] };
        assert_eq!((page.is_last(), page.up_to()), (false, Some(chat(7))));
        page.members.pop();
        assert_eq!((page.is_last(), page.up_to()), (true, None));
    }

    #[test]
    fn members_are_counted_by_their_due_changes() {
        let mut findings = Findings::default();
        let mut note = |member: &ChatMember, permitted: Permitted| {
            let whole = planned(member, play(1), &permitted.change, &Reasons::default());
            findings.note(whole, permitted, None).unwrap();
        };
        let change = Change { add: roles(&[1, 2]), remove: roles(&[3]), nick: Some("n".to_owned()) };
        note(&member(&[3], None), Permitted { change, ..Permitted::default() });
        note(&member(&[], None), Permitted::default());
        let out_of_reach = Permitted { failed_roles: vec![failed(9), failed(8)], ..Permitted::default() };
        note(&member(&[], None), out_of_reach);
        let expected = Seen {
            members: 3,
            unchanged: 2,
            planned: 1,
            role_additions: 2,
            role_removals: 1,
            members_losing: 1,
            nicknames: 1,
            members_refused: 1,
            not_in_guild: 0,
        };
        let Differences { seen, changes, refused_roles, .. } = &findings.differences;
        assert_eq!(*seen, expected);
        assert_eq!((changes.len(), refused_roles.len()), (1, 2));
        assert_eq!(findings.due.len(), 2, "out of step: one who is changed, and one who cannot be");
        assert_eq!(findings.refusals[0].message, "role 9: too high; role 8: too high");
    }
}
