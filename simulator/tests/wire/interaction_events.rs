//! Without an endpoint interactions come by the event stream, and are answered by a call.

use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::application::{App, ban};
use crate::peer::GUILD;

struct Client(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Client {
    async fn connect(app: &App, shard: [u64; 2]) -> Self {
        let url = format!("{}/gateway/?v=10&encoding=json", app.peer.url.replace("http://", "ws://"));
        let mut client = Self(connect_async(url).await.unwrap().0);
        // No intent: interactions need none.
        let identify =
            json!({ "op": 2, "d": { "token": "t", "intents": 0, "shard": shard, "properties": {} } });
        client.0.send(Message::text(identify.to_string())).await.unwrap();
        client.event("READY").await;
        client
    }

    /// The data of the next event of this name.
    async fn event(&mut self, name: &str) -> Value {
        loop {
            let message = self.0.next().await.unwrap().unwrap();
            let mut event: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
            if event["t"] == name {
                return event["d"].take();
            }
        }
    }
}

async fn answer(app: &App, interaction: &Value, body: Value) -> (u16, i64) {
    let [id, token] = ["id", "token"].map(|name| interaction[name].as_str().unwrap());
    let (status, refusal) =
        app.open(Method::POST, &format!("/interactions/{id}/{token}/callback"), body).await;
    (status, refusal["code"].as_i64().unwrap_or_default())
}

fn message(text: &str) -> Value {
    json!({ "type": 4, "data": { "content": text } })
}

#[tokio::test]
async fn an_interaction_comes_by_the_stream_and_is_answered_once() {
    let app = App::with_commands().await;
    let mut client = Client::connect(&app, [0, 1]).await;
    let person = app.interact(ban());
    let bot = async {
        let interaction = client.event("INTERACTION_CREATE").await;
        assert_eq!((&interaction["type"], &interaction["data"]["name"]), (&json!(2), &json!("ban")));
        assert_eq!(interaction["guild_id"], GUILD.to_string());
        let mut forged = interaction.clone();
        forged["token"] = json!("other");
        assert_eq!(answer(&app, &forged, message("no")).await, (404, 10062));
        assert_eq!(answer(&app, &interaction, json!({ "type": 99 })).await, (400, 50035));
        assert_eq!(answer(&app, &interaction, message("done")).await, (204, 0));
        assert_eq!(answer(&app, &interaction, message("again")).await, (400, 40060));
        interaction
    };
    let (report, interaction) = tokio::join!(person, bot);
    assert_eq!((&report["status"], &report["answer"]), (&json!(200), &message("done")), "{report}");
    assert_eq!(report["interaction_id"], interaction["id"]);
    let seen = app.seen(&report).await;
    assert_eq!((&seen["content"], &seen["failed"]), (&json!("done"), &Value::Null));
    let flawed =
        json!({ "guild_id": GUILD.to_string(), "user_id": "1", "command": "ban", "flaw": "no_signature" });
    assert_eq!(app.peer.post("/control/interactions", flawed).await.0, 400);
}

#[tokio::test]
async fn after_three_seconds_the_application_did_not_respond() {
    let app = App::with_commands().await;
    let shard = (GUILD.unsigned_abs() >> 22) % 2;
    let mut client = Client::connect(&app, [shard, 2]).await;
    let report = app.interact(ban()).await;
    assert_eq!((&report["status"], &report["answer"]), (&Value::Null, &Value::Null), "{report}");
    assert!(report["took_ms"].as_u64().unwrap() >= 3_000, "{report}");
    assert_eq!(app.seen(&report).await["failed"], "no answer within 3 seconds");
    let interaction = client.event("INTERACTION_CREATE").await;
    assert_eq!(answer(&app, &interaction, message("late")).await, (404, 10062));
}
