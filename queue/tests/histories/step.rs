//! The permitted changes of a history's step, and the faults that can hit it.

use std::collections::HashMap;

use entities::JobId;
use entities::job::{Claim, Class};
use serde::{Deserialize, Serialize};

use crate::Payload;

pub(super) const KIND: &str = "simulated";

/// The arguments of a chunk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Simulated {
    pub(super) class: Class,
}

impl Payload for Simulated {
    const KIND: &'static str = KIND;
    const CLASS: Class = Class::Bulk;
    const MAX_ATTEMPTS: i32 = MAX_ATTEMPTS;
}

pub(super) const MAX_ATTEMPTS: i32 = 4;

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
    /// A page of chunks that the run with this claim planned.
    Page(Claim),
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
#[derive(Clone, Default)]
pub(super) struct Burned(pub(super) HashMap<JobId, i32>);
