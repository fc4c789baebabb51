use super::*;

fn receivers(private: &[&str]) -> Receivers {
    let private: Vec<IpNet> = private.iter().map(|network| network.parse().unwrap()).collect();
    Receivers::new(&private, "test").unwrap()
}

#[test]
fn urls_are_public_and_have_tls_unless_the_operator_allows_others() {
    let (closed, open) = (receivers(&[]), receivers(&["127.0.0.0/8"]));
    for url in ["https://example.org/hook?a=b", "https://example.org:8443", "https://1.1.1.1/x"] {
        assert_eq!(closed.check(url), Ok(()), "{url}");
    }
    for url in [
        "http://example.org",
        "ftp://example.org",
        "example.org",
        "",
        "https://",
        "https://u:p@example.org/",
        "https://u@example.org/",
        "https://example.org/#part",
        "file:///etc/passwd",
    ] {
        assert_eq!(closed.check(url), Err(Unreached::Url), "{url}");
    }
    for url in [
        "https://127.0.0.1",
        "https://[::1]/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://[::ffff:10.0.0.1]/",
    ] {
        assert_eq!(closed.check(url), Err(Unreached::Private), "{url}");
    }
    assert_eq!(open.check("http://127.0.0.1:9000/hook"), Ok(()));
    assert_eq!(open.check("http://1.1.1.1/"), Err(Unreached::Private), "without TLS only to these networks");
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused() {
    let message = || Message { id: "msg_1", at: 0, body: "{}".to_owned() };
    let post = |receivers: Receivers, url: &'static str| async move {
        receivers.post(url, std::iter::once("whsec_AAAA"), message()).await
    };
    assert_eq!(post(receivers(&[]), "https://localhost:9/").await, Err(Unreached::Private));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url: &'static str = format!("http://localhost:{}/", closed.port()).leak();
    let open = receivers(&["127.0.0.0/8"]);
    assert_eq!(post(open.clone(), url).await, Err(Unreached::NoConnection));
    assert_eq!(post(open, "http://no-such-host.invalid/").await, Err(Unreached::Unknown));
}
