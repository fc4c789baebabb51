//! The Dockerfile and the compose files, as far as they can be checked without a container.

use std::collections::BTreeSet;
use std::process::Command;

use crate::crates::imports;
use crate::workspace;

const DISTRIBUTED: &str = "compose.yaml";
/// What the image sets, and what the rest of the compose file relies on.
const FIXED: [&str; 7] = [
    "GUILDHALL_DATA_DIR",
    "GUILDHALL_LISTEN",
    "GUILDHALL_LOG_FORMAT",
    "GUILDHALL_METRICS_LISTEN",
    "GUILDHALL_PREFIX",
    "GUILDHALL_STOP_NOTICE",
    "GUILDHALL_WAIT_FOR_SERVERS",
];

/// How credentials and addresses of platforms end: only the API uses all of them, although the other commands take them.
const SPARED: [&str; 6] = ["_API_URL", "_CLIENT_ID", "_KEY", "_NETWORKS", "_SECRET", "_TOKEN"];

/// What the library of traces reads itself, so no help shows it: for each process that sends traces.
const OF_TRACES: [&str; 3] = ["OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"];

/// Crates for tests and benchmarks.
const NOT_IN_IMAGE: [&str; 3] = ["bench", "sdk/luau/harness", "testkit"];

fn text(name: &str) -> String {
    std::fs::read_to_string(workspace().join("deploy").join(name)).unwrap()
}

/// The parts of `text` that begin with a line `…name:` indented by `indent`, by that name.
fn parts(text: &str, indent: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.strip_prefix(indent).filter(|rest| !rest.starts_with([' ', '#']));
        match (name.and_then(|rest| rest.split_once(':')), parts.last_mut()) {
            (Some((name, _)), _) => parts.push((name.to_owned(), line.to_owned())),
            (None, Some((_, part))) => *part += line,
            (None, None) => {}
        }
    }
    parts
}

/// The services that `name` declares itself, with the text that they take from anchors.
fn services(name: &str) -> Vec<(String, String)> {
    let text = text(name);
    let top = parts(&text, "");
    let services = &top.iter().find(|(name, _)| name == "services").unwrap().1;
    let own = parts(services, "  ").into_iter().filter(|(_, part)| !part.contains("extends:"));
    own.map(|(name, mut part)| {
        let mut taken = BTreeSet::new();
        while let Some((anchor, shared)) = top.iter().find_map(|(_, shared)| {
            let anchor = shared.lines().next()?.split_once(": &")?.1;
            let is_new = part.contains(&format!(": *{anchor}\n")) && !taken.contains(anchor);
            is_new.then(|| (anchor.to_owned(), shared))
        }) {
            part += shared;
            taken.insert(anchor);
        }
        (name, part)
    })
    .collect()
}

fn all_services() -> impl Iterator<Item = (String, String)> {
    [DISTRIBUTED, "compose.embedded.yaml", "caddy/compose.yaml"].into_iter().flat_map(services)
}

/// Those that run our image.
fn ours(services: impl IntoIterator<Item = (String, String)>) -> impl Iterator<Item = (String, String)> {
    services.into_iter().filter(|(_, part)| part.contains(" image: guildhall\n"))
}

/// The variables of a command: of its flags, and those of secrets, which name a file or the secret.
fn settings(command: &str) -> BTreeSet<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_guildhall")).args([command, "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let names = help.split("[env: ").skip(1).map(|rest| rest.split(['=', ']']).next().unwrap());
    let names = names.map(|name| name.strip_suffix("_FILE").unwrap_or(name));
    let of_traces = OF_TRACES.into_iter().filter(|_| help.contains("[env: GUILDHALL_OTLP_ENDPOINT="));
    names.chain(of_traces).map(str::to_owned).collect()
}

fn environment(part: &str) -> BTreeSet<String> {
    let names = part.lines().filter_map(|line| line.trim_start().split_once(':')).map(|(name, _)| name);
    names
        .filter(|name| name.starts_with("GUILDHALL_") || name.starts_with("OTEL_"))
        .map(str::to_owned)
        .collect()
}

/// The image builds dependencies from the manifests alone: cargo refuses a workspace that lacks one.
#[test]
fn the_image_copies_each_manifest() {
    let file = text("Dockerfile");
    for name in imports().into_keys() {
        let copied = format!("COPY {name}/Cargo.toml {name}/\n");
        assert!(file.contains(&copied), "deploy/Dockerfile lacks: {copied}");
    }
}

