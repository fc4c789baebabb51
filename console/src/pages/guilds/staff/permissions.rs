//! The permissions of staff roles, in words.

use entities::staff_role::{CHAT_PERMISSIONS, PLAY_PERMISSIONS};
use people::values::{about_permission, permission};

use crate::html::form::Form;

/// A checkbox of the form of a role.
pub(super) struct Permission {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) about: &'static str,
    pub(super) held: bool,
}

pub(super) fn in_console(form: &Form) -> Vec<Permission> {
    listed(&CHAT_PERMISSIONS, "permissions", form)
}

/// Those that all games know, then the others of the role.
pub(super) fn in_games(form: &Form) -> Vec<Permission> {
    let mut all = listed(&PLAY_PERMISSIONS, PLAY_FIELD, form);
    let held = form.all(PLAY_FIELD);
    let others: Vec<&str> = held.into_iter().filter(|name| !PLAY_PERMISSIONS.contains(name)).collect();
    all.extend(listed(&others, PLAY_FIELD, form));
    all
}

const PLAY_FIELD: &str = "play_permissions";

fn listed(names: &[&str], field: &str, form: &Form) -> Vec<Permission> {
    let one = |name: &&str| Permission {
        name: (*name).to_owned(),
        label: permission(name).to_owned(),
        about: about_permission(name),
        held: form.is(field, name),
    };
    names.iter().map(one).collect()
}
