use super::*;

fn read(text: &str) -> Result<Export, String> {
    Export::of(&Sheet::read(text.as_bytes())?)
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

/// The columns that are found, by their names.
fn columns(text: &str, wanted: &[Column]) -> Vec<(Column, String)> {
    let sheet = Sheet::read(text.as_bytes()).unwrap();
    sheet.places(wanted).into_iter().map(|(column, place)| (column, sheet.names[place].clone())).collect()
}

#[test]
fn what_was_recognized_and_what_was_not_is_named() {
    let text = "Discord ID,remark,roblox_id\n812345678901234567,x,156\n\n8,,7\n";
    let expected = [(Column::Chat, "Discord ID".to_owned()), (Column::Play, "roblox_id".to_owned())];
    assert_eq!(columns(text, &Column::OF_LINKS), expected);
    let export = read(text).unwrap();
    assert_eq!(export.ignored, ["remark"]);
    assert_eq!(export.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 4]);
    let bare = "x,812345678901234567,y\n";
    let expected = [(Column::Name, "column 1".to_owned()), (Column::Chat, "column 2".to_owned())];
    assert_eq!(columns(bare, &Column::OF_LINKS), expected);
    assert_eq!(read(bare).unwrap().ignored, ["column 3"]);
}

#[test]
fn bans_of_other_bots_are_recognized() {
    let bans =
        |text| columns(text, &Column::OF_BANS).into_iter().map(|(column, _)| column).collect::<Vec<_>>();
    use Column::{BannedAt, Chat, End, Moderator, Name, Play, Reason};
    assert_eq!(
        bans("UserId,Username,Reason,Moderator,Date,Until\n156,ann,spam,7,2024-01-01,\n"),
        [Play, Name, Reason, Moderator, BannedAt, End]
    );
    assert_eq!(bans("user_id;banned_by\n812345678901234567;812345678901234568\n"), [Chat, Moderator]);
    assert_eq!(bans("156,flew through walls\n"), [Play, Reason]);
    assert_eq!(
        bans(r#"{"version":2,"bans":[{"robloxId":156,"reason":"spam","expires":null}]}"#),
        [End, Reason, Play]
    );
    assert_eq!(bans(r#"{"156":"spam and more"}"#), [Play, Reason]);
    assert_eq!(bans(r#"{"156":{"reason":"spam"}}"#), [Play, Reason]);
    assert_eq!(bans("Who,What\nann,spam\n"), []);
    let unnamed = Sheet::read(b"Who,What\nann,spam\n").unwrap();
    assert_eq!(
        (unnamed.names, unnamed.lines[0].cell(1)),
        (vec!["Who".to_owned(), "What".to_owned()], "spam")
    );
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
    let latin = Sheet::read(b"chat_id,play_id,play_username\n1,2,a\n3,4,b\xe9\n").unwrap_err();
    assert_eq!(latin, "line 3, column 3: is not UTF-8");
}
