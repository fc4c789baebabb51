//! The name of a setting in an error: its flag if that was typed, its environment variable if that was set, and both if
//! its default applies.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::environment::FILE_SUFFIX;

/// The names that replace the variables in errors, which the code below the command line names.
pub(crate) struct SettingNames(Vec<(String, String)>);

impl SettingNames {
    pub(crate) fn of(mut command: &Command, mut matches: &ArgMatches) -> Self {
        while let Some((name, inner)) = matches.subcommand() {
            let Some(subcommand) = command.find_subcommand(name) else { break };
            (command, matches) = (subcommand, inner);
        }
        let name = |argument: &Arg| {
            let (flag, variable) = (flag(argument)?, variable(argument)?);
            let source = matches.value_source(argument.get_id().as_str())?;
            // Messages name the variable of a secret, which here comes from a file.
            let of_secret = variable.strip_suffix(FILE_SUFFIX).map(str::to_owned);
            let name = match source {
                ValueSource::CommandLine => flag,
                ValueSource::DefaultValue => format!("{flag} ({variable})"),
                _ if of_secret.is_some() => variable.clone(),
                _ => return None,
            };
            Some((of_secret.unwrap_or(variable), name))
        };
        Self(command.get_arguments().filter_map(name).collect())
    }

    /// No variable is part of another one's name, except a secret's variable, which is part of its file's.
    pub(crate) fn apply(&self, message: String) -> String {
        self.0.iter().fold(message, |message, (variable, name)| {
            let file = format!("{variable}{FILE_SUFFIX}");
            message.split(&file).map(|part| part.replace(variable, name)).collect::<Vec<_>>().join(&file)
        })
    }
}

/// The parser names the flag, also where the wrong value is that of the variable.
pub(crate) fn name_variable(mut error: clap::Error, command: &Command, args: &[OsString]) -> clap::Error {
    let args: Vec<_> = args.iter().skip(1).map(|arg| arg.to_string_lossy()).collect();
    let leaf = args.iter().fold(command, |command, arg| command.find_subcommand(&**arg).unwrap_or(command));
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidArg) else { return error };
    let wrong = named.split_whitespace().next().map(str::to_owned);
    let typed = |flag: &str| args.iter().any(|arg| arg.split('=').next() == Some(flag));
    let set = leaf.get_arguments().find(|argument| {
        let variable = variable(argument).filter(|variable| std::env::var_os(variable).is_some());
        flag(argument).is_some_and(|flag| Some(&flag) == wrong.as_ref() && !typed(&flag))
            && variable.is_some()
    });
    if let Some(variable) = set.and_then(variable) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
    error
}

fn flag(argument: &Arg) -> Option<String> {
    argument.get_long().map(|long| format!("--{long}"))
}

fn variable(argument: &Arg) -> Option<String> {
    argument.get_env().map(|variable| variable.to_string_lossy().into_owned())
}
