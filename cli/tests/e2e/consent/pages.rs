//! Every page of the guild that links lead to, as the owner, and the pages of the member; compared with the reviewed list.

use testkit::console::{Console, Page, crawl};

use super::{View, Walk};

/// The pages of the console with what each needs.
const REVIEWED: &str = include_str!("../../../../console/tests/e2e/security/rights.snap");

impl Walk<'_> {
    pub(super) async fn pages(&self) -> Vec<View> {
        let start = self.start();
        let mut pages = crawl(&Console::owner(self.deployment).await, &start, 1).await;
        let console = Console::owner(self.deployment).await;
        let (chat, play) = (&self.person.chat, self.person.play.to_string());
        for row in rows() {
            if row.contains("{member}") || !pages.iter().any(|page| fits(row, &page.path())) {
                let path = row.replace("{guild}", &self.deployment.guild().id).replace("{member}", chat);
                let path = path.replace("{player}", &play).replace("{panel}", &self.ids.text("panelId"));
                assert!(!path.contains('{'), "{row} was not walked");
                pages.push(console.read(&path).await);
            }
        }
        for below in searches(chat) {
            pages.push(console.read(&format!("{start}{below}")).await);
        }
        pages.iter().map(view).collect()
    }

    /// The pages that search, with the member's game account.
    pub(super) async fn pages_by_player(&self) -> Vec<View> {
        let console = Console::owner(self.deployment).await;
        let play = self.person.play.to_string();
        let mut views = Vec::new();
        for below in searches(&play).into_iter().chain(searches(&self.person.name)) {
            views.push(view(&console.read(&format!("{}{below}", self.start())).await));
        }
        views
    }

    fn start(&self) -> String {
        format!("/console/guilds/{}", self.deployment.guild().id)
    }
}

fn searches(text: &str) -> [String; 4] {
    ["/find?q=", "/members?q=", "/audit?target=", "/moderation/bans?person="]
        .map(|search| format!("{search}{text}"))
}

fn view(page: &Page) -> View {
    assert!(page.status < 500 && page.status != 429, "{}: {}", page.what, page.text());
    View::new(page.path(), format!("{} {}", page.location(), page.html))
}

/// The pages of a guild, and those on which its members apply.
fn rows() -> impl Iterator<Item = &'static str> {
    let rows = REVIEWED.lines().filter_map(|line| line.strip_prefix("GET ")?.split(" = ").next());
    rows.filter(|path| {
        ["/console/guilds/{guild}", "/apply/{guild}"].iter().any(|start| path.starts_with(start))
    })
}

fn fits(row: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap();
    row.split('/').count() == path.split('/').count()
        && row.split('/').zip(path.split('/')).all(|(row, part)| row.starts_with('{') || row == part)
}
