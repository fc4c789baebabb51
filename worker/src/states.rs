//! The states in which a sync leaves a member, noted before its calls: the events that these cause lead to nothing.

use entities::Timestamp;
use entities::synced_member::States;
use platforms::{Change, ChatMember, Watched};

/// The state after the change, and those on the way there where each difference is a call of its own, whose events come
/// until then.
pub(crate) fn states(watched: &Watched, member: &ChatMember, change: &Change, until: Timestamp) -> States {
    let end = States {
        end: Some(after(watched, member, change)),
        name: member.username.clone(),
        roles: change
            .roles_after(&member.roles)
            .into_iter()
            .filter(|role| watched.roles.contains(role))
            .collect(),
        ..States::default()
    };
    let mut parts = Vec::new();
    if !change.is_several() {
        let part = Change::default;
        parts.extend(change.add.iter().map(|role| Change { add: vec![*role], ..part() }));
        parts.extend(change.remove.iter().map(|role| Change { remove: vec![*role], ..part() }));
        parts.extend(change.nick.iter().map(|nick| Change { nick: Some(nick.clone()), ..part() }));
    }
    if parts.len() < 2 {
        return end;
    }
    let passing = parts.iter().map(|part| after(watched, member, part)).collect();
    States { passing, passing_until: Some(until), ..end }
}

/// The state after the change.
fn after(watched: &Watched, member: &ChatMember, change: &Change) -> i64 {
    watched.state(&change.roles_after(&member.roles), change.nick.as_deref().or(member.nick.as_deref()))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::testing::{change, member, role, roles};

    #[test]
    fn two_calls_have_two_states_on_their_way() {
        let watched = Watched { roles: [role(1), role(2)].into(), nicknames: true };
        let now = member(&[2, 9], None);
        let of = |held: &[i64], nick| watched.state(&roles(held), nick);
        let until = Timestamp::UNIX_EPOCH;
        let states = |change: Change| states(&watched, &now, &change, until);
        let two = states(change(&[1], &[], Some("Ada")));
        assert_eq!(two.end, Some(of(&[1, 2], Some("Ada"))));
        assert_eq!(two.passing, [of(&[1, 2], None), of(&[2], Some("Ada"))]);
        let one = |held: &[i64], nick| {
            let (end, name, roles) = (Some(of(held, nick)), now.username.clone(), roles(held));
            States { end, name, roles, ..States::default() }
        };
        assert_eq!(states(change(&[1], &[], None)), one(&[2, 1], None));
        assert_eq!(states(Change::default()), one(&[2], None));
        assert_eq!(states(change(&[1], &[2], Some("Ada"))), one(&[1], Some("Ada")));
        let passes = |seconds| two.explain(two.passing[0], until - TimeDelta::seconds(seconds));
        assert_eq!((passes(1), passes(0), two.explain(of(&[], None), until)), (true, false, false));
    }
}
