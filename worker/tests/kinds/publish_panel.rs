//! Application panels in channels (docs/rules.md 7): the message with the button is posted once.

use std::sync::Arc;

use entities::application_panel::{self, NewPanel};
use entities::{ChannelId, PanelId};
use jobs::kinds::PublishPanel;
use people::application_button;
use queue::Answer;
use serde_json::json;

use crate::crashes::Mortal;
use crate::fixture::{Fixture, guild_id, until};
use crate::people::{GUILD, Person};
use crate::process::Process;

const SEND: &str = "POST /channels/:channel/messages";

/// The channel that every simulated guild has.
fn channel() -> ChannelId {
    GUILD.try_into().unwrap()
}

fn job(panel: PanelId) -> PublishPanel {
    PublishPanel { guild: guild_id(), panel, channel: channel() }
}

async fn panel(process: &Process) -> application_panel::Model {
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    application_panel::add(conn, guild_id(), NewPanel::named("Team"), now).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_panel_that_is_gone_is_not_posted() {
    let fixture = Fixture::new(&[Person::right(1)]).await;
    let process = fixture.process().await;
    let panel = panel(&process).await;
    process.succeed(&job(panel.panel_id)).await;
    let messages = fixture.messages_in(channel()).await;
    let button = &messages[0]["components"][0]["components"][0]["custom_id"];
    assert_eq!((messages.len(), button), (1, &json!(application_button::id(&panel))));
    let (conn, now) = (process.context.database.write(), process.context.clock.now());
    application_panel::remove(conn, panel.clone(), now).await.unwrap();
    assert_eq!(process.fail(&job(panel.panel_id)).await.0, 404);
    assert_eq!(fixture.messages_in(channel()).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_worker_posts_no_panel_twice() {
    let fixture = Arc::new(Fixture::new(&[Person::right(1)]).await);
    fixture.order(&json!({ "route": SEND, "hang_ms": 60_000, "served": true, "count": 1 })).await;
    let mortal = Mortal::start(&fixture).await;
    let panel = panel(&mortal.process).await;
    let id = mortal.process.enqueue(&job(panel.panel_id)).await;
    until("the message is posted", async || fixture.messages_in(channel()).await.len() == 1).await;
    mortal.kill();
    let process = fixture.process().await;
    let Answer::Succeeded(_) = process.finish(id).await else { panic!("failed") };
    assert_eq!(fixture.messages_in(channel()).await.len(), 1);
    assert_eq!(process.audit("application_panels.publish").await.len(), 1);
}
