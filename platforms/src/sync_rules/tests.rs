use entities::binding::{Condition, Rule};
use entities::{ChatId, GroupRoleId, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::play::GroupRole;

fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

pub(super) fn roles(ids: &[i64]) -> Vec<RoleId> {
    ids.iter().copied().map(role).collect()
}

fn play(id: i64) -> PlayId {
    PlayId::try_from(id).unwrap()
}

fn builder() -> SyncedPlayer<'static> {
    SyncedPlayer { id: play(1), name: "builder", display_name: Some("Bob the Builder") }
}

fn group(id: i64) -> GroupId {
    GroupId::try_from(id).unwrap()
}

fn rank(group_id: i64, rank: i32) -> Condition {
    Condition::GroupRank { group: group(group_id), rank }
}

/// Bindings with the ids 1, 2, 3 and so on.
fn bindings(rules: Vec<Rule>) -> Vec<Binding> {
    let binding =
        |(id, rule)| Binding { id: BindingId::try_from(id).unwrap(), rule, created_at: Timestamp::default() };
    (1..).zip(rules).map(binding).collect()
}

fn guild_with(conditions: &[(Condition, i64)]) -> GuildRules {
    let rules = conditions.iter().map(|(condition, id)| Rule::new(*condition, role(*id)));
    GuildRules { bindings: bindings(rules.collect()), ..GuildRules::default() }
}

fn named(template: &str) -> GuildRules {
    GuildRules { nickname_template: template.to_owned(), ..GuildRules::default() }
}

fn rules() -> GuildRules {
    guild_with(&[(rank(5, 1), 101), (rank(5, 50), 102), (rank(5, 255), 103), (rank(6, 0), 104)])
}

/// A role of the same number for each rank.
fn ranked(rank: i16) -> GroupRole {
    GroupRole {
        id: GroupRoleId::try_from(1_000 + i64::from(rank)).unwrap(),
        name: format!("Rank {rank}"),
        rank,
    }
}

fn ranks(of: &[(i64, &[i16])]) -> Memberships {
    let roles = |ranks: &[i16]| ranks.iter().copied().map(ranked).collect();
    of.iter().map(|(id, ranks)| ((play(1), group(*id)), roles(ranks))).collect()
}

pub(super) fn member(held: &[i64], nick: Option<&str>) -> ChatMember {
    ChatMember {
        chat_id: ChatId::try_from(7).unwrap(),
        username: "bob".to_owned(),
        nick: nick.map(str::to_owned),
        roles: roles(held),
        is_bot: false,
        joined_at: None,
        is_pending: false,
    }
}

pub(super) fn planned(add: &[i64], remove: &[i64], nick: Option<&str>) -> Change {
    Change { add: roles(add), remove: roles(remove), nick: nick.map(str::to_owned) }
}

fn change(rules: &GuildRules, held: &[i64], memberships: &Memberships) -> Change {
    rules.change(&member(held, Some("nick")), builder(), memberships)
}

#[test]
fn added_is_wanted_minus_held_and_removed_is_held_managed_minus_wanted() {
    let change = change(&rules(), &[101, 103], &ranks(&[(5, &[50]), (6, &[1])]));
    assert_eq!(change, Change { add: roles(&[102]), remove: roles(&[101, 103]), nick: None });
}

#[test]
fn roles_outside_the_bindings_are_never_touched() {
    let change = change(&rules(), &[900, 102, 901], &ranks(&[(5, &[1]), (6, &[9])]));
    assert_eq!(change.remove, roles(&[102]));
    assert_eq!(change.roles_after(&roles(&[900, 102, 901])), roles(&[900, 901, 101]));
}

#[test]
fn a_member_in_sync_has_no_change() {
    let change = change(&rules(), &[900, 102], &ranks(&[(5, &[50]), (6, &[1])]));
    assert!(change.is_empty());
}

#[test]
fn rank_0_means_not_in_the_group_in_either_form() {
    let absent = change(&rules(), &[], &ranks(&[(5, &[50])]));
    assert_eq!(absent.add, roles(&[102, 104]));
    let guest = change(&rules(), &[], &ranks(&[(5, &[50]), (6, &[0])]));
    assert_eq!(guest.add, roles(&[102, 104]));
    let inside = change(&rules(), &[104], &ranks(&[(5, &[50]), (6, &[3])]));
    assert_eq!((inside.add, inside.remove), (roles(&[102]), roles(&[104])));
}

