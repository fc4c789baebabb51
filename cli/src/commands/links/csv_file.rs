//! The CSV file of `links import`: every mistake is named by line and column, with what stands there.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, anyhow, bail};
use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};
use entities::{ChatId, PlayId, Timestamp};

use crate::fixture::{checked_name, checked_time};

const COLUMNS: &str = "chat_id,play_id,play_username and, optionally, verified_at";
/// What is repeated of a wrong value, characters.
const QUOTED: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) chat_id: ChatId,
    pub(super) play_id: PlayId,
    pub(super) play_username: String,
    /// `None`: now.
    pub(super) verified_at: Option<Timestamp>,
}

/// Where each column stands.
struct Columns {
    chat_id: usize,
    play_id: usize,
    play_username: usize,
    verified_at: Option<usize>,
}

pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(file).with_context(|| path.display().to_string())
}

fn parse(input: impl Read) -> anyhow::Result<Vec<Row>> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(input);
    let columns = Columns::find(reader.headers().map_err(explain)?)?;
    rows(&mut reader, &columns)
}

fn rows(reader: &mut Reader<impl Read>, columns: &Columns) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(explain)? {
        let line = record.position().map_or(0, csv::Position::line);
        let row = row(&record, columns, line);
        rows.push(row.map_err(|what| anyhow!("line {line}, column {what}"))?);
    }
    Ok(rows)
}

impl Columns {
    fn find(header: &StringRecord) -> anyhow::Result<Self> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let required = |name: &str| {
            place(name).with_context(|| {
                let line: Vec<_> = header.iter().collect();
                format!(
                    "line 1 names no column {name}; it must name {COLUMNS}, with commas between, but is {}",
                    quoted(&line.join(","))
                )
            })
        };
        let columns = Self {
            chat_id: required("chat_id")?,
            play_id: required("play_id")?,
            play_username: required("play_username")?,
            verified_at: place("verified_at"),
        };
        if let Some(unknown) = header.iter().find(|name| !Self::KNOWN.contains(name)) {
            bail!("line 1 names the unknown column {}; columns are {COLUMNS}", quoted(unknown));
        }
        Ok(columns)
    }

    const KNOWN: [&str; 4] = ["chat_id", "play_id", "play_username", "verified_at"];
}

fn row(record: &StringRecord, columns: &Columns, line: u64) -> Result<Row, String> {
    let cell = |at: usize| record.get(at).unwrap_or_default();
    let verified_at = match columns.verified_at.map(cell) {
        None | Some("") => None,
        Some(text) => Some(checked_time(text).map_err(|what| format!("verified_at: {what}"))?),
    };
    let name = cell(columns.play_username);
    Ok(Row {
        line,
        chat_id: id("chat_id", cell(columns.chat_id))?,
        play_id: id("play_id", cell(columns.play_id))?,
        play_username: checked_name(name).map_err(|what| format!("play_username: {what}; it is {}", quoted(name)))?,
        verified_at,
    })
}

fn id<T: FromStr<Err = entities::IdError>>(column: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{column}: {error}; it is {}", quoted(text)))
}

/// The first characters of what was sent, made safe to print.
fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED).collect();
    if start.len() < text.len() { format!("{start:?}...") } else { format!("{start:?}") }
}

fn explain(error: csv::Error) -> anyhow::Error {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            anyhow!("line {line} has {len} columns, the first line has {expected_len}")
        }
        ErrorKind::Utf8 { err, .. } => anyhow!("line {line}, column {}: is not UTF-8", err.field() + 1),
        ErrorKind::Io(cause) => anyhow!("cannot be read: {cause}"),
        _ => anyhow!("line {line}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<Vec<Row>, String> {
        parse(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_found_by_name_and_a_byte_order_mark_is_skipped() {
        let text = "\u{feff}play_id,chat_id,play_username,verified_at\r\n5,17,\"a, b\",2026-04-12T20:33:21+02:00\r\n6, 18 ,c,\r\n";
        let rows = parse_text(text).unwrap();
        let time = "2026-04-12T18:33:21Z".parse::<Timestamp>().unwrap();
        let row = |line, chat: &str, play: &str, name: &str, verified_at| Row {
            line,
            chat_id: chat.parse().unwrap(),
            play_id: play.parse().unwrap(),
            play_username: name.to_owned(),
            verified_at,
        };
        assert_eq!(rows, [row(2, "17", "5", "a, b", Some(time)), row(3, "18", "6", "c", None)]);
        assert_eq!(parse_text("chat_id,play_id,play_username\n").unwrap(), []);
    }

    #[test]
    fn mistakes_name_line_and_column_and_what_stands_there() {
        let head = "chat_id,play_id,play_username,verified_at\n1,1,a,\n";
        for (line, expected) in [
            ("x7,2,b,", "line 3, column chat_id: must be a string of digits without sign or leading zero that fits 63 bits; it is \"x7\""),
            ("2,-2,b,", "line 3, column play_id: must be a positive integer (or the same as a digit string) that fits 63 bits; it is \"-2\""),
            ("2,2,,", "line 3, column play_username: must be a text of 1 to 1000 characters without control characters; it is \"\""),
            ("2,2,b,today", "line 3, column verified_at: is \"today\", expected a time such as 2026-04-12T18:33:21Z"),
            ("2,2,b", "line 3 has 3 columns, the first line has 4"),
        ] {
            assert_eq!(parse_text(&format!("{head}{line}\n")).unwrap_err(), expected);
        }
        // A line break inside quotes does not shift the count.
        let shifted = parse_text("chat_id,play_id,play_username\n1,1,\"a\"\n\n2,2,b\n3,3,c\n4,,d\n").unwrap_err();
        assert!(shifted.starts_with("line 6, column play_id"), "{shifted}");
    }

    #[test]
    fn a_wrong_head_or_encoding_is_explained() {
        let head = parse_text("chat_id;play_id;play_username\n1;2;a\n").unwrap_err();
        assert!(head.contains("line 1 names no column chat_id") && head.contains("with commas between"), "{head}");
        let typo = parse_text("chat_id,play_id,play_username,verified\n").unwrap_err();
        assert!(typo.contains("unknown column \"verified\""), "{typo}");
        assert!(parse_text("").unwrap_err().contains("line 1 names no column"));
        let latin = parse(&b"chat_id,play_id,play_username\n1,2,a\n3,4,b\xe9\n"[..]).unwrap_err().to_string();
        assert_eq!(latin, "line 3, column 3: is not UTF-8");
    }
}
