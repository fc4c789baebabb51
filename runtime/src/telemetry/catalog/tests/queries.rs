//! Alerts and dashboards name only metrics and labels that are exported. promtool checks their syntax, in `.ci/run`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::root;
use crate::telemetry::catalog::{Kind, all};
use crate::telemetry::render;

/// Labels that Prometheus adds.
const ADDED: [&str; 2] = ["instance", "job"];
const GROUPINGS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
const OPERATORS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];

/// The labels of a series; `None`: nothing exports it.
fn labels_of(series: &str) -> Option<BTreeSet<&str>> {
    let found = all().find_map(|metric| {
        let end = series.strip_prefix(metric.name)?;
        match (metric.kind, end) {
            (Kind::Histogram(_), "_bucket") => Some([metric.labels, &["le"]].concat()),
            (Kind::Histogram(_), "_sum" | "_count") | (Kind::Counter | Kind::Gauge, "") => {
                Some(metric.labels.to_vec())
            }
            _ => None,
        }
    });
    let of_process = || render(&[]).contains(&format!("\n{series} ")).then(Vec::new);
    let labels = found.or_else(|| if series.starts_with("process_") { of_process() } else { None })?;
    Some(labels.into_iter().chain(ADDED).collect())
}

/// Words and marks, without strings, numbers, durations and variables.
fn tokens(query: &str) -> Vec<&str> {
    let is_word = |one: char| one.is_ascii_alphanumeric() || "_:$".contains(one);
    let mut tokens = Vec::new();
    for mut rest in query.split('"').step_by(2) {
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|one: char| !is_word(one)).unwrap_or(rest.len());
            let (token, after) = rest.split_at(if is_word(first) { word } else { first.len_utf8() });
            tokens.push(token);
            rest = after;
        }
    }
    tokens.retain(|token| {
        !token.starts_with(|one: char| one.is_whitespace() || one.is_ascii_digit() || one == '$')
    });
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_')
}

/// The names from here to the mark, and how many tokens these are.
fn listed<'q>(tokens: &[&'q str], end: &str) -> (Vec<&'q str>, usize) {
    let count = tokens.iter().take_while(|token| **token != end).count();
    (tokens[..count].iter().copied().filter(|token| is_name(token)).collect(), count)
}

/// The series of a query with the labels that their matchers name, and the labels that it groups by.
fn read(query: &str) -> (Vec<(&str, Vec<&str>)>, Vec<&str>) {
    let (mut series, mut grouped) = (Vec::new(), Vec::new());
    let tokens = tokens(query);
    let mut at = 0;
    while at < tokens.len() {
        let (token, next) = (tokens[at], tokens.get(at + 1).copied().unwrap_or_default());
        at += 1;
        if !is_name(token) || OPERATORS.contains(&token) {
            continue;
        }
        if GROUPINGS.contains(&token) {
            let (labels, count) = listed(&tokens[at..], ")");
            grouped.extend(labels);
            at += count;
        } else if next == "{" {
            let (labels, count) = listed(&tokens[at..], "}");
            series.push((token, labels));
            at += count;
        } else if next != "(" && !GROUPINGS.contains(&next) {
            series.push((token, Vec::new()));
        }
    }
    (series, grouped)
}

/// What is wrong with a query; `shown` are labels that its texts name.
fn faults(query: &str, shown: &[&str]) -> Vec<String> {
    let (series, grouped) = read(query);
    let mut faults = Vec::new();
    for (name, matched) in &series {
        let Some(known) = labels_of(name) else {
            faults.push(format!("nothing exports {name}"));
            continue;
        };
        let unknown = matched.iter().chain(&grouped).chain(shown).filter(|label| !known.contains(**label));
        faults.extend(unknown.map(|label| format!("{name} has no label {label}")));
    }
    if series.is_empty() {
        faults.push("no metric".to_owned());
    }
    faults
}

/// Each `expr` of the rules, and the text up to the next one.
fn rules(alerts: &str) -> impl Iterator<Item = (&str, &str)> {
    let rules = alerts.split("expr:").skip(1);
    rules
        .map(|rule| rule.split_once("for:").unwrap())
        .map(|(query, rest)| (query.trim_start_matches([' ', '|']), rest))
}

/// What stands between each of these two.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> Vec<&'t str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split(end).next()).map(str::trim).collect()
}

#[test]
fn each_alert_is_about_our_metrics_and_has_its_section() {
    let alerts = std::fs::read_to_string(root().join("deploy/prometheus/alerts.yaml")).unwrap();
    for (query, rest) in rules(&alerts) {
        let shown: Vec<_> = between(rest, "$labels.", "}");
        assert_eq!(faults(query, &shown), [""; 0], "{query}");
    }
    let [runbook, drill] = ["docs/runbook.md", "deploy/prometheus/drill"]
        .map(|file| std::fs::read_to_string(root().join(file)).unwrap());
    let after = |text: &str, begin: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.trim().strip_prefix(begin).map(str::to_owned)).collect()
    };
    let by_name = after(&alerts, "- alert: ");
    assert_eq!(rules(&alerts).count(), by_name.len());
    for name in &by_name {
        assert!(drill.contains(&format!("\"{name}\"")), "deploy/prometheus/drill has no fault for {name}");
    }
    assert_eq!(by_name, after(&runbook, "## "));
    let links: Vec<_> = by_name.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(links, after(&alerts, "runbook: docs/runbook.md#"));
}

#[test]
fn each_dashboard_shows_our_metrics_from_the_chosen_source() {
    let mut uids = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("deploy/grafana/dashboards")).unwrap() {
        let file = entry.unwrap().path();
        let board: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert_eq!(
            (&board["id"], &board["uid"]),
            (&Value::Null, &format!("guildhall-{name}").into()),
            "{name}"
        );
        uids.insert(name.to_owned());
        for panel in board["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] != "row") {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{name}: {}", panel["title"]);
            for target in panel["targets"].as_array().unwrap() {
                let shown = between(target["legendFormat"].as_str().unwrap_or_default(), "{{", "}}");
                let query = target["expr"].as_str().unwrap();
                assert_eq!(faults(query, &shown), [""; 0], "{name}: {query}");
            }
        }
    }
    assert_eq!(uids.into_iter().collect::<Vec<_>>(), ["api", "jobs", "platforms", "service-day"]);
}

#[test]
fn an_unknown_metric_and_an_unknown_label_are_found() {
    let wrong = |query| faults(query, &["class"]).join(", ");
    assert_eq!(wrong(r#"max by (class) (guildhall_jobs_queued{class=~"a|b"}) > 30"#), "");
    assert_eq!(wrong("max(guildhall_jobs_waiting)"), "nothing exports guildhall_jobs_waiting");
    assert_eq!(
        wrong(r#"sum by (class) (guildhall_jobs_queued{kind="x"})"#),
        "guildhall_jobs_queued has no label kind"
    );
    assert_eq!(wrong("sum(guildhall_jobs_queued) by (route)"), "guildhall_jobs_queued has no label route");
    let histogram = "histogram_quantile(0.5, sum by (le, class) (rate(guildhall_job_wait_seconds_bucket[$__rate_interval])))";
    assert_eq!(wrong(histogram), "");
    assert_eq!(wrong("guildhall_job_wait_seconds"), "nothing exports guildhall_job_wait_seconds");
    assert_eq!(wrong("1 - 2 * up"), "nothing exports up");
    assert_eq!(faults("process_resident_memory_bytes offset 1d", &["instance"]), [""; 0]);
}
