//! `pg_dump`, `pg_restore` and `psql`: Postgres' own programs know how to copy it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::{Context as _, bail};
use percent_encoding::percent_decode_str;
use reqwest::Url;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Where Debian keeps the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Runs it on the database of this URL.
pub(crate) async fn run(name: &str, database: &str, args: &[&str]) -> anyhow::Result<()> {
    let mut command = on(database, name)?;
    command.args(args).stdin(Stdio::null());
    let elsewhere = format!(", or run `{name} {} --dbname URL` where they are", args.join(" "));
    let child = started(name, &mut command, &elsewhere)?;
    succeeded(name, &child.wait_with_output().await?)
}

/// Runs what `pg_restore` with these arguments reads as SQL, between `before` and `after`, on the database of this URL. `after`
/// only comes if the file was read to its end: a transaction that it commits takes place as a whole or not at all.
pub(crate) async fn restore(database: &str, args: &[&str], before: &str, after: &str) -> anyhow::Result<()> {
    let mut command = Command::new(program("pg_restore"));
    command.args(["--file", "-"]).args(args).stdin(Stdio::null());
    let mut reader = started("pg_restore", &mut command, "")?;
    let mut command = on(database, "psql")?;
    let strict = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--set", "SHOW_CONTEXT=never"];
    command.args(strict).stdin(Stdio::piped());
    let mut writer = started("psql", &mut command, "")?;
    let (Some(script), Some(input)) = (reader.stdout.take(), writer.stdin.take()) else {
        bail!("`psql` cannot be given the file");
    };
    let feed = async {
        let (piped, read) = tokio::join!(pipe(script, input, before), reader.wait_with_output());
        let mut input = piped?;
        succeeded("pg_restore", &read?)?;
        input.write_all(after.as_bytes()).await?;
        anyhow::Ok(())
    };
    let (fed, written) = tokio::join!(feed, writer.wait_with_output());
    let written = succeeded("psql", &written?);
    match fed {
        // A part of the file is also an error for `psql`.
        Err(error) if !error.is::<io::Error>() => Err(error),
        // `psql` says why it reads no more.
        fed => written.and(fed),
    }
}

/// Gives the input back, which ends where it is dropped.
async fn pipe(mut script: ChildStdout, mut input: ChildStdin, before: &str) -> io::Result<ChildStdin> {
    input.write_all(before.as_bytes()).await?;
    tokio::io::copy(&mut script, &mut input).await?;
    Ok(input)
}

/// The program, with the database of this URL.
fn on(database: &str, name: &str) -> anyhow::Result<Command> {
    let mut url = Url::parse(database).context("GUILDHALL_DATABASE_URL is no URL")?;
    let mut command = Command::new(program(name));
    if let Some(password) = url.password() {
        // Not among the arguments, which every user of the machine can read.
        command.env("PGPASSWORD", decoded(password));
        let _cannot_have_one = url.set_password(None);
    }
    command.arg("--dbname").arg(url.as_str());
    Ok(command)
}

/// `elsewhere` is what to do instead of installing it.
fn started(name: &str, command: &mut Command, elsewhere: &str) -> anyhow::Result<Child> {
    match command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
            "`{name}` is not on this machine: install the client programs of Postgres (Debian: postgresql-client){elsewhere}"
        ),
        child => child.with_context(|| format!("cannot run `{name}`")),
    }
}

fn succeeded(name: &str, ended: &Output) -> anyhow::Result<()> {
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
