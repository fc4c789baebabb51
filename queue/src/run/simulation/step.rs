//! The permitted changes of a history's step, and the faults that can hit it.

use std::collections::HashMap;

use entities::JobId;
use entities::job::Claim;

pub(super) const KIND: &str = "simulated";

/// The fault of one database operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// The operation is not performed.
    Refused,
    /// The operation is performed, and its response is lost.
    AnswerLost,
}

/// The changes a step may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    Nothing,
    /// A delivery of a message that was published for this fencing token.
    Message(i64),
    /// A poll of the safety net.
    Net,
    Effect(Claim),
    /// The end of the run with this claim; `burns`: as a failed attempt.
    Write {
        claim: Claim,
        burns: bool,
    },
    /// The check of claims by the process of this name.
    Look(String),
    Rescue,
    Cancel,
    Retry,
    Enqueue,
}

/// Attempts burned by failures and by crashes in quarantine, since the job was enqueued or retried on request.
#[derive(Default)]
pub(super) struct Burned(pub(super) HashMap<JobId, i32>);
