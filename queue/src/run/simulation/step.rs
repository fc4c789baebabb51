//! What a step of a history may do, and the faults it may meet.

use std::collections::HashMap;

use entities::JobId;
use entities::job::Claim;

pub(super) const KIND: &str = "simulated";

/// What the database does to one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// It is not performed.
    Refused,
    /// It is performed, and its answer is lost.
    AnswerLost,
}

/// What a step may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    Nothing,
    /// A delivery of a message that was published for this token.
    Message(i64),
    /// A look of the safety net.
    Net,
    Effect(Claim),
    /// The end of the run with this claim; `burns`: as a failed attempt.
    Write {
        claim: Claim,
        burns: bool,
    },
    /// The look of the process with this name at what it is believed to run.
    Look(String),
    Rescue,
    Cancel,
    Retry,
    Enqueue,
}

/// Attempts that were burned by failures and by crashes in quarantine, since the job was enqueued or retried by hand.
#[derive(Default)]
pub(super) struct Burned(pub(super) HashMap<JobId, i32>);
