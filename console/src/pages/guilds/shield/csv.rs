//! Flags from a pasted file: a line for each player, `play_id,reason`.

use entities::PlayId;

/// Flags of one file (docs/rules.md 3).
const LINES_MAX: usize = 10_000;
/// Characters of a reason.
const REASON_MAX: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) play: PlayId,
    pub(super) reason: String,
}

/// The lines of a file; or the error, with the number of the line. A first line of column names is skipped.
pub(super) fn read(text: &str) -> Result<Vec<Line>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut read = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (id, reason) = line.split_once(',').unwrap_or((line, ""));
        let (id, reason) = (unquoted(id), unquoted(reason));
        if at == 0 && id.eq_ignore_ascii_case("play_id") {
            continue;
        }
        let wrong = |what: &str| format!("Line {}: {what}", at + 1);
        let play =
            id.parse().map_err(|_| wrong(&format!("{id:?} is not a Roblox id: those have digits only.")))?;
        if reason.is_empty() {
            return Err(wrong("the reason is missing: write play_id,reason."));
        }
        if reason.chars().count() > REASON_MAX {
            return Err(wrong(&format!("the reason has more than {REASON_MAX} characters.")));
        }
        read.push(Line { play, reason });
        if read.len() > LINES_MAX {
            return Err(format!("The file has more than {LINES_MAX} lines. Import it in several parts."));
        }
    }
    if read.is_empty() { Err("There is no line to import.".to_owned()) } else { Ok(read) }
}

/// The line as a file has it.
pub(super) fn written(line: &Line) -> String {
    format!("{},\"{}\"\n", line.play, line.reason.replace('"', "\"\""))
}

/// A cell without its quotes; doubled quotes inside are one.
fn unquoted(cell: &str) -> String {
    let cell = cell.trim();
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\"").trim().to_owned(),
        None => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_and_without_quotes_and_a_head() {
        let lines =
            read("\u{feff}play_id,reason\r\n7,exploiting\r\n\r\n\"8\",\"fly, \"\"hack\"\"\"\n").unwrap();
        let plain: Vec<_> = lines.iter().map(|line| (line.play.get(), line.reason.as_str())).collect();
        assert_eq!(plain, [(7, "exploiting"), (8, "fly, \"hack\"")]);
        assert_eq!(read(&lines.iter().map(written).collect::<String>()).unwrap(), lines);
    }

    #[test]
    fn a_problem_names_its_line() {
        let problem = |text: &str| read(text).unwrap_err();
        assert!(problem("7,a\n\nx,b").starts_with("Line 3: \"x\""));
        assert!(problem("7").starts_with("Line 1: the reason is missing"));
        assert!(problem(&format!("7,a\n8,{}", "é".repeat(1_001))).starts_with("Line 2: the reason has more"));
        assert_eq!(problem(" \nplay_id,reason").split(':').next(), Some("Line 2"));
        assert!(problem("").contains("no line"));
        assert!(problem(&"7,a\n".repeat(10_001)).contains("10000 lines"));
    }
}
