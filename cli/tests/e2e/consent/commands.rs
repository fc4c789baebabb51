//! Every command of the chat platform, as the owner; the commands are those that the bot has registered.

use serde_json::{Map, Value, json};
use testkit::eventually;

use super::{View, WITHIN, Walk};
use crate::chat_commands::typed;

/// Types of options, as the platform writes them.
const SUBCOMMAND: u64 = 1;
const TEXT: u64 = 3;
const WHOLE: u64 = 4;
/// Whoever is banned by a player's name is named in the guild's records from then on.
const BAN: [&str; 2] = ["ban", "unban"];

impl Walk<'_> {
    /// About the member, where a command takes one.
    pub(super) async fn commands(&self) -> Vec<View> {
        self.typed("member", &self.person.chat, |_, _| true).await
    }

    /// The commands that take a player, with the name of the member's game account.
    pub(super) async fn commands_by_player(&self) -> Vec<View> {
        let takes_player = |name: &str, options: &[Value]| {
            !BAN.contains(&name) && options.iter().any(|option| option["name"] == "player")
        };
        self.typed("player", &self.person.name, takes_player).await
    }

    async fn typed(&self, about: &str, whom: &str, wanted: impl Fn(&str, &[Value]) -> bool) -> Vec<View> {
        let (deployment, owner) = (self.deployment, &self.deployment.guild().members[0].chat);
        let commands = deployment.simulator.commands().await;
        let all: Vec<_> = commands.iter().flat_map(forms).collect();
        assert!(all.len() >= 11, "{all:?}");
        let mut views = Vec::new();
        for (name, options) in all.iter().filter(|(name, options)| wanted(name, options)) {
            let seen = typed(deployment, owner, name, filled(options, about, whom)).await;
            let shown = eventually("the answer comes", WITHIN, async || {
                let state = deployment.simulator.seen(&seen.interaction).await;
                (state["thinking"] != true).then_some(state)
            })
            .await;
            views.push(View::new(format!("/{name}"), shown.to_string()));
        }
        views
    }
}

/// The command, or each of its subcommands, with its options.
fn forms(command: &Value) -> Vec<(String, Vec<Value>)> {
    let options = |of: &Value| of["options"].as_array().cloned().unwrap_or_default();
    let name = command["name"].as_str().unwrap();
    let all = options(command);
    let is_sub = |option: &&Value| option["type"] == SUBCOMMAND;
    let subs = all.iter().filter(is_sub);
    let subs: Vec<_> =
        subs.map(|sub| (format!("{name} {}", sub["name"].as_str().unwrap()), options(sub))).collect();
    if subs.is_empty() { vec![(name.to_owned(), all)] } else { subs }
}

/// What a command demands, and whom it is about.
fn filled(options: &[Value], about: &str, whom: &str) -> Value {
    let value = |option: &Value| match option["type"].as_u64() {
        _ if option["name"] == about => Some(json!(whom)),
        Some(TEXT) if option["required"] == true => Some(json!("x")),
        Some(WHOLE) if option["required"] == true => Some(json!(1)),
        _ => None,
    };
    let filled = options
        .iter()
        .filter_map(|option| Some((option["name"].as_str().unwrap().to_owned(), value(option)?)));
    Value::Object(filled.collect::<Map<_, _>>())
}
