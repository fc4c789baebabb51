use super::*;
use crate::testing::{change as planned, group, member, play, role, roles, rule};

const NO_NAMES: &str = "";

fn rules() -> GuildRules {
    GuildRules::new(
        vec![rule(5, 1, 101), rule(5, 50, 102), rule(5, 255, 103), rule(6, 0, 104)],
        NO_NAMES.to_owned(),
    )
}

fn ranks(of: &[(i64, &[i16])]) -> Ranks {
    of.iter().map(|(id, ranks)| ((play(1), group(*id)), ranks.to_vec())).collect()
}

fn change(rules: &GuildRules, held: &[i64], ranks: &Ranks) -> Change {
    rules.change(&member(held, Some("nick")), Player { id: play(1), name: "builder" }, ranks)
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
    let change = change(&rules(), &[101, 102, 103], &Ranks::new());
    assert_eq!((change.add, change.remove), (roles(&[104]), roles(&[101, 102, 103])));
}

#[test]
fn any_of_several_ranks_matches() {
    let change = change(&rules(), &[], &ranks(&[(5, &[1, 50, 255]), (6, &[1])]));
    assert_eq!(change.add, roles(&[101, 102, 103]));
}

#[test]
fn a_role_of_several_bindings_stays_while_one_of_them_matches() {
    let rules = GuildRules::new(vec![rule(5, 1, 101), rule(6, 7, 101)], String::new());
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
    let (player, none) = (play(1), Ranks::new());
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
    let others: Ranks = [((play(2), group(5)), vec![50]), ((play(1), group(7)), vec![50])].into();
    assert_eq!(change(&rules(), &[], &others).add, roles(&[104]));
}

#[test]
fn the_nickname_changes_only_where_it_differs_and_only_with_a_template() {
    let named = GuildRules::new(Vec::new(), "{play_username}".to_owned());
    assert_eq!(change(&named, &[], &Ranks::new()).nick.as_deref(), Some("builder"));
    let player = Player { id: play(1), name: "nick" };
    assert!(named.change(&member(&[], Some("nick")), player, &Ranks::new()).is_empty());
    assert_eq!(named.change(&member(&[], None), player, &Ranks::new()).nick.as_deref(), Some("nick"));
    assert!(change(&GuildRules::default(), &[5], &Ranks::new()).is_empty());
}

#[test]
fn each_group_is_requested_once_and_empty_rules_request_none() {
    assert_eq!(rules().groups(), vec![group(5), group(6)]);
    assert!(GuildRules::new(Vec::new(), "  ".to_owned()).is_empty());
    assert!(!rules().is_empty());
    assert!(!GuildRules::new(Vec::new(), "{play_id}".to_owned()).is_empty());
    for role in [701, 702].map(role) {
        assert!(!GuildRules { verified: Some(role), ..GuildRules::default() }.is_empty());
        assert!(!GuildRules { unverified: Some(role), ..GuildRules::default() }.is_empty());
    }
}

#[test]
fn an_old_plan_is_reduced_to_the_changes_still_due() {
    let planned = planned(&[102, 103], &[101, 104], Some("builder"));
    // Since the plan: 102 was added, 101 was removed, a moderator gave 900.
    let due = planned.still_due(&member(&[102, 104, 900], Some("builder")));
    assert_eq!(due, Change { add: roles(&[103]), remove: roles(&[104]), nick: None });
    assert_eq!(due.roles_after(&roles(&[102, 104, 900])), roles(&[102, 900, 103]));
    assert!(planned.still_due(&member(&[900, 102, 103], Some("builder"))).is_empty());
}

#[test]
fn two_differences_use_single_calls_and_more_use_the_full_list() {
    for few in [planned(&[1], &[], Some("n")), planned(&[1], &[2], None), planned(&[1, 2], &[], None)] {
        assert!(!few.is_several(), "{few:?}");
    }
    for several in [planned(&[1], &[2], Some("n")), planned(&[1, 2], &[3], None)] {
        assert!(several.is_several(), "{several:?}");
    }
}

#[test]
fn roles_with_deleted_bindings_are_not_changed() {
    let change = planned(&[1, 2], &[3, 4], None);
    assert_eq!(change.only(&roles(&[2, 3])), planned(&[2], &[3], None));
}
