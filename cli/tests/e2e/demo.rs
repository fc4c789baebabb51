//! `guildhall demo`: a bulk sync under the real platforms' limits, and the commands that it prints.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use testkit::{Process, eventually, free_address, http_client, run_command};

/// The demo keeps the real limits: 200 changes at 50 a second, and two reads of 500 members.
const SHOWN_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn the_demo_syncs_500_members_and_prints_commands_that_work() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let mut demo = Process::spawn("demo", &["demo", "--listen", &address], &[], folder.path());
    let said = eventually("the commands are printed", SHOWN_WITHIN, async || {
        assert!(demo.has_ended().is_none(), "{}", demo.log());
        let log = demo.log();
        (log.contains(" console link ") && log.ends_with('\n')).then_some(log)
    })
    .await;
    for words in
        ["200 of 500 members have wrong", "200 changed, 0 wrong afterwards", "second sync changed none"]
    {
        assert!(said.contains(words), "no {words:?} in: {said}");
    }
    let simulator = said.lines().find(|line| line.starts_with("simulator ")).unwrap();
    let simulator = simulator.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    let stats: Value =
        http_client().get(format!("{simulator}/control/stats")).send().await.unwrap().json().await.unwrap();
    // One update for each changed member, and one page of up to 1,000 members in each of the two syncs and in the preview.
    assert_eq!(
        (&stats["member_updates"], &stats["page_calls"]),
        (&Value::from(200), &Value::from(3)),
        "{stats}"
    );
    assert!(stats["max_per_second"].as_u64().unwrap() <= 50, "{stats}");
    assert_eq!(stats["invalid"], 0, "{stats}");
    assert_the_console_has_something_to_show(&said).await;
    assert_the_visitors_sync_moves_members(&said).await;
    assert_another_link_signs_in(&said).await;
    assert_the_newcomer_can_be_played(&said).await;
    assert_lines_work(&said);
    assert_its_data_is_not_replaced(&said, folder.path()).await;

    demo.terminate();
    let end = demo.ended(Duration::from_secs(35)).await;
    assert!(end.success(), "{end}: {}", demo.log());
}

/// The printed line of a kind, such as `KEY=`.
fn line<'s>(said: &'s str, start: &str) -> &'s str {
    said.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no {start:?} in: {said}"))
}

async fn assert_the_console_has_something_to_show(said: &str) {
    let (api, key) =
        (line(said, "API").split_whitespace().last().unwrap(), &line(said, "KEY=")["KEY=".len()..]);
    let guild = "7000000000000000000";
    for (path, list, expected) in [
        (format!("/moderation/{guild}/play/bans/active"), "bans", 14),
        (format!("/moderation/{guild}/play/mutes/active"), "mutes", 3),
        (format!("/guilds/{guild}/servers"), "servers", 3),
        (format!("/staff/members/{guild}"), "members", 5),
    ] {
        let request = http_client().get(format!("{api}{path}")).header("X-API-Key", key);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["data"][list].as_array().map(Vec::len), Some(expected), "{path}: {answer}");
    }
}

/// The chat client as a member who is not linked, and that member's page, which asks to sign in.
async fn assert_the_newcomer_can_be_played(said: &str) {
    let pages: Vec<&str> = said.lines().skip_while(|line| !line.contains("/client?guild=")).take(2).collect();
    for (page, shown) in pages.iter().zip(["(no role)", "Discord"]) {
        let answer = http_client().get(*page).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{page}");
        let html = answer.text().await.unwrap();
        assert!(html.contains(shown), "{page}: {html}");
    }
    assert!(pages.len() == 2 && pages[1].ends_with("/link/7000000000000000000"), "{said}");
    let apply = format!("{}/1", pages[1].replace("/link/", "/apply/"));
    let sign_in = http_client().get(apply).send().await.unwrap().text().await.unwrap();
    assert!(sign_in.contains("only members of the server apply there"), "{sign_in}");
    assert_a_code_is_typed_in_the_game(pages[0]).await;
}

