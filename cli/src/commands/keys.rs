//! `guildhall keys`: create, list, rotate and revoke API keys (docs/rules.md 1). Commands name a key by its public id; its
//! text is shown once, at its creation.

mod create;
mod list;
pub(super) mod public_id;
mod revoke;
mod rotate;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Create a key and show its text, once; standard output is only the key: `KEY=$(guildhall keys create
    /// ...)`
    Create(create::Args),
    /// List keys; never their secrets
    List(list::Args),
    /// Replace a key: create one with the same guild, name, owner, scopes, factor, trust and parent, and let the old one expire
    ///
    /// Shows the text of the new key, once; standard output is only the key. Both keys are valid until the
    /// old one expires. Keys that the old one made stay valid: if it has leaked, revoke it with its
    /// descendants instead.
    Rotate(rotate::Args),
    /// Revoke a key; running processes refuse it within a second
    Revoke(revoke::Args),
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create(args) => create::run(args).await,
        Command::List(args) => list::run(args).await,
        Command::Rotate(args) => rotate::run(args).await,
        Command::Revoke(args) => revoke::run(args).await,
    }
}
