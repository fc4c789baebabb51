//! Fuzz targets: a parser gets valid texts with some edits, which reach further than random bytes, for a second or for as
//! long as `BOLERO_RANDOM_TEST_TIME_MS` says.

use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

use bolero::TypeGenerator;

/// Edits of one input.
const MAX_EDITS: usize = 12;
/// Parts that parsers expect, or fail on.
const PARTS: [&[u8]; 20] = [
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"1e309",
    b"-0",
    b"18446744073709551616",
    b"0",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"%",
    b"2026-02-30T25:61:61Z",
];

#[derive(Debug, TypeGenerator)]
enum Edit {
    Set { at: u16, byte: u8 },
    Insert { at: u16, part: u8 },
    Remove { at: u16, length: u8 },
    Repeat { at: u16, length: u8, to: u16 },
    Cut { at: u16 },
}

#[derive(Debug, TypeGenerator)]
struct Edited {
    base: u8,
    edits: Vec<Edit>,
}

/// Calls `check` with edited `bases`. It must not panic, and returns how many inputs were accepted.
pub fn fuzz(name: &str, bases: &[&[u8]], check: impl Fn(&[u8]) -> bool + RefUnwindSafe) {
    let (inputs, accepted) = (AtomicU64::new(0), AtomicU64::new(0));
    let bases: Vec<Vec<u8>> = bases.iter().map(|base| base.to_vec()).collect();
    bolero::check!().with_type::<Edited>().for_each(|edited| {
        inputs.fetch_add(1, Ordering::Relaxed);
        accepted.fetch_add(u64::from(check(&edited.apply(&bases))), Ordering::Relaxed);
    });
    println!("{name}: {} inputs, {} accepted", inputs.into_inner(), accepted.into_inner());
}

impl Edited {
    fn apply(&self, bases: &[Vec<u8>]) -> Vec<u8> {
        let mut text = bases[usize::from(self.base) % bases.len()].clone();
        for edit in self.edits.iter().take(MAX_EDITS) {
            edit.apply(&mut text);
        }
        text
    }
}

impl Edit {
    fn apply(&self, text: &mut Vec<u8>) {
        let within = |at: u16, text: &[u8]| usize::from(at) % (text.len() + 1);
        let span = |at: u16, length: u8, text: &[u8]| {
            let start = within(at, text);
            start..(start + usize::from(length)).min(text.len())
        };
        match *self {
            Self::Set { at, byte } => {
                let at = within(at, text);
                text.splice(at..(at + 1).min(text.len()), [byte]);
            }
            Self::Insert { at, part } => {
                let (at, part) = (within(at, text), PARTS[usize::from(part) % PARTS.len()]);
                text.splice(at..at, part.iter().copied());
            }
            Self::Remove { at, length } => drop(text.drain(span(at, length, text))),
            Self::Repeat { at, length, to } => {
                let (copied, to) = (text[span(at, length, text)].to_vec(), within(to, text));
                text.splice(to..to, copied);
            }
            Self::Cut { at } => text.truncate(within(at, text)),
        }
    }
}
