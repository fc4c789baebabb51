use super::*;

fn guild(id: i64) -> GuildId {
    id.try_into().unwrap()
}

fn enter(live: &Live, of: i64, server: &str, key: &str) -> Subscription {
    let place = Place { place: 1.try_into().unwrap(), server: server.to_owned() };
    live.enter(guild(of), place, key.to_owned()).unwrap()
}

fn frame(text: &str) -> Message {
    Message::Frame(Frame { text: text.to_owned(), command: None })
}

#[tokio::test]
async fn a_message_reaches_only_the_sockets_it_concerns() {
    let live = Live::default();
    let mut one = enter(&live, 1, "a", "k");
    let mut two = enter(&live, 1, "b", "k");
    let mut other = enter(&live, 2, "a", "k");
    live.tell(guild(1), |place| (place.server == "a").then(|| frame("x")));
    assert!(one.messages.try_recv().is_ok());
    assert!(two.messages.try_recv().is_err() && other.messages.try_recv().is_err());
    live.tell_all(|| Message::ReadAgain);
    for subscription in [&mut one, &mut two, &mut other] {
        assert!(matches!(subscription.messages.try_recv(), Ok(Message::ReadAgain)));
    }
}

#[tokio::test]
async fn a_full_queue_closes_only_its_socket() {
    let live = Live::default();
    let mut slow = enter(&live, 1, "a", "k");
    let mut fast = enter(&live, 1, "a", "k");
    for _ in 0..=QUEUE {
        live.tell(guild(1), |_| Some(frame("x")));
        fast.messages.try_recv().unwrap();
    }
    assert_eq!(slow.ending.try_recv(), Ok(Ending::TooSlow));
    assert!(fast.ending.try_recv().is_err());
    assert_eq!(live.lock().count, 1);
    drop(slow);
    assert_eq!(live.lock().count, 1, "it had left already");
}

#[tokio::test]
async fn sockets_per_guild_are_limited() {
    let live = Live::default();
    let subscriptions: Vec<Subscription> = (0..MOST_OF_A_GUILD).map(|_| enter(&live, 1, "a", "k")).collect();
    let place = || Place { place: 1.try_into().unwrap(), server: "a".to_owned() };
    assert!(live.enter(guild(1), place(), "k".to_owned()).is_err());
    assert!(live.enter(guild(2), place(), "k".to_owned()).is_ok());
    drop(subscriptions);
    assert!(live.enter(guild(1), place(), "k".to_owned()).is_ok());
}

#[tokio::test]
async fn sockets_of_a_key_are_closed_together() {
    let live = Live::default();
    let mut gone = enter(&live, 1, "a", "k1");
    let mut stays = enter(&live, 1, "a", "k2");
    assert_eq!(live.keys(), ["k1", "k2"]);
    live.end_key("k1");
    assert_eq!(gone.ending.try_recv(), Ok(Ending::KeyNoLongerGood));
    assert!(stays.ending.try_recv().is_err());
    assert_eq!(live.keys(), ["k2"]);
    drop(stays);
    assert!(live.keys().is_empty() && live.lock().by_guild.is_empty());
}
