//! Decisions 5.

use serde_json::json;

use super::operation::{Area, delete, get, post};
use super::shape::{
    Shape, anything, count, flag, id, integer, list, moment, object, string, user, uuid, word,
};

pub(super) fn area() -> Area {
    let failures = object([
        ("id", id(9)),
        ("chat_id", user()),
        ("error", string("not_a_member")),
        ("message", string("the user is not a member of the guild")),
        ("created_at", moment()),
    ])
    .named("JobFailure");
    let errors = object([
        ("attempt", count(1).about("From 1, and from 1 again when the job was run again.")),
        ("at", moment()),
        ("error", string("platform_unavailable")),
        ("message", string("the chat platform does not answer")),
    ])
    .named("JobTryError");
    let about_errors = "Of the last 16 tries that did not end well, oldest first. Kept when the job succeeds or is run again.";
    let operations = vec![
        get("/guilds/{guildId}/jobs", "Jobs, newest first")
            .paged(uuid())
            .query("state?", state())
            .query("kind?", string("sync_all"))
            .data(object([("jobs", list(job())), ("next_cursor", uuid().nullable())])),
        get("/jobs/{jobId}", "How far a job is")
            .about("With it what its tries ran into, and a page of the members it failed for.")
            .paged(id(9))
            .data(with(vec![
                ("errors", list(errors).about(about_errors)),
                ("failures", list(failures)),
                ("next_cursor", id(9).nullable()),
            ])),
        delete("/jobs/{jobId}", "Cancel a job")
            .about("Needs the scope of the job's kind. What has not begun ends now, what runs stops at its next step.")
            .data(job())
            .says("job cancelled")
            .refuses(409, &["job_over"]),
        post("/jobs/{jobId}/retry", "Run a failed or dead job again")
            .about("Needs the scope of the job's kind. It gets a fresh set of attempts; what its earlier runs did is not undone. A sync of all members uses the hour of `/interactions/sync/all`.")
            .asks_platform()
            .data(job())
            .says("job queued again")
            .refuses(409, &["job_not_failed", "job_twin"]),
    ];
    Area { name: "Jobs", about: "Work that goes on by itself.", operations }
}

fn state() -> Shape {
    word(&[
        "running",
        "scheduled",
        "queued",
        "waiting",
        "retrying",
        "succeeded",
        "failed",
        "dead",
        "cancelled",
    ])
}

fn job() -> Shape {
    object(fields()).named("Job")
}

fn fields() -> Vec<(&'static str, Shape)> {
    let progress = object([
        ("done", count(1200)),
        ("total", count(5000)),
        ("failed", count(1)),
        (
            "eta_seconds",
            count(95)
                .nullable()
                .about("At the speed so far; null while that is not known, as while a bulk job plans."),
        ),
    ]);
    let error = object([
        ("status", integer(502)),
        ("error", string("platform_unavailable")),
        ("message", string("the chat platform does not answer")),
        ("retry_after?", count(17)),
    ]);
    vec![
        ("id", uuid()),
        ("kind", string("sync_all")),
        ("state", state()),
        ("progress", progress),
        ("cancel_requested", flag(false)),
        ("result", anything(json!({ "changed": 12 })).about("Of a job that succeeded.")),
        ("error", error.nullable().about("Of a job that failed.")),
        ("created_at", moment()),
        ("started_at", moment().nullable()),
        ("finished_at", moment().nullable()),
    ]
}

/// A job with more fields in the same object.
fn with(more: Vec<(&'static str, Shape)>) -> Shape {
    object(fields().into_iter().chain(more))
}
