//! What a dashboard and a game server of the guild are sent.

use testkit::Deployment;
use testkit::console::Console;

use crate::moderation::Moderating;
use crate::{live_dashboard, websocket};

/// A player who is banned to mark the last frame.
const MARK: &str = "600700800";

pub(super) struct Frames {
    dashboard: live_dashboard::socket::Socket,
    game: websocket::Socket,
}

impl Frames {
    pub(super) async fn open(deployment: &Deployment) -> Self {
        let owner = Console::owner(deployment).await;
        let key = deployment.new_key("play").await;
        Self {
            dashboard: live_dashboard::socket::Socket::of(deployment, &owner).await,
            game: websocket::Socket::open(deployment, 0, &key).await,
        }
    }

    /// All frames until now.
    pub(super) async fn so_far(&mut self, deployment: &Deployment) -> Vec<String> {
        deployment.ban(MARK, serde_json::json!({})).await;
        let mut seen = Vec::new();
        while !seen.last().is_some_and(|frame: &String| frame.contains(MARK)) {
            seen.push(self.dashboard.frame().await.to_string());
        }
        seen.push(String::new());
        while !seen.last().is_some_and(|frame| frame.contains(MARK)) {
            seen.push(self.game.frame().await.to_string());
        }
        seen
    }
}
