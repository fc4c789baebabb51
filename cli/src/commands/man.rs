//! `guildhall man`: manual pages, made from the help texts.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap_mangen::Man;

use crate::output;

/// Prints the manual page of guildhall, or writes one for each command.
///
/// Read it with `guildhall man | man -l -`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the pages of all commands into this folder, such as ~/.local/share/man/man1; it is made if it is missing
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: Args, tree: clap::Command) -> anyhow::Result<()> {
    let Some(folder) = args.dir else {
        let mut page = Vec::new();
        Man::new(tree).render(&mut page)?;
        return output::print(String::from_utf8(page)?.trim_end());
    };
    fs::create_dir_all(&folder)
        .and_then(|()| clap_mangen::generate_to(tree, &folder))
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))
}
