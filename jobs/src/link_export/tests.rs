use super::*;

fn read(text: &str) -> Result<Export, String> {
    Export::read(text.as_bytes())
}

/// The cells of each line: chat id, game id, name.
fn cells(text: &str) -> Vec<[String; 3]> {
    let lines = read(text).unwrap().lines.into_iter();
    lines.map(|line| [line.chat_id, line.play_id, line.play_username]).collect()
}

const LINK: [&str; 3] = ["812345678901234567", "156", "builderman"];

#[test]
fn exports_of_other_bots_are_recognized() {
    for text in [
        "discord_id,roblox_id,roblox_username\n812345678901234567,156,builderman\n",
        "\u{feff}DiscordID;RobloxID;Username\r\n812345678901234567;156;builderman\r\n",
        "robloxId\tusername\tuser_id\n156\tbuilderman\t812345678901234567",
        "chat_id,play_id,play_username,verified_at\n\"812345678901234567\", 156 ,builderman,\n",
        "812345678901234567,156,builderman\n",
        r#"[{"discordId":"812345678901234567","robloxId":156,"username":"builderman","x":[1]}]"#,
        r#"[{"discord_id":812345678901234567,"roblox_id":"156","roblox_username":"builderman"}]"#,
        r#"{"812345678901234567":{"robloxId":156,"robloxUsername":"builderman"}}"#,
    ] {
        assert_eq!(cells(text), [LINK.map(str::to_owned)], "{text}");
    }
    assert_eq!(cells(r#"{"812345678901234567":156}"#)[0][1], "156");
    assert_eq!(cells(r#"{"812345678901234567":"builderman"}"#)[0][2], "builderman");
}

#[test]
fn what_was_recognized_and_what_was_not_is_named() {
    let export = read("Discord ID,note,roblox_id\n812345678901234567,x,156\n\n8,,7\n").unwrap();
    let columns = [(Column::Chat, "Discord ID".to_owned()), (Column::Play, "roblox_id".to_owned())];
    assert_eq!((export.columns, export.ignored), (columns.to_vec(), vec!["note".to_owned()]));
    assert_eq!(export.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 4]);
    let bare = read("x,812345678901234567,y\n").unwrap();
    let columns = [(Column::Name, "column 1".to_owned()), (Column::Chat, "column 2".to_owned())];
    assert_eq!((bare.columns, bare.ignored), (columns.to_vec(), vec!["column 3".to_owned()]));
}

#[test]
fn what_is_wrong_names_its_line() {
    let problem = |text: &str| read(text).unwrap_err();
    assert_eq!(problem(" \n"), "the file is empty");
    assert!(problem("roblox_id,username\n1,a").contains("no column of Discord ids"));
    assert!(problem("discord_id,note\n812345678901234567,a").contains("no column of Roblox ids or names"));
    assert_eq!(problem("discord_id,roblox_id\n1,2\n3"), "line 3 has 1 columns, the first line has 2");
    assert_eq!(
        problem("discord_id,roblox_id\n1,\"2\"\n\n2,2\n3\n"),
        "line 5 has 1 columns, the first line has 2"
    );
    assert!(problem("[{]").contains("line 1"));
    assert!(problem("[1]").contains("entry 1"));
    assert_eq!(problem("[]"), "the list is empty");
    let latin = Export::read(b"chat_id,play_id,play_username\n1,2,a\n3,4,b\xe9\n").unwrap_err();
    assert_eq!(latin, "line 3, column 3: is not UTF-8");
}
