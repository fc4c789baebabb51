//! `guildhall --help` as a guide: commands in groups, then examples. The lists come from the command tree itself.

use std::fmt::Write;

use clap::{Command, CommandFactory, FromArgMatches};

use crate::Cli;

const GROUPS: [(&str, &[&str]); 4] = [
    ("Begin", &["demo", "serve"]),
    (
        "Run distributed, any number of each (Postgres, RabbitMQ, Redis)",
        &["migrate", "api", "worker", "scheduler"],
    ),
    (
        "Operate, beside running processes",
        &[
            "guilds",
            "keys",
            "links",
            "staff",
            "shield",
            "panels",
            "submissions",
            "sync",
            "jobs",
            "schedules",
            "doctor",
        ],
    ),
    ("Test", &["seed", "simulate"]),
];

const EXAMPLES: &str = "\
Examples:
  guildhall demo                                   see a community of 500 being synced
  guildhall guilds add 7000000000000000000 --name 'My community'
  guildhall keys create --guild 7000000000000000000 --name game --owner 1000000000000000000
  guildhall links import members.csv --guild 7000000000000000000
  GUILDHALL_CHAT_TOKEN=... GUILDHALL_PLAY_KEY=... guildhall serve
  guildhall doctor                                 see what is missing, and what to do about it

Every setting is a flag and a variable; `guildhall COMMAND --help` lists them with their defaults.
Commands exit with 0 when all is done, else with one line on standard error and nothing half-done.";

pub(crate) fn parse() -> Cli {
    let matches = command().get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    }
}

fn command() -> Command {
    let command = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}{{after-help}}",
        groups(&command)
    );
    command.help_template(template).after_help(EXAMPLES)
}

fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "\n{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<10} {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_sound_and_every_command_stands_in_one_group() {
        command().debug_assert();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Cli::command();
        let mut all: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn every_flag_has_help_and_every_setting_of_a_process_an_environment_twin() {
        for name in ["serve", "api", "worker", "scheduler", "simulate", "demo", "migrate"] {
            let command = Cli::command();
            let arguments = command.find_subcommand(name).unwrap().get_arguments();
            for argument in arguments.filter(|argument| argument.get_long().is_some()) {
                assert!(argument.get_help().is_some(), "{name} {} has no help", argument.get_id());
                assert!(argument.get_env().is_some(), "{name} {} has no variable", argument.get_id());
            }
        }
    }
}
