//! `guildhall completions`: a script that completes commands and flags in a shell.

use clap_complete::Shell;

use crate::output;

/// Prints a script that completes commands and flags.
///
/// bash: `source <(guildhall completions bash)` in ~/.bashrc. zsh: write it to a file `_guildhall` in a folder of $fpath.
/// fish: write it to ~/.config/fish/completions/guildhall.fish.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: Args, mut tree: clap::Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tree, "guildhall", &mut script);
    output::print(String::from_utf8(script)?.trim_end())
}
