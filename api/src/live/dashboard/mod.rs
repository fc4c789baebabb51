//! Live sockets of dashboards: the console's own, and others with an access token (docs/rules.md 10).
//!
//! A guild with such sockets in this process has one [`feed`], however many they are: `events` and `changes`
//! (changes in the database) write frames into it, each rendered once, and each [`socket`] sends those that
//! its person may see. `people` reads sessions and rights again.

pub(crate) mod bearers;
mod changes;
mod events;
mod feed;
pub(crate) mod feeds;
mod frame;
pub(crate) mod open;
pub(crate) mod people;
mod socket;
mod watched;

use std::sync::Arc;

use console::Console;

use crate::state::State;

/// Feeds the sockets and checks their people while the process runs.
pub(crate) fn start(state: &Arc<State>, console: &Arc<Console>) {
    let shutdown = &state.context.shutdown;
    let hard = shutdown.hard();
    let listening = events::listen(state.clone());
    shutdown.services().spawn(hard.clone().run_until_cancelled_owned(listening));
    let polling = changes::follow(state.clone());
    shutdown.services().spawn(hard.clone().run_until_cancelled_owned(polling));
    let checking = people::watch(state.people.clone(), console.clone());
    shutdown.services().spawn(hard.clone().run_until_cancelled_owned(checking));
}
