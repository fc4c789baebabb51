//! Which bindings match one member, and what a sync would change, without changing anything.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use entities::binding::Binding;
use entities::{GroupId, PlayId, RoleId, Subject, link};
use platforms::{Change, GuildOverview, GuildRules, Memberships, PlatformError, SyncedPlayer, Verdict};

use super::rows::{named_rank, named_role, whom};
use crate::html::candidate::{Candidate, Unresolved};
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::people::Who;
use crate::pages::guilds::typed::resolve;
use crate::platform_cache::groups::Group;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The result for a member.
#[derive(Default)]
pub(super) struct Tested {
    pub(super) typed: String,
    /// Why there is no result; empty: there is one.
    pub(super) problem: String,
    /// Who may be meant.
    pub(super) candidates: Vec<Candidate>,
    pub(super) member: Option<Who>,
    pub(super) rows: Vec<Row>,
    /// What the next sync would do.
    pub(super) sync: String,
}

pub(super) struct Row {
    /// Its name, or its number; empty: the binding has none.
    pub(super) group: String,
    pub(super) whom: String,
    /// The member's ranks in this group.
    pub(super) held: String,
    pub(super) role: String,
    pub(super) matches: bool,
    /// Why it does not match.
    pub(super) reason: String,
}

/// The groups that Roblox answers for.
type Names = HashMap<GroupId, Arc<Group>>;

/// The member of the field `member`; empty: nothing is tested.
pub(super) async fn run(
    visit: &GuildVisit,
    bindings: &[Binding],
    overview: Option<&GuildOverview>,
) -> Result<Option<Tested>, PageError> {
    let typed = visit.query.text("member");
    if typed.is_empty() {
        return Ok(None);
    }
    let tested = Tested { typed: typed.to_owned(), ..Tested::default() };
    let link = match find(visit).await? {
        Ok(link) => link,
        Err(Unresolved { text: problem, candidates }) => {
            return Ok(Some(Tested { problem, candidates, ..tested }));
        }
    };
    let rules = GuildRules::new(bindings.to_vec(), visit.guild.settings(), visit.grants.clone());
    let (call, players, groups) = (visit.call_context(), [link.play_id], rules.groups());
    let memberships = match visit.platforms().play.memberships(call, &players, &groups).await {
        Ok(memberships) => memberships,
        Err(error) => {
            let problem = format!("The member's ranks cannot be read: {error}.");
            return Ok(Some(Tested { problem, ..tested }));
        }
    };
    let mut names = Names::new();
    for id in groups {
        names.extend(visit.console.groups.find(call, id).await.ok().map(|group| (id, group)));
    }
    let role = |id: RoleId| overview.map_or_else(|| id.to_string(), |known| named_role(visit, known, id).0);
    let verdicts = rules.verdicts(Some(link.play_id), &memberships);
    let rows = verdicts.map(|(binding, verdict)| {
        let role = role(binding.rule.role_id);
        compare(binding, verdict, link.play_id, &memberships, &names, role)
    });
    let rows = rows.collect();
    let sync = match sync(visit, &rules, &link, &memberships).await {
        Ok(Some(change)) => described(&change, role),
        Ok(None) => "The member is not in this Discord server.".to_owned(),
        Err(error) => format!("What a sync would change is not known: {error}."),
    };
    Ok(Some(Tested { member: Some(Who::linked(visit, &link)), rows, sync, ..tested }))
}

/// The link of the typed person, or why there is none.
async fn find(visit: &GuildVisit) -> Result<Result<link::Model, Unresolved>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let link = match resolve(visit, &visit.query, "member", Among::Members).await? {
        Ok(Subject::Chat(chat)) => link::find_by_chat(conn, guild, chat).await?,
        Ok(Subject::Play(play)) => link::find_by_play(conn, guild, play).await?,
        Err(problem) => return Ok(Err(problem)),
    };
    Ok(link.ok_or_else(|| "No linked member has this id. Give a name, a Discord id or a Roblox id.".into()))
}

/// `None`: the user is not a member.
async fn sync(
    visit: &GuildVisit,
    rules: &GuildRules,
    link: &link::Model,
    memberships: &Memberships,
) -> Result<Option<Change>, PlatformError> {
    let (call, platforms) = (visit.call_context(), visit.platforms());
    let players = [link.play_id];
    let (member, names) =
        tokio::join!(platforms.chat.member(call, link.chat_id), platforms.play.names(call, &players));
    let names = names.unwrap_or_default().remove(&link.play_id);
    let player = SyncedPlayer::of(link, names.as_ref());
    Ok(member?.map(|member| rules.change(&member, player, memberships)))
}

fn described(change: &Change, role: impl Fn(RoleId) -> String) -> String {
    let list = |verb: &str, roles: &[RoleId]| {
        let names: Vec<_> = roles.iter().map(|id| role(*id)).collect();
        (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
    };
    let nickname = change.nick.as_ref().map(|nick| format!("set the nickname {nick}"));
    let parts = [list("give", &change.add), list("take", &change.remove), nickname];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "A sync would change nothing.".to_owned()
    } else {
        format!("A sync would {}.", parts.join("; "))
    }
}

fn compare(
    binding: &Binding,
    verdict: Verdict,
    play: PlayId,
    memberships: &Memberships,
    names: &Names,
    role: String,
) -> Row {
    let condition = binding.rule.condition;
    let known = condition.group().and_then(|id| names.get(&id));
    let ranks = known.map(|group| group.ranks.as_slice());
    let held = condition.group().map_or_else(String::new, |id| {
        let held = memberships.get(&(play, id)).map(Vec::as_slice).unwrap_or_default();
        let held: BTreeSet<_> = held.iter().map(|role| role.rank).collect();
        let named: Vec<_> = held.into_iter().map(|rank| named_rank(rank.into(), ranks).0).collect();
        if named.is_empty() { "Not in the group".to_owned() } else { named.join(", ") }
    });
    let number = || condition.group().map_or_else(String::new, |id| id.to_string());
    let group = known.map_or_else(number, ToString::to_string);
    let (whom, matches) = (whom(condition, ranks).0, verdict.matches());
    let reason = if matches { String::new() } else { reason(verdict).to_owned() };
    Row { group, whom, held, role, matches, reason }
}

fn reason(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Matches => "",
        Verdict::Linked => "is linked",
        Verdict::NotLinked => "has no link",
        Verdict::NotInGroup => "is not in the group",
        Verdict::OtherRank => "has another rank",
        Verdict::OtherRole => "has other roles in the group",
    }
}
