//! What an API process consists of. A process that only answers commands of the chat platform has it without a port.

use std::sync::Arc;

use chat_commands::ChatCommands;
use console::Console;
use people::RightsCache;
use platforms::Platforms;
use queue::Queue;
use runtime::Context;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::server::accept::accept;
use crate::server::dispatch::Server;
use crate::server::in_process::InProcess;
use crate::server::router::Router;
use crate::server::{connection, dispatch, heartbeat_writer, live, presence};
use crate::state::State;
use crate::state::options::Options;

pub struct Service {
    api: Arc<InProcess>,
    rights: Arc<RightsCache>,
    chat: Arc<ChatCommands>,
}

impl Service {
    pub fn new(context: Context, queue: Queue, platforms: Platforms, options: Options) -> Self {
        let state = State::new(context, queue, platforms, options);
        let api = Arc::new(InProcess { state: state.clone(), router: Arc::new(Router::new()) });
        let (context, platforms) = (state.context.clone(), state.platforms.clone());
        let rights = Arc::new(RightsCache::new(context.clone(), platforms.clone()));
        let public_url = state.options.public_url.clone();
        let chat = ChatCommands { context, platforms, api: api.clone(), rights: rights.clone(), public_url };
        Self { api, rights, chat: Arc::new(chat) }
    }

    /// Answers interactions with calls of this API.
    pub fn chat_commands(&self) -> Arc<ChatCommands> {
        self.chat.clone()
    }

    /// Serves the API until shutdown begins and the last connection has ended or was cancelled.
    ///
    /// Tasks run on the trackers of the shutdown, so waiting for the shutdown covers them too.
    pub async fn serve(self, listener: TcpListener) {
        let Self { api, rights, chat } = self;
        let InProcess { state, router } = &*api;
        let State { context, platforms, queue, options, .. } = &**state;
        if options.distributed {
            context.limits.join(&context.shutdown);
        }
        start_services(state);
        let ways_in = console::WaysIn {
            public_url: options.public_url.clone(),
            link_command: options.link_command.clone(),
        };
        let (context, platforms, queue) = (context.clone(), platforms.clone(), queue.clone());
        let console = Console::new(context, platforms, queue, api.clone(), rights, ways_in);
        live::start(state, &console);
        let server = Server { state: state.clone(), router: router.clone(), console, chat };
        let service = warp::service(dispatch::filter(Arc::new(server)));
        let connections = TaskTracker::new();
        accept(&listener, state, &connections, |stream, peer, admission| {
            connection::serve(stream, peer.ip(), admission, service.clone(), state.clone())
        })
        .await;
        // The system refuses new connections, and clients go to another process.
        drop(listener);
        connections.close();
        connections.wait().await;
    }
}

/// Tasks beside the requests.
fn start_services(state: &Arc<State>) {
    let services = state.context.shutdown.services();
    // Ends after its last batch.
    services.spawn(heartbeat_writer::write_batches(state.clone()));
    services.spawn(presence::keep(state.clone()));
}
