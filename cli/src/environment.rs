//! The environment as settings: the variables of secrets, and variables that no setting has.

use std::collections::BTreeSet;

use clap::{Arg, Command};
use runtime::{AMQP_URL, REDIS_URL, StartError};

const PREFIX: &str = "GUILDHALL_";
/// Suffix of the variable that names the file of a secret; the one without it holds the secret.
pub(crate) const FILE_SUFFIX: &str = "_FILE";
/// Variables of the tests, and of `deploy/services`; in a test build also the fail points.
const TEST_PREFIXES: [&str; 3] = ["GUILDHALL_TEST_", "GUILDHALL_SERVICES_", runtime::FAIL_POINTS];

/// Refuses servers that one process would not use: the user probably wants another command.
pub(crate) fn refuse_servers() -> Result<(), StartError> {
    let is_set = |name: &str| is_set(name) || is_set(&format!("{name}{FILE_SUFFIX}"));
    let Some(set) = [AMQP_URL, REDIS_URL].into_iter().find(|name| is_set(name)) else { return Ok(()) };
    Err(StartError::Contradiction(format!(
        "{set} is set, but this command runs everything in one process, without RabbitMQ and Redis: unset {AMQP_URL} \
         and {REDIS_URL}, or start `guildhall api`, `guildhall worker` and `guildhall scheduler`"
    )))
}

/// Compose files set variables to the empty text where they mean "unset".
fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.to_string_lossy().trim().is_empty())
}

/// Refuses variables that look like settings but are not: a typing error would silently change nothing.
///
/// `command` is the tree as it is declared.
pub(crate) fn refuse_unknown(command: &Command) -> Result<(), String> {
    let known = known(command);
    let set = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
    let unknown = set
        .filter(|(name, value)| name.starts_with(PREFIX) && !known.contains(name) && !is_foreign(name, value))
        .map(|(name, _)| name)
        .min();
    let Some(name) = unknown else { return Ok(()) };
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(known, &name), known)).min();
    let hint = match near {
        Some((distance, near)) if distance <= 3 => format!("did you mean {near}?"),
        _ => "`guildhall COMMAND --help` names the variable of each setting".to_owned(),
    };
    Err(format!("{name} is set, but there is no such setting; {hint}"))
}

fn known(command: &Command) -> BTreeSet<String> {
    let mut known = BTreeSet::from_iter(variables(command));
    let texts: Vec<_> =
        known.iter().filter_map(|name| name.strip_suffix(FILE_SUFFIX)).map(str::to_owned).collect();
    known.extend(texts);
    known
}

fn variables(command: &Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(Arg::get_env);
    let own = own.map(|name| name.to_string_lossy().into_owned());
    own.chain(command.get_subcommands().flat_map(variables)).collect()
}

/// A variable of the tests, or one that Kubernetes sets for a Service called `guildhall…`.
fn is_foreign(name: &str, value: &str) -> bool {
    let address =
        name.contains("_PORT") && ["tcp://", "udp://"].iter().any(|scheme| value.starts_with(scheme));
    let part = ["_PROTO", "_PORT", "_ADDR"].iter().any(|end| name.ends_with(end))
        && ["_TCP_", "_UDP_"].iter().any(|kind| name.contains(kind));
    let service = name.ends_with("_SERVICE_HOST") || name.contains("_SERVICE_PORT");
    address || part || service || TEST_PREFIXES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn every_secret_has_a_variable_and_one_for_its_file() {
        let known = known(&Cli::command());
        let platforms = ["CHAT_TOKEN", "CHAT_CLIENT_SECRET", "PLAY_KEY", "PLAY_CLIENT_SECRET"];
        for name in ["DATABASE_URL", "AMQP_URL", "REDIS_URL"].into_iter().chain(platforms) {
            for variable in [format!("GUILDHALL_{name}"), format!("GUILDHALL_{name}_FILE")] {
                assert!(known.contains(&variable), "{variable}: {known:?}");
            }
        }
        assert!(!known.contains("GUILDHALL_LISTEN_FILE"));
    }

    #[test]
    fn what_an_orchestrator_sets_for_a_service_is_no_typing_error() {
        for (name, value) in [
            ("GUILDHALL_SERVICE_HOST", "10.0.0.1"),
            ("GUILDHALL_API_SERVICE_PORT_HTTP", "80"),
            ("GUILDHALL_PORT", "tcp://10.0.0.1:80"),
            ("GUILDHALL_PORT_80_TCP", "tcp://10.0.0.1:80"),
            ("GUILDHALL_PORT_80_TCP_PROTO", "tcp"),
        ] {
            assert!(is_foreign(name, value), "{name}");
        }
        assert!(!is_foreign("GUILDHALL_PORT", "8080") && !is_foreign("GUILDHALL_LISTN", ""));
    }
}
