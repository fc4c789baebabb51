//! The page as HTML.

use std::fmt::{Display, Write as _};

use crate::html::escaped;

/// `people`: ids of accounts, each with what to call it; the first one is chosen.
pub(super) fn form<I: Display>(
    platform: &str,
    application: &str,
    scopes: &str,
    people: &[(I, String)],
    alert: &str,
) -> String {
    let (application, scopes) = (escaped(application), escaped(scopes));
    let first = people.first().map(|(id, _)| id.to_string()).unwrap_or_default();
    let mut options = String::new();
    for (id, label) in people {
        let _ = write!(options, "<option value=\"{id}\" label=\"{}\"></option>", escaped(label));
    }
    let alert = if alert.is_empty() { String::new() } else { format!("<p role=\"alert\">{alert}</p>") };
    let main = format!(
        "{alert}<p>The application <strong>{application}</strong> asks for: {scopes}</p>\
         <form method=\"post\"><p><label for=\"user_id\">Sign in as (id of a {platform} account)</label><br>\
         <input id=\"user_id\" name=\"user_id\" list=\"people\" value=\"{first}\" inputmode=\"numeric\" \
         autocomplete=\"off\" size=\"30\"></p><datalist id=\"people\">{options}</datalist>\
         <p><button name=\"decision\" value=\"authorize\">Authorize</button> \
         <button name=\"decision\" value=\"cancel\">Cancel</button></p></form>"
    );
    document(platform, &main)
}

pub(super) fn problem(platform: &str, text: &str) -> String {
    document(platform, &format!("<p role=\"alert\">{text}</p>"))
}

fn document(platform: &str, main: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Simulated {platform} platform: sign in</title>\
         <meta name=\"viewport\" content=\"width=device-width\"></head><body><main><h1>Simulated {platform} platform</h1>\
         {main}</main></body></html>"
    )
}
