//! `guildhall --help` as a guide: commands in groups, then examples. The descriptions come from the command tree.

use std::fmt::Write;

use clap::Command;

/// Titles with the names of their commands.
const GROUPS: [(&str, &str); 6] = [
    ("Start", "demo serve"),
    (
        "Run distributed, any number of each (Postgres, RabbitMQ, Redis)",
        "migrate api worker scheduler gateway",
    ),
    (
        "Operate, whether or not processes run",
        "guilds keys games links staff shield panels submissions sync chat console jobs schedules erase audit doctor healthcheck",
    ),
    ("Save, restore and move", "backup restore export import"),
    ("Test", "seed simulate"),
    ("Set up a shell", "completions man"),
];

const EXAMPLES: &str = "\
Examples:
  guildhall demo                                   sync a simulated community of 500
  guildhall guilds add 7000000000000000000 --name 'My community'
  guildhall keys create --guild 7000000000000000000 --name game --owner 1000000000000000000
  guildhall links import members.csv --guild 7000000000000000000
  GUILDHALL_CHAT_TOKEN=... GUILDHALL_PLAY_KEY=... guildhall serve
  guildhall doctor                                 check the deployment, and say what to fix

Every setting is a flag and a variable; `guildhall COMMAND --help` lists them with their defaults. A secret is a
variable or a file, which a flag names: flags stand in the list of processes.
A command exits with 0 when it has done everything. Otherwise it says why on standard error.";

pub(crate) fn with_guide(command: Command) -> Command {
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
        for name in names.split(' ') {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<11} {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn the_tree_is_valid_and_every_command_is_in_one_group() {
        with_guide(Cli::command()).debug_assert();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let command = Cli::command();
        let mut all: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn every_setting_of_a_process_has_help_and_an_environment_variable() {
        for name in ["serve", "api", "worker", "scheduler", "gateway", "simulate", "demo", "migrate"] {
            let command = Cli::command();
            let arguments = command.find_subcommand(name).unwrap().get_arguments();
            // What a single run prints is no setting.
            let settings =
                arguments.filter(|argument| !["check", "json"].contains(&argument.get_id().as_str()));
            for argument in settings.filter(|argument| argument.get_long().is_some()) {
                assert!(argument.get_help().is_some(), "{name} {} has no help", argument.get_id());
                assert!(argument.get_env().is_some(), "{name} {} has no variable", argument.get_id());
            }
        }
    }
}