#[test]
fn a_member_of_no_group_has_only_rank_0() {
    let change = change(&rules(), &[101, 102, 103], &Memberships::new());
    assert_eq!((change.add, change.remove), (roles(&[104]), roles(&[101, 102, 103])));
}

#[test]
fn any_of_several_ranks_matches() {
    let change = change(&rules(), &[], &ranks(&[(5, &[1, 50, 255]), (6, &[1])]));
    assert_eq!(change.add, roles(&[101, 102, 103]));
}

#[test]
fn a_role_of_several_bindings_stays_while_one_of_them_matches() {
    let rules = guild_with(&[(rank(5, 1), 101), (rank(6, 7), 101)]);
    assert!(change(&rules, &[101], &ranks(&[(6, &[7])])).is_empty());
    assert_eq!(change(&rules, &[101], &ranks(&[(6, &[8])])).remove, roles(&[101]));
}

#[test]
fn every_linked_member_has_the_verified_role_and_none_the_unverified_one() {
    let rules = GuildRules { verified: Some(role(700)), unverified: Some(role(701)), ..rules() };
    let lacking = change(&rules, &[701, 102, 900], &ranks(&[(5, &[50]), (6, &[1])]));
    assert_eq!((lacking.add, lacking.remove), (roles(&[700]), roles(&[701])));
    assert!(change(&rules, &[700, 102], &ranks(&[(5, &[50]), (6, &[1])])).is_empty());
    assert!(rules.manages(role(700)) && rules.manages(role(701)) && !rules.manages(role(900)));
    let (player, none) = (play(1), Memberships::new());
    assert!(rules.wants(role(700), player, &none) && !rules.wants(role(701), player, &none));
}

#[test]
fn a_role_of_a_binding_may_be_the_verified_or_the_unverified_one() {
    let verified = GuildRules { verified: Some(role(101)), ..rules() };
    assert!(change(&verified, &[101], &ranks(&[(5, &[7]), (6, &[1])])).is_empty());
    let unverified = GuildRules { unverified: Some(role(101)), ..rules() };
    assert_eq!(change(&unverified, &[101], &ranks(&[(5, &[1]), (6, &[1])])).remove, roles(&[101]));
}

#[test]
fn ranks_of_other_players_and_groups_are_ignored() {
    let others: Memberships =
        [((play(2), group(5)), vec![ranked(50)]), ((play(1), group(7)), vec![ranked(50)])].into();
    assert_eq!(change(&rules(), &[], &others).add, roles(&[104]));
}

#[test]
fn the_nickname_changes_only_where_it_differs_and_only_with_a_template() {
    let named = named("{play_username}");
    assert_eq!(change(&named, &[], &Memberships::new()).nick.as_deref(), Some("builder"));
    let player = SyncedPlayer { name: "nick", ..builder() };
    assert!(named.change(&member(&[], Some("nick")), player, &Memberships::new()).is_empty());
    assert_eq!(named.change(&member(&[], None), player, &Memberships::new()).nick.as_deref(), Some("nick"));
    assert!(change(&GuildRules::default(), &[5], &Memberships::new()).is_empty());
}

#[test]
fn each_group_is_requested_once_and_empty_rules_request_none() {
    assert_eq!(rules().groups(), vec![group(5), group(6)]);
    assert!(named("  ").is_empty());
    assert!(!rules().is_empty());
    assert!(!named("{play_id}").is_empty());
    for role in [701, 702].map(role) {
        assert!(!GuildRules { verified: Some(role), ..GuildRules::default() }.is_empty());
        assert!(!GuildRules { unverified: Some(role), ..GuildRules::default() }.is_empty());
    }
}

