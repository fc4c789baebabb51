//! `guildhall gateway`: reads the events of the chat platform. One of several leads.

use runtime::Origin;

use crate::process::{BackgroundArgs, Process, credentials};

/// A gateway process: reads the events of the chat platform, so that members who join or are changed are synced at once.
///
/// Without `GUILDHALL_CHAT_PUBLIC_KEY` it also answers the commands of the chat platform, such as /link, which come as events
/// then.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ, Redis, and the bot's token. Without the intent for
/// members ("Server Members Intent") it learns of roles and commands only. Run two, so that one can take over.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) background: BackgroundArgs,
    /// Public URL of the console, such as `https://guildhall.example.org`, for links in answers to commands [default: none]
    #[arg(long, env = "GUILDHALL_PUBLIC_URL", value_name = "URL")]
    public_url: Option<Origin>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let start = |Process { context, queue, platforms }: &Process| {
        let chat = platforms.interaction_key.is_none().then(|| {
            credentials::register_commands(platforms, &context.shutdown);
            let public_url = args.public_url.clone().map(|Origin(url)| url);
            let options = api::Options { public_url, ..api::Options::default() };
            api::Service::new(context.clone(), queue.clone(), platforms.clone(), options).chat_commands()
        });
        gateway::start(context, queue, platforms, chat, false);
    };
    args.background.run("gateway", start).await
}
