//! Exports in CSV, with commas, semicolons or tabs.

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};

use super::column::Column;
use super::sheet::{Sheet, SheetLine};

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

pub(super) fn read(text: &[u8]) -> Result<Sheet, String> {
    let mut reader =
        ReaderBuilder::new().trim(Trim::All).has_headers(false).delimiter(separator(text)).from_reader(text);
    let (mut sheet, mut lines) = (Sheet::default(), Lines::of(text));
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| explain(&error, text))? {
        let number = lines.of_record(record.position());
        if sheet.names.is_empty() {
            sheet.has_head = is_head(&record);
            let names = record.iter().zip(1..);
            let name = |(cell, place): (&str, u32)| {
                if sheet.has_head { cell.to_owned() } else { format!("column {place}") }
            };
            sheet.names = names.map(name).collect();
            if sheet.has_head {
                continue;
            }
        }
        sheet.lines.push(SheetLine::new(number, record.iter().map(str::to_owned).collect()));
    }
    Ok(sheet)
}

/// A line with a name that is known, or without any number.
fn is_head(record: &StringRecord) -> bool {
    let is_number = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    record.iter().any(|cell| Column::named(cell, "").is_some()) || !record.iter().any(is_number)
}

/// The one that the first line has most often.
fn separator(text: &[u8]) -> u8 {
    let first = text.split(|byte| b"\r\n".contains(byte)).find(|line| !line.trim_ascii().is_empty());
    let count = |separator: &u8| first.unwrap_or_default().split(|byte| byte == separator).count();
    // Of equal counts the last one wins.
    SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(b',')
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

fn explain(error: &csv::Error, text: &[u8]) -> String {
    let line = Lines::of(text).of_record(error.position());
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} has {len} columns, the first line has {expected_len}")
        }
        ErrorKind::Utf8 { err, .. } => format!("line {line}, column {}: is not UTF-8", err.field() + 1),
        _ => format!("line {line}: {error}"),
    }
}
