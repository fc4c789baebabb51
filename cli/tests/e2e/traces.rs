//! Traces by OTLP: one leads from a request through its jobs to the calls of the platforms (docs/operations.md 4).

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Collector, Deployment, Mode, Setup, TraceSpan, both_modes, eventually, free_address};

both_modes!(
    one_trace_leads_from_a_request_to_its_platform_calls(super::traced),
    a_retry_is_in_the_trace_of_the_first_attempt(super::traced),
    the_chunks_of_a_bulk_sync_are_in_its_trace(super::traced),
    a_trace_that_is_not_sampled_or_malformed_is_not_taken_over(super::traced),
    a_collector_that_is_away_fails_no_request(super::traced),
    what_waits_is_sent_at_a_soft_stop(super::traced),
    without_a_collector_nothing_names_a_trace(super::logged),
);

const ENDPOINT: &str = "GUILDHALL_OTLP_ENDPOINT";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const WITHIN: Duration = Duration::from_secs(10);
const SYNC: &str = "/interactions/sync";
const UPDATE: &str = "PATCH /guilds/:guild/members/:user";

fn logged(setup: Setup) -> Setup {
    setup.env("GUILDHALL_ACCESS_LOG", "all").env("GUILDHALL_LOG_FORMAT", "json")
}

fn traced(setup: Setup) -> Setup {
    logged(setup)
        .env(ENDPOINT, &format!("http://{}", free_address()))
        .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20planted")
}

fn endpoint(deployment: &Deployment) -> &str {
    &deployment.env.iter().find(|(name, _)| name == ENDPOINT).unwrap().1
}

async fn collector(deployment: &Deployment) -> Collector {
    Collector::start(endpoint(deployment)).await
}

fn role_of(deployment: &Deployment, distributed: &'static str) -> &'static str {
    if deployment.mode() == Mode::Embedded { "serve" } else { distributed }
}

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{CALLER}-{flags}")
}

