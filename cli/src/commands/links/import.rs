//! `guildhall links import`: imports links from a file, all or none.

use anyhow::bail;
use jobs::link_import::{self, MergeError, Merged};
use jobs::linking::Linking;

use super::export_file;
use crate::input::Input;
use crate::operator::{GuildArgs, operator};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The CSV or JSON file; `-` for standard input
    #[arg(value_name = "FILE")]
    file: Input,
    #[command(flatten)]
    guild: GuildArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let (guild, file) = (args.guild.guild, args.file.clone());
    let rows = tokio::task::spawn_blocking(move || export_file::read(&file)).await??;
    if !rows.ignored.is_empty() {
        output::note(&format!("not used: {}", rows.ignored.join(", ")));
    }
    let mut unit = args.guild.begin().await?;
    entities::bulk::prepare(unit.tx()).await?;
    let mut linking = Linking::begin(&mut unit, guild, operator()).await?;
    let merged = match link_import::import(&mut linking, &rows.links).await {
        Ok(merged) => merged,
        Err(MergeError::Conflict { index, what }) => {
            let line = rows.lines.get(index).copied().unwrap_or_default();
            bail!("{}: line {line}: {what}; nothing was imported", args.file)
        }
        Err(MergeError::Database(error)) => return Err(error.into()),
    };
    entities::bulk::finish(unit.tx()).await?;
    unit.commit().await?;
    output::print(&report(rows.links.len(), merged))
}

fn report(rows: usize, merged: Merged) -> String {
    let Merged { new, changed, unchanged, .. } = merged;
    format!("{}: {new} new, {changed} changed, {unchanged} unchanged", output::count(rows, "link"))
}

#[cfg(test)]
mod tests {
    use entities::{ChatId, GuildId, PlayId, Timestamp, link};
    use jobs::link_import::{Conflict, Incoming, merge};

    use super::*;

    fn link(chat: i64, play: i64) -> Incoming {
        Incoming {
            chat_id: ChatId::try_from(chat).unwrap(),
            play_id: PlayId::try_from(play).unwrap(),
            play_username: "n".to_owned(),
            verified_at: None,
        }
    }

    fn time(seconds: i64) -> Timestamp {
        chrono::DateTime::from_timestamp(1_700_000_000 + seconds, 0).unwrap()
    }

    async fn database(folder: &tempfile::TempDir) -> runtime::Database {
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let database = runtime::Database::connect(&url, &runtime::DatabaseOptions::default()).await.unwrap();
        migrations::apply(database.write().unbounded()).await.unwrap();
        let now = time(0);
        let guild = crate::operator::new_guild(GuildId::try_from(7).unwrap(), "g".to_owned(), false, now);
        entities::guild::upsert(database.write(), guild).await.unwrap();
        database
    }

    #[tokio::test]
    async fn only_what_differs_is_written_and_a_taken_game_account_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(&folder).await;
        let (conn, guild) = (database.write(), GuildId::try_from(7).unwrap());
        let first: Vec<Incoming> = (1..=1_500).map(|n| link(n, n)).collect();
        let merged = merge(conn, guild, &first, time(1)).await.unwrap();
        assert_eq!(merged, Merged { new: 1_500, ..Merged::default() });
        assert_eq!(
            merge(conn, guild, &first, time(2)).await.unwrap(),
            Merged { unchanged: 1_500, ..Merged::default() }
        );
        let second =
            merge(conn, guild, &[link(1, 2_000), link(2, 2), link(3_000, 3_000)], time(3)).await.unwrap();
        assert_eq!((second.new, second.changed, second.unchanged), (1, 1, 1));
        let replaced: Vec<_> =
            second.replaced.iter().map(|(before, after)| (before.play_id, after.play_id)).collect();
        assert_eq!(replaced, [(first[0].play_id, PlayId::try_from(2_000).unwrap())]);
        let since = link::find_by_chats(conn, guild, &[first[0].chat_id, first[1].chat_id]).await.unwrap();
        assert_eq!(
            [since[0].verified_at, since[1].verified_at],
            [time(3), time(1)],
            "a new pair counts from now"
        );
        let mut third: Vec<Incoming> = (4_000..5_200).map(|n| link(n, n)).collect();
        third.push(link(9_999, 2));
        let what =
            Conflict::PlayTaken { play: PlayId::try_from(2).unwrap(), chat: ChatId::try_from(2).unwrap() };
        let refused = merge(conn, guild, &third, time(4)).await.unwrap_err();
        assert_eq!(refused, MergeError::Conflict { index: 1_200, what });
        database.close().await;
    }
}
