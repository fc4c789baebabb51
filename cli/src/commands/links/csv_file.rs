//! The CSV file of `links import`. Errors name line and column, and quote the start of the value.

use std::io::Read as _;
use std::str::FromStr;

use anyhow::{Context as _, anyhow, bail};
use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};

use crate::fields;
use crate::input::Input;
use crate::links::Incoming;

const COLUMNS: &str = "chat_id,play_id,play_username and, optionally, verified_at";
/// Spreadsheets write it before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// How much of a wrong value an error quotes, characters.
const QUOTED_CHARS: usize = 40;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) links: Vec<Incoming>,
    /// The line in the file of each link.
    pub(super) lines: Vec<u64>,
}

struct Columns {
    chat_id: usize,
    play_id: usize,
    play_username: usize,
    verified_at: Option<usize>,
}

pub(super) fn read(file: &Input) -> anyhow::Result<Rows> {
    let mut text = Vec::new();
    file.open()?.read_to_end(&mut text).with_context(|| format!("cannot read {file}"))?;
    parse(&text).with_context(|| file.to_string())
}

fn parse(text: &[u8]) -> anyhow::Result<Rows> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text);
    let columns = Columns::find(reader.headers().map_err(|error| explain(&error, text))?)?;
    let mut rows = Rows::default();
    let mut record = StringRecord::new();
    let mut lines = Lines::of(text);
    while reader.read_record(&mut record).map_err(|error| explain(&error, text))? {
        let line = lines.of_record(record.position());
        let link = columns.link(&record);
        rows.links.push(link.map_err(|what| anyhow!("line {line}, column {what}"))?);
        rows.lines.push(line);
    }
    Ok(rows)
}

/// Line numbers as an editor shows them. The CSV reader's own are too low after blank lines and Windows line ends.
struct Lines<'a> {
    text: &'a [u8],
    /// Line numbers are counted up to this byte.
    counted: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { text, counted: 0, line: 1 }
    }

    /// Positions must ascend.
    fn of_record(&mut self, position: Option<&Position>) -> u64 {
        let start = position.map_or(0, |at| usize::try_from(at.byte()).unwrap_or(usize::MAX));
        // The reader counts the rest of the previous line ending as part of the record.
        let rest = self.text.iter().skip(start);
        let start = start + rest.take_while(|byte| b"\r\n".contains(byte)).count();
        let passed = self.text.get(self.counted..start).unwrap_or_default();
        // A carriage return alone ends a line too, as old spreadsheets write it.
        let ends =
            |at: usize| passed[at] == b'\n' || (passed[at] == b'\r' && passed.get(at + 1) != Some(&b'\n'));
        let lines = (0..passed.len()).filter(|at| ends(*at)).count();
        self.line += u64::try_from(lines).unwrap_or(0);
        self.counted = start;
        self.line
    }
}

impl Columns {
    fn find(header: &StringRecord) -> anyhow::Result<Self> {
        let position = |name: &str| header.iter().position(|column| column == name);
        let required = |name: &str| {
            position(name).with_context(|| {
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
            verified_at: position("verified_at"),
        };
        if let Some(unknown) = header.iter().find(|name| !Self::KNOWN.contains(name)) {
            bail!("line 1 names the unknown column {}; columns are {COLUMNS}", quoted(unknown));
        }
        Ok(columns)
    }

    fn link(&self, record: &StringRecord) -> Result<Incoming, String> {
        let cell = |at: usize| record.get(at).unwrap_or_default();
        let verified_at = match self.verified_at.map(cell) {
            None | Some("") => None,
            Some(text) => Some(fields::time(text).map_err(|what| format!("verified_at: {what}"))?),
        };
        let name = cell(self.play_username);
        let wrong_name = |what| format!("play_username: {what}; it is {}", quoted(name));
        Ok(Incoming {
            chat_id: id("chat_id", cell(self.chat_id))?,
            play_id: id("play_id", cell(self.play_id))?,
            play_username: fields::name(name).map_err(wrong_name)?,
            verified_at,
        })
    }

    const KNOWN: [&str; 4] = ["chat_id", "play_id", "play_username", "verified_at"];
}

fn id<T: FromStr<Err = entities::IdError>>(column: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{column}: {error}; it is {}", quoted(text)))
}

/// The first characters of a value, escaped for printing.
fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED_CHARS).collect();
    if start.len() < text.len() { format!("{start:?}...") } else { format!("{start:?}") }
}

