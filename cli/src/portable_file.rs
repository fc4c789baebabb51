//! The file of `export` and `import`: JSON Lines. The first line names the guild, then there is one for each row, in
//! the order of [`portable::tables`], and the last one counts them.

mod batch;
mod scratch;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use entities::GuildId;
use entities::portable::{Row, Shifts, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) use batch::Batch;
use scratch::Scratch;

/// Of the format. Another number is another format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    guildhall_export: u32,
    pub(crate) guild_id: GuildId,
    /// Of the audit log; for whoever keeps the file.
    newest_hash: Option<String>,
    newest_sync_hash: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    pub(crate) rows: u64,
}

impl Head {
    pub(crate) fn new(guild_id: GuildId, [newest_hash, newest_sync_hash]: [Option<String>; 2]) -> Self {
        Self { guildhall_export: FORMAT, guild_id, newest_hash, newest_sync_hash }
    }
}

/// A file that was read to its end and can be imported.
pub(crate) struct Checked {
    pub(crate) guild: GuildId,
    pub(crate) hash: Vec<u8>,
    pub(crate) rows: u64,
    /// The serial ids of each table, in their order.
    pub(crate) ids: BTreeMap<&'static str, Vec<i64>>,
}

/// Reads the whole file, and tries its rows. An error names the line and the field.
pub(crate) async fn check(path: &Path, tables: &[Table]) -> anyhow::Result<Checked> {
    let mut lines = Lines::open(path, tables)?;
    let scratch = Scratch::open().await?;
    let checked = read(&mut lines, &scratch).await;
    scratch.close().await;
    checked
}

async fn read(lines: &mut Lines<'_>, scratch: &Scratch) -> anyhow::Result<Checked> {
    let (tables, mut hash) = (lines.tables, Sha256::new());
    let mut checked = Checked { guild: lines.guild, hash: Vec::new(), rows: 0, ids: BTreeMap::new() };
    hash.update(&lines.line);
    let (mut last, mut batch) = (0, Batch::default());
    while let Some((index, row)) = lines.next()? {
        hash.update(&lines.line);
        let table = &tables[index];
        if index < last {
            bail!(lines.wrong(&format!("a row of `{}` comes too late", table.name)));
        }
        if index != last || batch.is_full() {
            attempt(scratch, &tables[last], std::mem::take(&mut batch), lines).await?;
        }
        last = index;
        let values = table.values(checked.guild, &row, &Shifts::default());
        batch.push(lines.number, values.map_err(|problem| lines.wrong(&problem))?);
        if let Some(id) = table.serial.and_then(|id| integer(&row[id])) {
            checked.ids.entry(table.name).or_default().push(id);
        }
        checked.rows += 1;
    }
    if lines.end.is_none_or(|rows| rows == 0 || rows != checked.rows) {
        bail!(lines.wrong("the file is not complete"));
    }
    attempt(scratch, &tables[last], batch, lines).await?;
    hash.update(&lines.line);
    checked.hash = hash.finalize().to_vec();
    Ok(checked)
}

async fn attempt(scratch: &Scratch, table: &Table, batch: Batch, lines: &Lines<'_>) -> anyhow::Result<()> {
    let tried = scratch.insert(table, &batch).await;
    tried.map_err(|(line, error)| lines.wrong_at(line, &error.to_string()))
}

/// An id, which is a text if it is large.
fn integer(json: &Value) -> Option<i64> {
    json.as_i64().or_else(|| json.as_str()?.parse().ok())
}

/// The rows of a file, each with the index of its table.
pub(crate) struct Lines<'a> {
    reader: BufReader<File>,
    tables: &'a [Table],
    name: String,
    number: usize,
    line: Vec<u8>,
    guild: GuildId,
    /// Of the last line.
    end: Option<u64>,
}

impl<'a> Lines<'a> {
    pub(crate) fn open(path: &Path, tables: &'a [Table]) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).with_context(|| format!("cannot read {name}"))?;
        let head: Head =
            serde_json::from_slice(&line).map_err(|_| anyhow!("{name} is no file of `guildhall export`"))?;
        if head.guildhall_export != FORMAT {
            bail!("{name} has the format {}, this program reads {FORMAT}", head.guildhall_export);
        }
        Ok(Self { reader, tables, name, number: 1, line, guild: head.guild_id, end: None })
    }

    /// `None` after the last row.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<(usize, Row)>> {
        self.line.clear();
        self.number += 1;
        let read = self.reader.read_until(b'\n', &mut self.line);
        if read.with_context(|| format!("cannot read {}", self.name))? == 0 {
            return Ok(None);
        }
        let line: Row = serde_json::from_slice(&self.line).map_err(|error| self.wrong(&error.to_string()))?;
        let mut fields = line.into_iter();
        match (fields.next(), fields.next()) {
            (Some((name, Value::Object(end))), None) if name == "end" => {
                let end: End = serde_json::from_value(Value::Object(end))
                    .map_err(|error| self.wrong(&error.to_string()))?;
                self.end = Some(end.rows);
                Ok(None)
            }
            (Some((name, Value::Object(row))), None) => {
                let index = self.tables.iter().position(|table| table.name == name);
                let index = index.ok_or_else(|| self.wrong(&format!("`{name}` is no table of an export")))?;
                Ok(Some((index, row)))
            }
            _ => bail!(self.wrong("a line is an object with one table")),
        }
    }

    /// Of the last line that was read.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    pub(crate) fn wrong(&self, problem: &str) -> anyhow::Error {
        self.wrong_at(self.number, problem)
    }

    pub(crate) fn wrong_at(&self, line: usize, problem: &str) -> anyhow::Error {
        anyhow!("{}, line {line}: {problem}", self.name)
    }
}

/// A line of the file.
pub(crate) fn line(table: &str, row: impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&BTreeMap::from([(table, row)]))?;
    line.push(b'\n');
    Ok(line)
}
