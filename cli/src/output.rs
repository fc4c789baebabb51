//! What commands print: results on standard output, everything else on standard error.
//!
//! Cells of a table are printed without control characters, so that a name in the database cannot control the terminal.

use std::io::{ErrorKind, Write};

use entities::Timestamp;

/// Writes a result. A reader that has closed the pipe (`| head`) is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a result that must not be lost: a closed pipe, a closed output and /dev/null are errors.
pub(crate) fn deliver(text: &str) -> std::io::Result<()> {
    if is_discarded() {
        return Err(std::io::Error::other("standard output is closed or /dev/null"));
    }
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The Rust runtime opens /dev/null where a program is started without standard output.
#[cfg(target_os = "linux")]
fn is_discarded() -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &str| std::fs::metadata(path).map(|file| file.rdev()).ok();
    device("/proc/self/fd/1").is_none_or(|out| device("/dev/null") == Some(out))
}

#[cfg(not(target_os = "linux"))]
fn is_discarded() -> bool {
    false
}

/// Writes one line on standard error.
pub(crate) fn note(text: &str) {
    let line: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // If standard error is closed, the failure cannot be reported.
    let _ = writeln!(std::io::stderr(), "{}", line.join("; "));
}

/// Columns under a header, as wide as their widest cell.
pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let rows = rows.into_iter().map(|row| row.map(|cell| plain(&cell)));
    let rows: Vec<_> = std::iter::once(header.map(str::to_uppercase)).chain(rows).collect();
    let width = |n: usize| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// A time as the API writes it: UTC, whole seconds.
pub(crate) fn time(at: Timestamp) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(crate) fn time_or_dash(at: Option<Timestamp>) -> String {
    or_dash(at.map(time))
}

pub(crate) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

pub(crate) fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

/// `1 link`, `2 links`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_control_characters_are_shown_as_question_marks() {
        let rows = [["1".into(), "a\u{1b}[2Jb".into()], ["1234".into(), "é".into()]];
        assert_eq!(table(["id", "name"], rows), "ID    NAME\n1     a?[2Jb\n1234  é");
    }
}