/// The way through the chat and the game, with the forms of one page.
async fn assert_a_code_is_typed_in_the_game(page: &str) {
    let page = format!("{page}&player=ember_0_500");
    let send = async |form: String| -> String {
        let answer = http_client().post(&page).body(form).send().await.unwrap();
        answer.text().await.unwrap()
    };
    let html = send("command=link".to_owned()).await;
    let code = html.split("Type the code <b>").nth(1).and_then(|rest| rest.split('<').next());
    let code = code.unwrap_or_else(|| panic!("no code: {html}"));
    let html = send(format!("code={code}")).await;
    assert!(html.contains("with your account?"), "{html}");
    let html = send(format!("code={code}&agrees=yes")).await;
    assert!(html.contains("Linked with "), "{html}");
}

/// The hour's run is free, and it has something to do.
async fn assert_the_visitors_sync_moves_members(said: &str) {
    assert!(said.contains("then 9 members were made wrong by hand"), "{said}");
    let (api, key) =
        (line(said, "API").split_whitespace().last().unwrap(), &line(said, "KEY=")["KEY=".len()..]);
    let call = async |request: reqwest::RequestBuilder| -> Value {
        request.header("X-API-Key", key).send().await.unwrap().json().await.unwrap()
    };
    for dry_run in [true, false] {
        let body = serde_json::json!({ "dry_run": dry_run });
        let begun = call(http_client().post(format!("{api}/interactions/sync/all")).json(&body)).await;
        let job = begun["data"]["job_id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
        let ended = eventually("the sync ends", SHOWN_WITHIN, async || {
            let job = call(http_client().get(format!("{api}/jobs/{job}"))).await;
            (job["data"]["state"] == "succeeded").then_some(job)
        })
        .await;
        let result = &ended["data"]["result"];
        let planned = ["planned", "role_additions", "role_removals", "nicknames"].map(|name| &result[name]);
        assert_eq!(planned, [9, 3, 3, 3].map(Value::from).each_ref(), "{ended}");
        if !dry_run {
            assert_eq!(result["updated"], 9, "{ended}");
        }
    }
}

/// The sign-in page names the command that the demo printed, and the link of that command works.
async fn assert_another_link_signs_in(said: &str) {
    let command = said.lines().find(|line| line.contains(" console link ")).unwrap();
    let api = line(said, "API").split_whitespace().last().unwrap();
    let page = http_client().get(format!("{api}/console/sign-in")).send().await.unwrap();
    assert!(page.text().await.unwrap().contains(command), "{command}");
    let mut terminal = std::process::Command::new("bash");
    // A visitor's terminal does not have the settings of the tests.
    terminal.env_clear().envs(std::env::vars().filter(|(name, _)| !name.starts_with("GUILDHALL_")));
    let output = terminal.args(["-euc", command]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let link = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let shown = http_client().get(&link).send().await.unwrap().text().await.unwrap();
    assert!(shown.contains("<strong>amber_0_0</strong>"), "{shown}");
    let signed_in = http_client().post(&link).header("origin", api).send().await.unwrap();
    assert!(signed_in.status().is_success(), "{signed_in:?}");
    let used = http_client().get(&link).send().await.unwrap();
    assert_eq!(used.status(), 404);
    assert!(used.text().await.unwrap().contains(command), "{command}");
}

/// Runs the printed commands in a shell.
fn assert_lines_work(said: &str) {
    let (start, end) = (said.find("KEY=gh_").unwrap(), said.find("\nServing on ").unwrap());
    let lines: Vec<&str> = said[start..end].lines().filter(|line| !line.trim().is_empty()).collect();
    let calls = lines.iter().filter(|line| line.starts_with("curl ")).count();
    assert!(calls >= 4, "{said}");
    let output = std::process::Command::new("bash").args(["-euc", &lines.join("\necho\n")]).output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{answers} {}", String::from_utf8_lossy(&output.stderr));
    // The one call to the simulator's control side is answered without a body.
    assert_eq!(answers.matches(r#""status":"success","code":200"#).count(), calls - 1, "{answers}");
    assert!(!answers.contains(r#""status":"error""#), "{answers}");
    // The sync gives the member the role back that the call before it took away.
    assert!(answers.contains(r#""added_roles":[""#), "{answers}");
}

/// Nothing runs on the folder of a demo beside it.
async fn assert_its_data_is_not_replaced(said: &str, folder: &Path) {
    let data = said.lines().find_map(|line| line.strip_prefix("data ")).unwrap();
    let data = data.split_whitespace().next().unwrap();
    run_command(&["backup", "copy", "--data-dir", data], &[], folder).await.succeeded();
    let replace = ["restore", "copy", "--replace", "--data-dir", data];
    let refused = run_command(&replace, &[], folder).await.refused();
    assert!(refused.contains("is in use by another"), "{refused}");
}

#[tokio::test]
async fn with_life_the_community_moves_and_stays_right() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let args = ["demo", "--life", "7200", "--listen", &address];
    let mut demo = Process::spawn("demo", &args, &[], folder.path());
    let said = eventually("the commands are printed", SHOWN_WITHIN, async || {
        assert!(demo.has_ended().is_none(), "{}", demo.log());
        let log = demo.log();
        (log.contains(" console link ") && log.ends_with('\n')).then_some(log)
    })
    .await;
    assert!(said.contains("second sync changed none") && !said.contains("wrong by hand"), "{said}");
    let life = said.lines().find(|line| line.ends_with("/control/life")).unwrap();
    let (api, key) =
        (line(&said, "API").split_whitespace().last().unwrap(), &line(&said, "KEY=")["KEY=".len()..]);
    let get = async |url: String| -> Value {
        http_client().get(url).header("X-API-Key", key).send().await.unwrap().json().await.unwrap()
    };
    let guild = format!("{api}/guilds/7000000000000000000");
    let synced = async |cause: &str| {
        let what = format!("a member is synced by itself: {cause}");
        eventually(&what, Duration::from_secs(60), async || {
            let log = get(format!("{guild}/audit-logs?action=sync.member&limit=100")).await;
            // Nothing while the limit of the key is used up.
            let entries = log["data"]["entries"].as_array()?;
            entries.iter().any(|entry| entry["metadata"]["cause"] == cause).then_some(())
        })
        .await;
    };
    synced("joined").await;
    synced("changed").await;
    let followed = get(format!("{guild}/follow")).await;
    assert_eq!(followed["data"]["every_minutes"], 1, "{followed}");
    // The pass of the next minute, now.
    let some = http_client().post(life).json(&serde_json::json!({ "steps": 30 }));
    assert_eq!(some.send().await.unwrap().status(), 200);
    let soon = http_client().patch(format!("{guild}/follow")).header("X-API-Key", key);
    let soon = soon.json(&serde_json::json!({ "every_minutes": 2 })).send().await.unwrap();
    assert_eq!(soon.status(), 200);
    synced("follow").await;
    let lived = get(life.to_owned()).await;
    assert!(lived["changes"].as_u64().unwrap() > 3 && lived["undone"] == serde_json::json!([]), "{lived}");

    demo.terminate();
    let end = demo.ended(Duration::from_secs(35)).await;
    assert!(end.success(), "{end}: {}", demo.log());
}

#[tokio::test]
async fn each_demo_has_a_new_key_and_deletes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("TMPDIR".to_owned(), folder.path().display().to_string())];
    let mut keys = Vec::new();
    for _ in 0..2 {
        let said = run_command(&["demo", "--exit", "--listen", &free_address()], &env, folder.path())
            .await
            .succeeded();
        keys.extend(said.split_whitespace().filter(|word| word.starts_with("KEY=gh_")).map(str::to_owned));
    }
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "files were left");
}
