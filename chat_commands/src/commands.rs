//! The list of commands.

mod apply;
mod ban;
mod banned;
mod leave;
mod link;
mod setup;
mod strike;
mod sync;
mod sync_all;
mod unban;
mod unlink;
mod whois;

use crate::call::Problem;
use crate::command::AnyCommand;
use crate::definition::Definition;

const COMMANDS: [&dyn AnyCommand; 12] = [
    &link::Link,
    &unlink::Unlink,
    &whois::Whois,
    &sync::Sync,
    &sync_all::SyncAll,
    &ban::Ban,
    &unban::Unban,
    &banned::Banned,
    &strike::Strike,
    &leave::Leave,
    &apply::Apply,
    &setup::Setup,
];

pub(crate) fn find(name: &str) -> Result<&'static dyn AnyCommand, Problem> {
    let found = COMMANDS.into_iter().find(|command| command.definition().name() == name);
    found.ok_or_else(|| Problem::refused("This command no longer exists."))
}

pub(crate) fn definitions() -> Vec<Definition> {
    COMMANDS.iter().map(|command| command.definition()).collect()
}
