//! `pg_dump` and `pg_restore`: Postgres' own programs know how to copy it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, bail};
use percent_encoding::percent_decode_str;
use reqwest::Url;
use tokio::process::Command;

/// Where Debian keeps the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Runs it on the database of this URL.
pub(crate) async fn run(name: &str, database: &str, args: &[&str]) -> anyhow::Result<()> {
    let mut url = Url::parse(database).context("GUILDHALL_DATABASE_URL is no URL")?;
    let mut command = Command::new(program(name));
    if let Some(password) = url.password() {
        // Not among the arguments, which every user of the machine can read.
        command.env("PGPASSWORD", decoded(password));
        let _cannot_have_one = url.set_password(None);
    }
    command.args(args).arg("--dbname").arg(url.as_str()).stdin(Stdio::null()).kill_on_drop(true);
    let ended = match command.output().await {
        Ok(ended) => ended,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "`{name}` is not on this machine: install the client programs of Postgres (Debian: postgresql-client), or run \
             `{name} {} --dbname URL` where they are",
            args.join(" ")
        ),
        Err(error) => return Err(error).with_context(|| format!("cannot run `{name}`")),
    };
    if !ended.status.success() {
        bail!("`{name}` failed: {}", String::from_utf8_lossy(&ended.stderr).trim());
    }
    Ok(())
}

/// The newest version, which also knows older servers.
fn program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let number = |folder: &Path| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let found = versions.filter_map(|version| {
        let program = version.path().join("bin").join(name);
        program.is_file().then_some((number(&version.path())?, program))
    });
    found.max().map_or_else(|| name.into(), |(_, program)| program)
}

/// A part of a URL without its percent signs.
fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_decoded() {
        for (part, password) in [("secret", "secret"), ("a%40b%25", "a@b%"), ("a+b", "a+b")] {
            assert_eq!(decoded(part), password);
        }
    }
}
