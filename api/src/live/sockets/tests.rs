use super::*;

fn guild(id: i64) -> GuildId {
    id.try_into().unwrap()
}

fn live() -> Live {
    Live::new(Capacity { connections: 1, connections_per_address: 1, sockets: 5, sockets_per_guild: 3 })
}

fn try_enter(live: &Live, of: i64, server: &str, key: &str) -> Result<Subscription, ApiError> {
    let place = Place { place: 1.try_into().unwrap(), server: server.to_owned() };
    live.enter(guild(of), &place, key, None)
}

fn enter(live: &Live, of: i64, server: &str) -> Subscription {
    try_enter(live, of, server, "k").unwrap()
}

fn frame(text: &str) -> Frame {
    Frame { text: text.to_owned().into(), command: None }
}

#[tokio::test]
async fn a_message_reaches_only_the_sockets_it_concerns() {
    let live = live();
    let mut of_a = [enter(&live, 1, "a"), enter(&live, 1, "a")];
    let (mut b, mut other) = (enter(&live, 1, "b"), enter(&live, 2, "a"));
    let told = |server: &str| live.tell_server(guild(1), server.to_owned(), || Ok::<_, ()>(frame("x")));
    told("a").unwrap();
    assert!(of_a.iter_mut().all(|socket| socket.messages.try_recv().is_ok()));
    assert!(b.messages.try_recv().is_err() && other.messages.try_recv().is_err());
    live.tell_server(guild(1), "c".to_owned(), || Err("rendered for no socket")).unwrap();

    let frame = Message::Frame(frame("x").into());
    live.tell_guild(guild(1), Some(2.try_into().unwrap()), &frame).await;
    assert!(b.messages.try_recv().is_err(), "another place");
    live.tell_guild(guild(1), Some(1.try_into().unwrap()), &frame).await;
    assert!(b.messages.try_recv().is_ok() && other.messages.try_recv().is_err());
    live.tell_all(&Message::ReadAgain).await;
    for subscription in [&mut b, &mut other] {
        assert!(matches!(subscription.messages.try_recv(), Ok(Message::ReadAgain)));
    }
}

#[tokio::test]
async fn a_message_reaches_each_socket_of_a_large_guild_once() {
    let live = Live::new(Capacity::of_files(usize::MAX));
    let servers = (0..=2 * SLICE).map(|n| enter(&live, 1, &(n / 2).to_string()));
    let mut subscriptions: Vec<Subscription> = servers.collect();
    live.tell_guild(guild(1), None, &Message::Frame(frame("x").into())).await;
    for subscription in &mut subscriptions {
        assert!(subscription.messages.try_recv().is_ok() && subscription.messages.try_recv().is_err());
    }
}

#[tokio::test]
async fn a_full_queue_closes_only_its_socket() {
    let live = live();
    let (mut slow, mut fast) = (enter(&live, 1, "a"), enter(&live, 1, "a"));
    for _ in 0..=QUEUE {
        live.tell_guild(guild(1), None, &Message::Frame(frame("x").into())).await;
        fast.messages.try_recv().unwrap();
    }
    assert!(slow.too_slow.try_recv().is_ok() && fast.too_slow.try_recv().is_err());
    assert_eq!(live.lock().count, 1);
    drop(slow);
    assert_eq!(live.lock().count, 1, "it had left already");
}

#[tokio::test]
async fn sockets_are_limited_and_leave_room_for_other_guilds() {
    let live = live();
    let subscriptions: Vec<Subscription> = (0..3).map(|_| enter(&live, 1, "a")).collect();
    assert!(try_enter(&live, 1, "a", "k").is_err());
    let _others = [enter(&live, 2, "a"), enter(&live, 2, "a")];
    assert!(try_enter(&live, 2, "a", "k").is_err(), "the process is full");
    drop(subscriptions);
    assert!(try_enter(&live, 1, "a", "k").is_ok());
}

#[tokio::test]
async fn sockets_of_a_key_are_closed_together() {
    let live = live();
    let gone = [try_enter(&live, 1, "a", "k1").unwrap(), try_enter(&live, 1, "a", "k1").unwrap()];
    let stays = try_enter(&live, 1, "a", "k2").unwrap();
    live.end_key("k1");
    assert!(gone.iter().all(|socket| socket.key_ended.is_cancelled()) && !stays.key_ended.is_cancelled());
    let [one, two] = gone;
    drop(one);
    assert!(live.uses_key("k1"));
    drop(two);
    assert!(live.uses_key("k2") && !live.uses_key("k1"));
    drop(stays);
    assert!(live.keys().is_empty() && live.lock().by_guild.is_empty());
}

#[tokio::test]
async fn an_expired_key_closes_its_sockets() {
    let live = live();
    let socket = enter(&live, 1, "a");
    let end = Timestamp::from_timestamp(100, 0).unwrap();
    live.set_expiry("k", Some(end));
    live.end_expired_keys(end - Duration::from_secs(1));
    assert!(!socket.key_ended.is_cancelled());
    live.end_expired_keys(end);
    assert!(socket.key_ended.is_cancelled());
}
