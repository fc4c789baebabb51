//! The proxy before an echo server.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::*;

mod vanished;

/// Timeout of any step on a loaded machine.
const WAIT_LIMIT: Duration = Duration::from_secs(20);
/// How long the test waits to confirm that nothing arrives.
const SILENCE: Duration = Duration::from_millis(300);

/// The address of an echo server that lives as long as the test process.
fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            std::thread::spawn(move || {
                let mut writer = client.try_clone().unwrap();
                let _ = io::copy(&mut client, &mut writer);
            });
        }
    });
    address
}

fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.address()).unwrap();
    stream.set_read_timeout(Some(WAIT_LIMIT)).unwrap();
    stream
}

fn say(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).unwrap();
    let mut heard = vec![0; text.len()];
    stream.read_exact(&mut heard).unwrap();
    assert_eq!(heard, text.as_bytes());
}

fn assert_silent(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    let error = stream.read(&mut [0; 16]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    stream.set_read_timeout(Some(WAIT_LIMIT)).unwrap();
}

#[test]
fn passes_everything_on() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut stream = connect(&proxy);
    let long: String = "0123456789".repeat(30_000);
    let mut writer = stream.try_clone().unwrap();
    let sent = long.clone();
    let writing = std::thread::spawn(move || {
        writer.write_all(sent.as_bytes()).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    // The proxy forwards the end of the client's stream, and that of the server's.
    let mut heard = String::new();
    stream.read_to_string(&mut heard).unwrap();
    writing.join().unwrap();
    assert!(heard == long, "{} bytes came back", heard.len());
}

#[test]
fn latency_is_added_each_way_and_taken_away_again() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut stream = connect(&proxy);
    proxy.latency(Duration::from_millis(120), Duration::from_millis(80));
    let asked = Instant::now();
    say(&mut stream, "late");
    assert!(asked.elapsed() >= Duration::from_millis(200), "{:?}", asked.elapsed());
    // Ten at once take as long as one.
    let asked = Instant::now();
    for _ in 0..10 {
        stream.write_all(b"0123456789").unwrap();
    }
    stream.read_exact(&mut [0; 100]).unwrap();
    println!("ten writes with 200 ms of latency: {:?}", asked.elapsed());
    proxy.heal();
    say(&mut stream, "in time");
}

#[test]
fn a_connection_is_cut_after_exactly_so_many_bytes_each_time() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut old = connect(&proxy);
    say(&mut old, "bytes before the command do not count");
    proxy.cut_after(Way::ToClient, 5);
    for mut stream in [old, connect(&proxy), connect(&proxy)] {
        stream.write_all(b"0123456789").unwrap();
        let mut heard = Vec::new();
        // Cut in the middle: the received bytes stand, followed by the end or a reset.
        let _ = stream.read_to_end(&mut heard);
        assert_eq!(heard, b"01234");
    }
    proxy.heal();
    say(&mut connect(&proxy), "0123456789");
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Proxy::start(&target.local_addr().unwrap().to_string()).unwrap();
    proxy.cut_after(Way::ToTarget, 3);
    let mut stream = connect(&proxy);
    stream.write_all(b"0123456789").unwrap();
    let mut arrived = Vec::new();
    target.accept().unwrap().0.read_to_end(&mut arrived).unwrap();
    assert_eq!(arrived, b"012");
}

#[test]
fn half_open_says_nothing_for_ever_and_new_connections_live_after_healing() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut old = connect(&proxy);
    say(&mut old, "alive");
    proxy.half_open();
    let mut new = connect(&proxy);
    for stream in [&mut old, &mut new] {
        stream.write_all(b"anybody there?").unwrap();
        assert_silent(stream);
    }
    proxy.heal();
    say(&mut connect(&proxy), "alive again");
    assert_silent(&mut old);
    assert_silent(&mut new);
    proxy.reset();
    for stream in [&mut old, &mut new] {
        assert_eq!(stream.read(&mut [0; 16]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
}

#[test]
fn reset_ends_what_is_there_by_rst_and_serves_what_comes() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut old = connect(&proxy);
    say(&mut old, "alive");
    proxy.reset();
    assert_eq!(old.read(&mut [0; 16]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    say(&mut connect(&proxy), "alive again");
}

#[test]
fn a_target_that_is_not_there_resets_the_client() {
    let target = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let proxy = Proxy::start(&target).unwrap();
    let error = connect(&proxy).read(&mut [0; 16]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn urls_are_led_through_it() {
    let echo = echo();
    let proxy = Proxy::before(&format!("amqp://guildhall:secret@{echo}/%2f")).unwrap();
    say(&mut connect(&proxy), "to the host of the URL");
    assert!(Proxy::before("postgres://a:b@host/name").is_err());
    let proxy = Proxy::start("127.0.0.1:1").unwrap();
    let address = proxy.address();
    for (url, through) in [
        ("amqp://guildhall:secret@127.0.0.1:5672/%2f", format!("amqp://guildhall:secret@{address}/%2f")),
        ("postgres://a:b@host/name", format!("postgres://a:b@{address}/name")),
        ("http://127.0.0.1:80", format!("http://{address}")),
    ] {
        assert_eq!(proxy.url(url), through);
    }
}

#[test]
fn refused_connections_end_until_it_heals() {
    let proxy = Proxy::start(&echo()).unwrap();
    let mut stream = connect(&proxy);
    say(&mut stream, "hello");
    proxy.refuse();
    assert!(matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_)), "the connection goes on");
    let refused = Instant::now();
    while TcpStream::connect(proxy.address()).is_ok() {
        assert!(refused.elapsed() < WAIT_LIMIT, "connections are accepted");
    }
    proxy.heal();
    let healed = Instant::now();
    while TcpStream::connect(proxy.address()).is_err() {
        assert!(healed.elapsed() < WAIT_LIMIT, "connections are refused");
    }
    say(&mut connect(&proxy), "hello");
}