/// A layer that needed a later one would find an empty crate there.
#[test]
fn the_crates_of_a_layer_of_the_image_need_no_later_one() {
    let (file, imports) = (text("Dockerfile"), imports());
    let built: BTreeSet<_> =
        imports.keys().filter(|name| file.contains(&format!("COPY {name} {name}\n"))).collect();
    assert!(built.len() > 5, "{built:?}");
    for name in built.iter().copied() {
        let later: Vec<_> = imports[name].iter().filter(|import| !built.contains(import)).collect();
        assert!(later.is_empty(), "{name} imports {later:?}");
        let touched = file.split_inclusive('\n').find(|line| line.starts_with("RUN find entities ")).unwrap();
        assert!(touched.split(' ').any(|word| word == name), "{name} is not touched");
    }
    let rest = file.split_inclusive('\n').find(|line| line.starts_with("RUN find api ")).unwrap();
    for name in imports.keys().filter(|name| !built.contains(name) && !NOT_IN_IMAGE.contains(&name.as_str()))
    {
        assert!(rest.split(' ').any(|word| word == name), "{name} is not touched");
    }
}

#[test]
fn every_container_has_limits_and_no_rights() {
    for (name, part) in all_services() {
        for wanted in [
            "cap_drop: [ALL]",
            "security_opt: [no-new-privileges:true]",
            "max-size: ",
            "resources: { limits: { memory: ",
            ", pids: ",
        ] {
            assert!(part.contains(wanted), "{name} lacks {wanted}");
        }
    }
}

#[test]
fn our_containers_change_nothing_and_have_time_to_stop() {
    let ours: Vec<_> = ours(all_services()).collect();
    assert!(ours.len() == 6, "{ours:?}");
    for (name, part) in ours {
        assert!(part.contains(" read_only: true\n") && part.contains(" stop_grace_period: 40s\n"), "{name}");
        for unwanted in [" ports:", " user:", " cap_add:", " privileged:"] {
            assert!(!part.contains(unwanted), "{name} has {unwanted}");
        }
    }
}

/// Each process can be set, and gets no secret that it has no use for.
#[test]
fn a_process_is_given_the_settings_of_its_command() {
    for (name, part) in ours(services(DISTRIBUTED)) {
        assert!(part.contains(&format!(" command: [{name}]\n")), "{part}");
        let (settings, given) = (settings(&name), environment(&part));
        let unknown: Vec<_> = given.difference(&settings).collect();
        assert!(unknown.is_empty(), "{name} does not take {unknown:?}");
        let is_of_platforms = |setting: &str| SPARED.iter().any(|end| setting.ends_with(end));
        let is_spared = |setting: &str| name != "api" && is_of_platforms(setting);
        let missing = settings.difference(&given);
        let missing: Vec<_> =
            missing.filter(|setting| !FIXED.contains(&setting.as_str()) && !is_spared(setting)).collect();
        assert!(missing.is_empty(), "{name} cannot be given {missing:?}");
        // It calls no platform.
        assert!(name != "scheduler" || !given.iter().any(|setting| is_of_platforms(setting)), "{given:?}");
    }
}

#[test]
fn what_the_example_sets_is_used() {
    let used = text(DISTRIBUTED) + &text("caddy/compose.yaml");
    let example = text("env.example");
    let variables = example.lines().filter_map(|line| line.trim_start_matches('#').split_once('='));
    let variables: Vec<_> = variables.map(|(name, _)| name).filter(|name| !name.contains(' ')).collect();
    assert!(variables.len() > 5, "{variables:?}");
    for name in variables {
        let is_used = used.contains(&format!(" {name}:\n")) || used.contains(&format!("${{{name}:"));
        assert!(is_used, "no compose file uses {name}");
    }
}

/// The list of processes shows arguments to every user of the machine. A shell's own variable, after `$$`, is none.
#[test]
fn no_password_is_an_argument() {
    for (name, part) in all_services() {
        let shown = ["command", "entrypoint", "healthcheck"];
        for (field, text) in
            parts(&part, "    ").into_iter().filter(|(field, _)| shown.contains(&field.as_str()))
        {
            assert!(!text.replace("$$", "").contains('$'), "{name}: {field}");
        }
    }
}

/// compose reads the whole file, whatever profile is asked for.
#[test]
fn a_profile_demands_nothing_of_those_without_it() {
    let with_profile: Vec<_> = all_services().filter(|(_, part)| part.contains(" profiles: ")).collect();
    assert_eq!(with_profile.len(), 2, "{with_profile:?}");
    for (name, part) in with_profile {
        let interpolated = part.replace("$$", "");
        let demanded: Vec<_> = interpolated
            .split("${")
            .skip(1)
            .filter(|rest| rest.split('}').next().unwrap().contains(":?"))
            .collect();
        assert!(demanded.is_empty(), "{name}: {demanded:?}");
    }
}
