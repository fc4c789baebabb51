//! Parses the proxy's commands, one per line.

use std::str::FromStr;
use std::time::Duration;

use crate::proxy::plan::Way;

/// All commands, for a help text.
pub const ORDERS: &str = "\
latency MS          everything arrives MS milliseconds later, each way
latency MS MS       the same, to the target and to the client
cut BYTES           each connection ends after BYTES more bytes, either way
cut BYTES target    the same, counting only bytes to the target (or: client)
half-open           nothing passes and nothing ends; what was silenced stays so
reset               end all connections by RST; new ones are served
refuse              refuse new connections; those that are there go on
heal                fail no more
status              print what was counted";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Latency([Duration; 2]),
    Cut(Vec<Way>, u64),
    HalfOpen,
    Reset,
    Refuse,
    Heal,
    Status,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["latency", both] => milliseconds(both).map(|both| Self::Latency([both, both])),
            ["latency", target, client] => Ok(Self::Latency([milliseconds(target)?, milliseconds(client)?])),
            ["cut", bytes] => Ok(Self::Cut(Way::BOTH.to_vec(), number(bytes)?)),
            ["cut", bytes, "target"] => Ok(Self::Cut(vec![Way::ToTarget], number(bytes)?)),
            ["cut", bytes, "client"] => Ok(Self::Cut(vec![Way::ToClient], number(bytes)?)),
            ["half-open"] => Ok(Self::HalfOpen),
            ["reset"] => Ok(Self::Reset),
            ["refuse"] => Ok(Self::Refuse),
            ["heal"] => Ok(Self::Heal),
            ["status"] => Ok(Self::Status),
            _ => Err(format!("`{}` is not an order; these are:\n{ORDERS}", line.trim())),
        }
    }
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("`{word}` is not a whole number"))
}

fn milliseconds(word: &str) -> Result<Duration, String> {
    number(word).map(Duration::from_millis)
}