#[test]
fn every_type_says_whom_it_is_for_and_why_not() {
    let group_5 = |condition: fn(GroupId) -> Condition| condition(group(5));
    let range = group_5(|group| Condition::GroupRankRange { group, min: 50, max: 99 });
    let inside = group_5(|group| Condition::GroupMember { group });
    let has_role = group_5(|group| Condition::GroupRole { group, role: ranked(50).id });
    let judged = |condition, held: &[i16]| judge(condition, Some(play(1)), &ranks(&[(5, held)]));
    for (condition, held, expected) in [
        (rank(5, 50), &[50][..], Verdict::Matches),
        (rank(5, 50), &[51], Verdict::OtherRank),
        (rank(5, 50), &[], Verdict::NotInGroup),
        (rank(5, 0), &[], Verdict::Matches),
        (rank(5, 0), &[0], Verdict::Matches),
        (rank(5, 0), &[1], Verdict::OtherRank),
        (range, &[50], Verdict::Matches),
        (range, &[10, 99, 200], Verdict::Matches),
        (range, &[49, 100], Verdict::OtherRank),
        (range, &[0], Verdict::NotInGroup),
        (inside, &[1], Verdict::Matches),
        (inside, &[0], Verdict::NotInGroup),
        (inside, &[], Verdict::NotInGroup),
        (has_role, &[1, 50], Verdict::Matches),
        (has_role, &[1], Verdict::OtherRole),
        (has_role, &[], Verdict::NotInGroup),
        (Condition::Verified, &[], Verdict::Matches),
        (Condition::Unverified, &[], Verdict::Linked),
    ] {
        assert_eq!(judged(condition, held), expected, "{condition:?} {held:?}");
    }
    for condition in [rank(5, 0), range, inside, has_role, Condition::Verified] {
        assert_eq!(judge(condition, None, &Memberships::new()), Verdict::NotLinked, "{condition:?}");
    }
    assert_eq!(judge(Condition::Unverified, None, &Memberships::new()), Verdict::Matches);
}

#[test]
fn a_link_takes_the_roles_of_members_without_one_and_its_end_gives_them() {
    let rules = GuildRules {
        unverified: Some(role(701)),
        ..guild_with(&[(Condition::Verified, 101), (Condition::Unverified, 102), (rank(5, 0), 103)])
    };
    let linked = change(&rules, &[102, 701], &Memberships::new());
    assert_eq!((linked.add, linked.remove), (roles(&[101, 103]), roles(&[102, 701])));
    assert_eq!(rules.unlinked_roles().into_iter().collect::<Vec<_>>(), roles(&[102, 701]));
}

fn named_by(rules: &GuildRules, memberships: &Memberships) -> Option<String> {
    rules.change(&member(&[], None), builder(), memberships).nick
}

#[test]
fn the_highest_priority_names_the_member_then_the_oldest_then_the_guild() {
    let inside = Condition::GroupMember { group: group(5) };
    let with = |condition, priority, template: &str| Rule {
        priority,
        nickname_template: Some(template.to_owned()),
        ..Rule::new(condition, role(101))
    };
    let of = |rules: Vec<Rule>| GuildRules { bindings: bindings(rules), ..named("{play_id}") };
    let nick = |rules: Vec<Rule>| named_by(&of(rules), &ranks(&[(5, &[1, 50])]));
    let ranked = with(inside, 0, "[{rank} {rank_name}] {play_username}");
    assert_eq!(nick(vec![ranked.clone()]).as_deref(), Some("[50 Rank 50] builder"));
    assert_eq!(
        nick(vec![ranked.clone(), with(rank(5, 1), 0, "second")]).as_deref(),
        Some("[50 Rank 50] builder")
    );
    assert_eq!(nick(vec![ranked.clone(), with(rank(5, 1), 1, "{rank_name}")]).as_deref(), Some("Rank 1"));
    assert_eq!(nick(vec![ranked, with(rank(5, 7), 9, "other")]).as_deref(), Some("[50 Rank 50] builder"));
    assert_eq!(nick(vec![Rule { priority: 9, ..Rule::new(inside, role(1)) }]).as_deref(), Some("1"));
    assert_eq!(nick(vec![with(inside, 0, "")]), None, "an empty template leaves the nickname alone");
    let words = "{play_display_name} {chat_username}";
    assert_eq!(nick(vec![with(Condition::Verified, 0, words)]).as_deref(), Some("Bob the Builder bob"));
}

#[test]
fn holders_of_bypass_roles_keep_what_they_have_and_sticky_roles_stay() {
    let rules = GuildRules { nickname_template: "{play_username}".to_owned(), ..rules() };
    let memberships = ranks(&[(5, &[50]), (6, &[1])]);
    let all = planned(&[102], &[101, 104], Some("builder"));
    assert_eq!(change(&rules, &[101, 104, 900], &memberships), all);
    let keeps_name = GuildRules { nickname_bypass: roles(&[900]), ..rules.clone() };
    assert_eq!(change(&keeps_name, &[101, 104, 900], &memberships), Change { nick: None, ..all.clone() });
    assert_eq!(change(&keeps_name, &[101, 104], &memberships), all);
    let keeps_roles = GuildRules { role_bypass: roles(&[900]), ..rules.clone() };
    assert_eq!(change(&keeps_roles, &[101, 104, 900], &memberships), planned(&[], &[], Some("builder")));
    let sticky = GuildRules { sticky: roles(&[104]), ..rules };
    assert_eq!(change(&sticky, &[101, 104], &memberships), planned(&[102], &[101], Some("builder")));
}