/// The id of the job of a sync that nobody waits for, in the caller's trace.
async fn synced(deployment: &Deployment, chat: &str) -> String {
    let api = deployment.api().header("traceparent", &traceparent("01")).header("prefer", "respond-async");
    let answer = api.post(SYNC, json!({ "user_id": chat })).await;
    let job = answer.body["data"]["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    assert_eq!(deployment.job_ended(&job).await["state"], "succeeded");
    job
}

fn lines(deployment: &Deployment, role: &str, message: &str) -> Vec<Value> {
    let roles = deployment.roles();
    // Embedded, `serve` is both.
    let running = if role == "worker" { roles.workers.first() } else { None };
    let log = running.unwrap_or(&roles.apis[0]).process.log();
    let lines = log.lines().filter(|line| line.contains(message));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn line(deployment: &Deployment, role: &str, message: &str) -> Value {
    let what = format!("the log of the {role} has a line `{message}`");
    eventually(&what, WITHIN, async || lines(deployment, role, message).pop()).await
}

async fn one_trace_leads_from_a_request_to_its_platform_calls(deployment: &Deployment) {
    let collector = collector(deployment).await;
    let job = synced(deployment, &deployment.guild().misnamed().chat).await;

    let request = collector.one(TRACE, "POST /interactions/sync").await;
    assert_eq!((&*request.parent, request.failed), (CALLER, false), "{request:?}");
    assert_eq!(request.kind.as_str_name(), "SPAN_KIND_SERVER");
    for (attribute, value) in [
        ("http.request.method", "POST"),
        ("http.route", SYNC),
        ("http.response.status_code", "202"),
        ("guild.id", &deployment.guild().id),
        ("job.id", &job),
        ("service.name", "guildhall"),
        ("guildhall.role", role_of(deployment, "api")),
    ] {
        request.is(attribute, value);
    }
    let run = collector.one(TRACE, "process sync_member").await;
    assert_eq!((&run.parent, &run.links), (&request.id, &vec![request.id.clone()]), "{run:?}");
    assert_eq!(run.kind.as_str_name(), "SPAN_KIND_CONSUMER");
    for (attribute, value) in [
        ("messaging.destination.name", "sync_member"),
        ("messaging.message.id", &job),
        ("job.attempt", "1"),
        ("job.outcome", "succeeded"),
        ("guildhall.role", role_of(deployment, "worker")),
    ] {
        run.is(attribute, value);
    }
    let update = collector.one(TRACE, UPDATE).await;
    assert_eq!((&update.parent, update.kind.as_str_name()), (&run.id, "SPAN_KIND_CLIENT"), "{update:?}");
    for (attribute, value) in [
        ("http.request.method", "PATCH"),
        ("url.template", "/guilds/:guild/members/:user"),
        ("server.address", "127.0.0.1"),
        ("http.response.status_code", "200"),
        ("platform", "chat"),
    ] {
        update.is(attribute, value);
    }
    let of_run: Vec<_> = collector.spans().into_iter().filter(|span| span.parent == run.id).collect();
    assert!(of_run.iter().any(|span| span.attributes["platform"] == "play"), "{of_run:?}");
    assert_eq!(collector.authorization().as_deref(), Some("Bearer planted"));
    nothing_secret(&collector.spans());
    names_the_trace(deployment, &job).await;
}

fn nothing_secret(spans: &[TraceSpan]) {
    for span in spans {
        for name in ["url.path", "url.full", "url.query", "trace_id", "http.method"] {
            assert!(!span.attributes.contains_key(name), "{name}: {span:?}");
        }
        assert!(!format!("{span:?}").contains("test-"), "a credential: {span:?}");
    }
}

async fn names_the_trace(deployment: &Deployment, job: &str) {
    let answered = line(deployment, "api", "request answered").await;
    assert!(answered["trace_id"].is_string(), "{answered}");
    let details = deployment.api().get(&format!("/jobs/{job}")).await.ok();
    assert_eq!(details["trace_id"], TRACE, "{details}");
    let text = deployment.command(&["jobs", "show", job]).await.succeeded();
    assert!(text.contains(TRACE), "{text}");
    let shown = deployment.command(&["jobs", "show", job, "--json"]).await.succeeded();
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["trace_id"], TRACE, "{shown}");
    let api = deployment.api().header("traceparent", &traceparent("01"));
    for path in ["/no/such/path", "/jobs/0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e"] {
        let refused = api.get(path).await.refused(404, &[]);
        assert_eq!(refused.body["trace_id"], TRACE, "{refused}");
    }
}

async fn a_retry_is_in_the_trace_of_the_first_attempt(deployment: &Deployment) {
    let collector = collector(deployment).await;
    deployment.fault(json!({ "route": UPDATE, "status": 500, "count": 1 })).await;
    synced(deployment, &deployment.guild().misnamed().chat).await;
    let request = collector.one(TRACE, "POST /interactions/sync").await;
    let mut runs = collector.named(TRACE, "process sync_member", 2).await;
    runs.sort_by_key(|run| run.attributes["job.attempt"].clone());
    for (run, attempt) in runs.iter().zip(["1", "2"]) {
        run.is("job.attempt", attempt);
        assert_eq!((&run.parent, &run.links), (&request.id, &vec![request.id.clone()]), "{run:?}");
    }
    let [first, second] = &runs[..] else { panic!("{runs:?}") };
    assert_eq!((first.failed, second.failed), (true, false), "{runs:?}");
    first.is("error.type", "platform_unavailable");
    first.is("job.outcome", "retried");
    let calls = collector.named(TRACE, UPDATE, 2).await;
    let failed = calls.iter().find(|call| call.failed).unwrap();
    failed.is("http.response.status_code", "500");
    failed.is("error.type", "500");
    assert_eq!(failed.parent, first.id);
    let line = line(deployment, "worker", "an attempt failed").await;
    assert_eq!(line["trace_id"], TRACE, "{line}");
}

async fn the_chunks_of_a_bulk_sync_are_in_its_trace(deployment: &Deployment) {
    let collector = collector(deployment).await;
    let api = deployment.api().header("traceparent", &traceparent("01"));
    let job = api.post("/interactions/sync/all", json!({})).await.ok()["job_id"].clone();
    assert_eq!(deployment.job_ended(job.as_str().unwrap()).await["state"], "succeeded");
    let request = collector.one(TRACE, "POST /interactions/sync/all").await;
    let plan = collector.one(TRACE, "process sync_all").await;
    let chunk = collector.one(TRACE, "process sync_chunk").await;
    assert_eq!((&plan.parent, &plan.links), (&request.id, &vec![request.id.clone()]), "{plan:?}");
    assert_eq!((&chunk.parent, &chunk.links), (&plan.id, &vec![plan.id.clone()]), "{chunk:?}");
    assert_eq!(collector.one(TRACE, UPDATE).await.parent, chunk.id);
    let line = line(deployment, "worker", "bulk job ended").await;
    assert_eq!(line["trace_id"], TRACE, "{line}");
}

async fn a_trace_that_is_not_sampled_or_malformed_is_not_taken_over(deployment: &Deployment) {
    let collector = collector(deployment).await;
    let refused_in = async |sent: &str| {
        let api = deployment.api().header("traceparent", sent);
        api.get("/no/such/path").await.refused(404, &[]).body["trace_id"].clone()
    };
    assert_eq!(refused_in(&traceparent("00")).await, Value::Null, "its caller keeps no trace");
    for malformed in ["", "00-1-2-01", &traceparent("01").to_uppercase()] {
        let own = refused_in(malformed).await;
        let own = own.as_str().unwrap_or_else(|| panic!("{malformed}"));
        assert_ne!(own, TRACE);
        assert_eq!(collector.one(own, "GET").await.parent, "");
    }
    assert!(collector.spans().iter().all(|span| span.trace != TRACE));
}

async fn a_collector_that_is_away_fails_no_request(deployment: &Deployment) {
    deployment.api().post(SYNC, json!({ "user_id": deployment.guild().misnamed().chat })).await.ok();
    let away = "the collector does not take traces";
    line(deployment, "api", away).await;
    let metrics = deployment.metrics(0).await;
    let failed =
        metrics.lines().any(|line| line.starts_with("guildhall_trace_spans_total{outcome=\"failed\"}"));
    assert!(failed, "{metrics}");
    let collector = collector(deployment).await;
    let lines = eventually("the collector is back", WITHIN, async || {
        deployment.api().get("/bindings/list").await.ok();
        Some(lines(deployment, "api", "the collector takes traces again")).filter(|lines| !lines.is_empty())
    })
    .await;
    assert_eq!((lines.len(), self::lines(deployment, "api", away).len()), (1, 1));
    assert!(!collector.spans().is_empty());
}

async fn what_waits_is_sent_at_a_soft_stop(deployment: &Deployment) {
    let collector = collector(deployment).await;
    let api = deployment.api().header("traceparent", &traceparent("01"));
    api.get("/bindings/list").await.ok();
    let mut running = deployment.roles().apis.remove(0);
    running.process.terminate();
    assert!(running.process.ended(WITHIN).await.success());
    let sent = |span: &TraceSpan| span.trace == TRACE && span.name == "GET /bindings/list";
    assert!(collector.spans().iter().any(sent), "sent before the process ended");
}

async fn without_a_collector_nothing_names_a_trace(deployment: &Deployment) {
    let job = synced(deployment, &deployment.guild().misnamed().chat).await;
    let api = deployment.api().header("traceparent", &traceparent("01"));
    let refused = api.get("/no/such/path").await.refused(404, &[]);
    let details = deployment.api().get(&format!("/jobs/{job}")).await.ok();
    let shown = deployment.command(&["jobs", "show", &job, "--json"]).await.succeeded();
    line(deployment, "api", "request answered").await;
    let mut told = vec![refused.body.to_string(), details.to_string(), shown];
    told.extend(deployment.roles().all().map(|running| running.process.log()));
    for text in told {
        assert!(!text.contains("trace_id") && !text.contains(TRACE), "{text}");
    }
}
