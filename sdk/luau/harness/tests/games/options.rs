//! `Guildhall.start` says which option is wrong; nothing is global; Studio.

use crate::stand_in::{URL, start, world};

fn problem(options: &str) -> String {
    let (world, _) = world(1);
    let script = format!("return select(2, pcall(Guildhall.start, {options}))");
    world.servers[0].eval::<String>(&script).unwrap()
}

#[tokio::test]
async fn a_wrong_option_is_named() {
    for (options, named) in [
        ("{}", "`key` is missing|`url` is missing"),
        (r#"{ url = "example.org", key = "k" }"#, "`url` must be an address"),
        (r#"{ url = "https://a.b", key = 5 }"#, "`key` must be a secret"),
        (
            r#"{ url = "https://a.b", key = "k", waitSeconds = 21 }"#,
            "`waitSeconds` must be a number from 0 to 20",
        ),
        (r#"{ url = "https://a.b", key = "k", failClosed = "yes" }"#, "`failClosed` must be true or false"),
        (r#"{ url = "https://a.b", key = "k", shield = "ban" }"#, "`shield` must be"),
        (r#"{ url = "https://a.b", key = "k", commands = { print } }"#, "`commands` must be"),
        (r#"{ url = "https://a.b", key = "k", wait = 5 }"#, "`wait` is not an option"),
        ("5", "takes a table of options"),
    ] {
        let said = problem(options);
        assert!(named.split('|').any(|text| said.contains(text)), "{options}: {said}");
    }
}

#[tokio::test]
async fn the_key_is_only_in_the_header() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.run_for(60.0).await;
    assert!(service.borrow().count("/play/servers/tick") >= 5);
    assert!(!format!("{:?}", service.borrow().asked).contains("gh_key"));
}

#[tokio::test]
async fn two_may_run_in_one_server() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.servers[0].run("second = Guildhall.start({ url = 'http://other.test/', key = 'other' })").unwrap();
    world.servers[0].run("guildhall:stop()").unwrap();
    world.run_for(60.0).await;
    // The first has said goodbye, the second goes on.
    let ticks = service.borrow().asked("/play/servers/tick");
    assert_eq!(ticks.iter().filter(|tick| tick["closing"] == true).count(), 1);
    assert!(ticks.len() > 5, "{}", ticks.len());
    assert!(!URL.ends_with('/'));
}

#[tokio::test]
async fn nothing_is_sent_from_studio_unless_wanted() {
    for (options, sends) in [("", false), ("studio = true", true)] {
        let (mut world, service) = world(1);
        let studio = luau_harness::Place { job: String::new(), studio: true, ..crate::stand_in::place("") };
        world.servers.clear();
        world.add(studio).unwrap();
        start(&world, options);
        world.servers[0].join(-1).unwrap();
        world.servers[0]
            .run("admitted = guildhall:admit(game:GetService('Players'):GetPlayerByUserId(-1))")
            .unwrap();
        world.run_for(30.0).await;
        assert_eq!(!service.borrow().asked.is_empty(), sends);
        assert!(world.servers[0].eval::<bool>("admitted").unwrap());
        let banned = "guildhall:ban(5, { reason = 'test' })";
        assert_eq!(world.servers[0].eval::<bool>(banned).unwrap(), sends);
    }
}