#[test]
fn a_change_names_the_bindings_and_ranks_behind_it() {
    let named = Rule {
        nickname_template: Some("{rank_name}".to_owned()),
        ..Rule::new(Condition::GroupMember { group: group(6) }, role(105))
    };
    let mut all: Vec<Rule> = rules().bindings.into_iter().map(|binding| binding.rule).collect();
    all.extend([Rule::new(rank(7, 1), role(102)), Rule::new(rank(7, 2), role(101)), named]);
    let rules = GuildRules { bindings: bindings(all), verified: Some(role(700)), ..GuildRules::default() };
    let memberships = ranks(&[(5, &[50]), (6, &[1])]);
    let change = change(&rules, &[101, 105], &memberships);
    assert_eq!(change, planned(&[102, 700], &[101], Some("Rank 1")));
    let reasons = rules.reasons(&change, play(1), &memberships);
    let ids = |ids: &[i64]| ids.iter().map(|id| BindingId::try_from(*id).unwrap()).collect::<Vec<_>>();
    let behind = [(role(101), ids(&[1, 6])), (role(102), ids(&[2])), (role(700), Vec::new())];
    assert_eq!(reasons.bindings, behind.into());
    assert_eq!(reasons.ranks, [(group(5), vec![50]), (group(6), vec![1]), (group(7), vec![])].into());
    assert_eq!(reasons.nickname, Some(ids(&[7])[0]));
    assert_eq!(rules.reasons(&Change::default(), play(1), &memberships), Reasons::default());
}

fn condition() -> impl Strategy<Value = Condition> {
    let group = (5..7_i64).prop_map(group);
    (group, 0..6_i32, 1..6_i32, 0..3_i32, 0..6_u8).prop_map(|(group, rank, min, more, kind)| match kind {
        0 => Condition::GroupRank { group, rank },
        1 => Condition::GroupRankRange { group, min, max: min + more },
        2 => Condition::GroupMember { group },
        3 => Condition::GroupRole { group, role: ranked(i16::try_from(min).unwrap()).id },
        4 => Condition::Verified,
        _ => Condition::Unverified,
    })
}

proptest! {
    /// A sync changes only what bindings name, takes nothing that is sticky, and a second one finds nothing to do.
    #[test]
    fn a_change_is_managed_and_final(
        conditions in prop::collection::vec((condition(), 100..106_i64), 0..8),
        held in prop::collection::btree_set(98..108_i64, 0..8),
        sticky in prop::collection::btree_set(100..106_i64, 0..2),
        bypass in prop::collection::btree_set(98..108_i64, 0..2),
        in_5 in prop::collection::btree_set(0..6_i16, 0..3),
        in_6 in prop::collection::btree_set(0..6_i16, 0..3),
    ) {
        let list = |set: BTreeSet<i64>| roles(&set.into_iter().collect::<Vec<_>>());
        let ordered = |set: BTreeSet<i16>| set.into_iter().collect::<Vec<_>>();
        let memberships = ranks(&[(5, &ordered(in_5)), (6, &ordered(in_6))]);
        let rules = GuildRules { sticky: list(sticky), role_bypass: list(bypass), ..guild_with(&conditions) };
        let mut member = member(&held.into_iter().collect::<Vec<_>>(), None);
        let change = rules.change(&member, builder(), &memberships);
        let spared = rules.role_bypass.iter().any(|role| member.roles.contains(role));
        prop_assert!(!spared || change.is_empty());
        for role in &change.add {
            prop_assert!(rules.wants(*role, play(1), &memberships) && !member.roles.contains(role));
        }
        for role in &change.remove {
            prop_assert!(rules.manages(*role) && !rules.wants(*role, play(1), &memberships));
            prop_assert!(!rules.sticky.contains(role));
        }
        let reasons = rules.reasons(&change, play(1), &memberships);
        prop_assert!(change.roles().iter().all(|role| !reasons.bindings[role].is_empty()));
        // A bypass role that the sync itself gives spares the member from then on.
        member.roles = change.roles_after(&member.roles);
        prop_assert!(rules.change(&member, builder(), &memberships).is_empty());
    }
}
