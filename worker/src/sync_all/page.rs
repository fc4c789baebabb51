//! Reads one page of members: their links, their names, and their differences from the bindings.

use std::collections::HashMap;

use chrono::TimeDelta;
use entities::job_failure::NewFailure;
use entities::synced_member::{self, States};
use entities::{ChatId, GuildId, PlayId, link};
use jobs::bulk_sync::PlannedChange;
use platforms::{ChatMember, MEMBERS_PER_PAGE, Reasons, SyncedPlayer};
use queue::run::JobError;
use sea_orm::{ConnectionTrait, DbErr};

use super::plan::Differences;
use super::planner::Planner;
use crate::errors::job_error;
use crate::names::{self, Renamed};
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
    pub(super) renamed: Vec<Renamed>,
    /// For each affected member, the refused changes.
    pub(super) refusals: Vec<NewFailure>,
    /// Where members are left, if that is not noted yet.
    pub(super) states: Vec<(ChatId, States)>,
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
    let mut noted: HashMap<ChatId, States> = noted.into_iter().map(|row| (row.chat_id, row.states)).collect();
    let managed = planner.rules.managed();
    for (member, link) in linked {
        let names = names.get(&link.play_id);
        let change = planner.rules.change(member, SyncedPlayer::of(&link, names), &memberships);
        let noted = noted.remove(&member.chat_id).unwrap_or_default();
        let reasons = planner.rules.reasons(&change, link.play_id, &memberships).since(&noted.ranks);
        let ranks = if change.is_empty() || noted.ranks.is_empty() {
            planner.rules.ranks(link.play_id, &memberships)
        } else {
            noted.ranks.clone()
        };
        let permitted = permitted(&planner.overview, &planner.rules.allowed, &member.roles, change);
        let until = planner.job.now() + CHUNKS_WITHIN;
        let left = States { ranks, ..states(&managed, member, &permitted.change, until) };
        let is_noted = (noted.end, &noted.ranks) == (left.end, &left.ranks);
        if !is_noted || !left.passing.is_empty() {
            findings.states.push((member.chat_id, left));
        }
        findings.note(member, permitted, reasons);
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
    fn note(&mut self, member: &ChatMember, permitted: Permitted, reasons: Reasons) {
        let Permitted { change, failed_roles, nickname_refused } = permitted;
        let Differences { seen, changes, refused_roles, .. } = &mut self.differences;
        if let Some(refusal) = refusal(member.chat_id, &failed_roles, nickname_refused) {
            seen.members_refused += 1;
            self.refusals.push(refusal);
        }
        refused_roles.extend(failed_roles);
        seen.members += 1;
        if change.is_empty() {
            seen.unchanged += 1;
            return;
        }
        seen.planned += 1;
        seen.role_additions += count(&change.add);
        seen.role_removals += count(&change.remove);
        seen.members_losing += i64::from(!change.remove.is_empty());
        seen.nicknames += i64::from(change.nick.is_some());
        changes.push(PlannedChange {
            user: member.chat_id,
            add: change.add,
            remove: change.remove,
            nick: change.nick,
            ranks: reasons.ranks,
            ranks_before: reasons.ranks_before,
            bindings: reasons.bindings,
            nick_binding: reasons.nickname,
        });
    }
}

fn count<T>(items: &[T]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use platforms::Change;

    use super::*;
    use crate::permitted::FailedRole;
    use crate::sync_all::plan::Seen;
    use crate::testing::{chat, member, role, roles};

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
        let change = Change { add: roles(&[1, 2]), remove: roles(&[3]), nick: Some("n".to_owned()) };
        findings.note(&member(&[3], None), Permitted { change, ..Permitted::default() }, Reasons::default());
        findings.note(&member(&[], None), Permitted::default(), Reasons::default());
        let out_of_reach = Permitted { failed_roles: vec![failed(9), failed(8)], ..Permitted::default() };
        findings.note(&member(&[], None), out_of_reach, Reasons::default());
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
        assert_eq!(findings.refusals[0].message, "role 9: too high; role 8: too high");
    }
}
