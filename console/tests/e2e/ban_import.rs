//! Bans of other bots are imported in the console, and an import is undone.

use testkit::console::{Console, Page};
use testkit::{Deployment, in_turn};

use super::security::set_permissions;

in_turn!(
    what_each_line_does_is_shown_before_it_is_done,
    columns_are_chosen_where_their_names_say_nothing,
    what_cannot_be_read_stands_at_the_field,
    imports_are_shown_to_those_who_may_undo_them
);

const SHOW: &str = "Show what would be done";

fn below(deployment: &Deployment, page: &str) -> String {
    format!("/console/guilds/{}{page}", deployment.guild().id)
}

async fn asked(deployment: &Deployment, console: &Console, csv: &str) -> Page {
    let form = console.get(&below(deployment, "/imports/bans")).await;
    console.press(&form, SHOW, &[("csv", csv)]).await
}

async fn what_each_line_does_is_shown_before_it_is_done(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let [banned, staff] = [&guild.members[7], &guild.members[1]];
    let list = console.get(&below(deployment, "/moderation/bans")).await;
    console.get(&list.link("Import bans")).await.shows(200, "Bans that another bot has exported");
    let csv = format!(
        "UserId;Reason;Until;By\n{};<b>fly</b>;2040-04-12;\n{};rude;never;\n7;late;soon;\n987654321;x;;\n",
        banned.play, staff.play
    );
    let page = asked(deployment, &console, &csv).await;
    let rows = page.texts("tbody tr");
    assert!(rows[0].contains(&banned.name) && rows[0].contains("will be banned"), "{rows:?}");
    assert!(rows[0].contains("<b>fly</b> (until 12 Apr 2040"), "{rows:?}");
    assert!(rows[1].contains("protected") && rows[1].contains("rude (permanent)"), "{rows:?}");
    assert!(rows[2].contains("Column Until: No time such as"), "{rows:?}");
    assert!(rows[3].contains("unknown to Roblox"), "{rows:?}");
    console.get(&below(deployment, "/moderation/bans")).await.shows(200, "Nobody is banned.");
    let done = console.press(&page, "Ban 1 person", &[]).await;
    done.shows(200, "What was done").shows(200, "The bans go to Discord too");
    console
        .get(&below(deployment, "/moderation/bans"))
        .await
        .shows(200, &banned.name)
        .shows(200, "<b>fly</b>");
    let again = asked(deployment, &console, &csv).await;
    assert!(again.texts("tbody tr")[0].contains("banned already"), "{}", again.text());
    let undone = console.press(&done, "Undo this import", &[]).await;
    undone.shows(200, "The import is undone: 1 ban ended.").shows(200, "undone");
    console.get(&below(deployment, "/moderation/bans")).await.shows(200, "Nobody is banned.");
}

async fn columns_are_chosen_where_their_names_say_nothing(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let member = &guild.members[11];
    let page = asked(deployment, &console, &format!("Wer,Warum\n{},spam\n", member.name)).await;
    page.refuses("column_play", "", "Choose the column that says who is banned");
    let chosen = [("column_name", "0"), ("column_reason", "1"), ("sure", "yes")];
    // What was not shown yet is not done.
    let form = page.form_with(SHOW);
    let fields =
        form.fields.iter().filter(|(name, _)| !chosen.iter().any(|(other, _)| other == name)).cloned();
    let fields =
        fields.chain(chosen.map(|(name, value)| (name.to_owned(), value.to_owned()))).collect::<Vec<_>>();
    let shown = console.send_form(&form, &fields).await;
    shown.shows(200, "What would be done").has_typed("column_name", "0");
    assert!(shown.texts("tbody tr")[0].contains(&member.name), "{}", shown.text());
    console.press(&shown, "Ban 1 person", &[]).await.shows(200, "What was done");
    console.get(&below(deployment, "/moderation/bans")).await.shows(200, "spam").shows(200, &member.name);
}

async fn what_cannot_be_read_stands_at_the_field(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    asked(deployment, &console, "").await.refuses("csv", "", "the file is empty");
    let typed = "user_id,reason\n1,a\n2";
    asked(deployment, &console, typed).await.refuses("csv", typed, "line 3 has 1 columns");
    let many = format!("user_id\n{}", "7\n".repeat(1_001));
    asked(deployment, &console, &many).await.shows(422, "These are 1,001 lines");
}

async fn imports_are_shown_to_those_who_may_undo_them(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let page = asked(deployment, &console, &format!("user_id\n{}\n", guild.members[12].play)).await;
    console.press(&page, "Ban 1 person", &[]).await;
    let list = console.get(&below(deployment, "/imports/made/bans")).await;
    list.shows(200, "1 ban").shows(200, &guild.members[0].name);
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &["links.write"]).await;
    staff.get(&below(deployment, "/imports/made/links")).await.shows(200, "Nothing was imported");
    staff.get(&below(deployment, "/imports/made/bans")).await.shows(404, "There is no such page");
    console.press(&list, "Undo", &[]).await.shows(200, "1 ban ended");
}
