//! The file of `links import`. Errors name line and column, and quote the start of the value.

use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use jobs::bot_export::{Export, Line, Sheet};
use jobs::link_import::Incoming;

use crate::fields;
use crate::input::Input;

/// How much of a wrong value an error quotes, characters.
const QUOTED_CHARS: usize = 40;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) links: Vec<Incoming>,
    /// The line in the file of each link.
    pub(super) lines: Vec<u64>,
    /// Columns that were not recognized.
    pub(super) ignored: Vec<String>,
}

pub(super) fn read(file: &Input) -> anyhow::Result<Rows> {
    parse(&file.read()?).with_context(|| file.to_string())
}

fn parse(text: &[u8]) -> anyhow::Result<Rows> {
    let export =
        Sheet::read(text).and_then(|sheet| Export::of(&sheet)).map_err(|problem| anyhow!(problem))?;
    let mut rows = Rows { ignored: export.ignored, ..Rows::default() };
    for line in export.lines {
        let number = line.number;
        rows.links.push(link(line).map_err(|what| anyhow!("line {number}, column {what}"))?);
        rows.lines.push(number);
    }
    Ok(rows)
}

fn link(line: Line) -> Result<Incoming, String> {
    let verified_at = match line.verified_at.as_str() {
        "" => None,
        text => Some(fields::time(text).map_err(|what| format!("verified_at: {what}"))?),
    };
    let name = &line.play_username;
    let wrong_name = |what| format!("play_username: {what}; it is {}", quoted(name));
    Ok(Incoming {
        chat_id: id("chat_id", &line.chat_id)?,
        play_id: id("play_id", &line.play_id)?,
        play_username: fields::name(name).map_err(wrong_name)?,
        verified_at,
    })
}

fn id<T: FromStr<Err = entities::IdError>>(column: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{column}: {error}; it is {}", quoted(text)))
}

/// The first characters of a value, escaped for printing.
fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED_CHARS).collect();
    if start.len() < text.len() { format!("{start:?}...") } else { format!("{start:?}") }
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
    fn a_file_without_names_or_ids_is_explained() {
        let head = parse_text("chat_id,play_id\n1,2\n").unwrap_err();
        assert!(head.starts_with("line 2, column play_username"), "{head}");
        assert_eq!(parse_text("chat_id;play_id;username;note\n1;2;a;x\n").unwrap().ignored, ["note"]);
        assert!(parse_text("").unwrap_err().contains("empty"));
    }
}