fn explain(error: &csv::Error, text: &[u8]) -> anyhow::Error {
    let line = Lines::of(text).of_record(error.position());
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

    fn parse_text(text: &str) -> Result<Rows, String> {
        parse(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn csv() {
        let valid = b"play_id,chat_id,play_username,verified_at\r\n5,17,\"a, b\",2026-04-12T20:33:21+02:00\r\n6, 18 ,c,\r\n";
        testkit::fuzz("CSV", &[valid], |bytes| match parse(bytes) {
            Ok(rows) => {
                assert_eq!(rows.links.len(), rows.lines.len());
                rows.lines.windows(2).for_each(|pair| assert!(pair[0] < pair[1], "{pair:?}"));
                true
            }
            Err(error) => {
                assert!(error.to_string().contains("line") || error.to_string().contains("empty"), "{error}");
                false
            }
        });
    }

    #[test]
    fn columns_are_found_by_name_and_a_byte_order_mark_is_skipped() {
        let text = "\u{feff}play_id,chat_id,play_username,verified_at\r\n5,17,\"a, b\",2026-04-12T20:33:21+02:00\r\n6, 18 ,c,\r\n";
        let rows = parse_text(text).unwrap();
        let time = "2026-04-12T18:33:21Z".parse().unwrap();
        let link = |chat: &str, play: &str, name: &str, verified_at| Incoming {
            chat_id: chat.parse().unwrap(),
            play_id: play.parse().unwrap(),
            play_username: name.to_owned(),
            verified_at,
        };
        assert_eq!(rows.links, [link("17", "5", "a, b", Some(time)), link("18", "6", "c", None)]);
        assert_eq!(rows.lines, [2, 3]);
        assert_eq!(parse_text("chat_id,play_id,play_username\n").unwrap(), Rows::default());
    }

    #[test]
    fn mistakes_name_line_column_and_value() {
        let head = "chat_id,play_id,play_username,verified_at\n1,1,a,\n";
        for (line, expected) in [
            (
                "x7,2,b,",
                "line 3, column chat_id: must be a string of digits without sign or leading zero that fits 63 bits; it is \"x7\"",
            ),
            (
                "2,-2,b,",
                "line 3, column play_id: must be a positive integer (or the same as a digit string) that fits 63 bits; it is \"-2\"",
            ),
            (
                "2,2,,",
                "line 3, column play_username: must be a text of 1 to 1000 characters without control characters; it is \"\"",
            ),
            (
                "2,2,b,today",
                "line 3, column verified_at: is \"today\", expected a time such as 2026-04-12T18:33:21Z",
            ),
            ("2,2,b", "line 3 has 3 columns, the first line has 4"),
        ] {
            assert_eq!(parse_text(&format!("{head}{line}\n")).unwrap_err(), expected);
        }
        let blank = parse_text("chat_id,play_id,play_username\r\n1,1,\"a\"\r\n\r\n\r\n2,,b\r\n").unwrap_err();
        assert!(blank.starts_with("line 5, column play_id"), "{blank}");
        let old = parse_text("chat_id,play_id,play_username\r1,1,a\r2,,b\r").unwrap_err();
        assert!(old.starts_with("line 3, column play_id"), "{old}");
        let shifted = parse_text("chat_id,play_id,play_username\n1,1,\"a\"\n\n2,2,b\n3,3\n").unwrap_err();
        assert!(shifted.starts_with("line 5 has 2 columns"), "{shifted}");
    }

    #[test]
    fn a_wrong_head_or_encoding_is_explained() {
        let head = parse_text("chat_id;play_id;play_username\n1;2;a\n").unwrap_err();
        assert!(
            head.contains("line 1 names no column chat_id") && head.contains("with commas between"),
            "{head}"
        );
        let typo = parse_text("chat_id,play_id,play_username,verified\n").unwrap_err();
        assert!(typo.contains("unknown column \"verified\""), "{typo}");
        assert!(parse_text("").unwrap_err().contains("line 1 names no column"));
        let latin = parse(&b"chat_id,play_id,play_username\n1,2,a\n3,4,b\xe9\n"[..]).unwrap_err().to_string();
        assert_eq!(latin, "line 3, column 3: is not UTF-8");
    }
}
