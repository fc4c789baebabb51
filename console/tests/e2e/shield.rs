//! /console/guilds/:guild/shield: players flagged for all guilds.

use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(
    players_are_checked_flagged_and_named_with_their_source,
    a_file_is_read_by_lines_and_confirmed,
    a_guild_that_may_not_flag_says_so
);

/// A player whom the game platform knows, and whom no other test uses.
fn player(deployment: &Deployment, n: usize) -> String {
    deployment.guild().members[20 + n].play.to_string()
}

async fn players_are_checked_flagged_and_named_with_their_source(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let shield = format!("/console/guilds/{}/shield", guild.id);
    let (player, other) = (player(deployment, 1), player(deployment, 2));
    let checked = console.get(&format!("{shield}?ids={player}%0A{other}")).await;
    checked.shows(200, "0 of 2 flagged").shows(200, "not flagged");
    let asked =
        console.post(&format!("{shield}/flag"), &[("play_id", &player), ("reason", "exploiting")]).await;
    asked.shows(200, "Flag 1 player").shows(200, "Only the operator of the service can lift them.");
    let named = &deployment.guild().members[21].name;
    assert!(!asked.row(named).is_empty(), "{}", asked.text());
    let mistyped = [("play_id", "4242424242"), ("reason", "exploiting")];
    let asked_in_vain = console.post(&format!("{shield}/flag"), &mistyped).await;
    asked_in_vain.shows(200, "Roblox knows no player with this id").shows(200, "not known");
    let form = asked.form_asking("sure");
    let fields: Vec<_> = form.fields.iter().map(|(name, value)| (&**name, &**value)).collect();
    let flagged = console.submit(&form.action, &fields).await;
    flagged.shows(200, "1 player flagged.").shows(200, "1 of 1 flagged").shows(200, "exploiting");
    console.get(&format!("{shield}?ids=x")).await.shows(422, "digits only");
    let row = console.get(&shield).await.shows(200, "Flagged by this server").row(named);
    assert!(row.contains("exploiting") && row.contains("import"), "{row}");
}

async fn a_file_is_read_by_lines_and_confirmed(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let shield = format!("/console/guilds/{}/shield", guild.id);
    console.get(&shield).await.shows(200, "Import a file");
    let import = format!("{shield}/import");
    console.post(&import, &[("csv", "7,a\nx,b")]).await.shows(422, "Line 2:");
    let csv = format!("play_id,reason\n{},a\n{},\"b, c\"", player(deployment, 3), player(deployment, 4));
    console.post(&import, &[("csv", &csv)]).await.shows(200, "Flag 2 players").shows(200, "b, c");
    console.post(&import, &[("csv", &csv), ("sure", "yes")]).await.shows(422, "Type flag to flag them.");
    let sure = [("csv", csv.as_str()), ("sure", "yes"), ("word", "flag")];
    console.submit(&import, &sure).await.shows(200, "2 players flagged.");
    console.submit(&import, &sure).await.shows(200, "0 players flagged. 2 other players skipped");
}

async fn a_guild_that_may_not_flag_says_so(deployment: &Deployment) {
    let guild = deployment.other_guild();
    let console = Console::of(deployment, guild, &guild.members[0].chat).await;
    let shield = format!("/console/guilds/{}/shield", guild.id);
    let page = console.get(&shield).await;
    page.shows(200, "this server may not");
    page.shows(200, "This server flags nobody.");
    assert!(!page.contains("Flag a player"));
    console.post(&format!("{shield}/import"), &[("csv", "7,a")]).await.shows(404, "There is no such page");
    console.post(&format!("{shield}/flag"), &[]).await.shows(404, "There is no such page");
}
