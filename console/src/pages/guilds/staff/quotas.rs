//! /console/guilds/:guild/staff/quotas: targets of staff for a period, with their progress.

mod progress;

use askama::Template;
use entities::quota::Period;
use entities::{QuotaId, quota, staff_role};
use http::{Method, StatusCode};
use people::ApiAnswer;
use serde_json::{Map, Value};

use super::labels::{METRICS, PERIODS, period_value};
use super::tabs::{Link, Tab, tabs};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

pub(super) use progress::{Quota, of_member};

const FIELDS: [&str; 6] = ["name", "metric", "target", "period", "scope", "requires_approval"];

#[derive(Template)]
#[template(path = "guilds/staff/quotas.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    url: String,
    may_write: bool,
    quotas: Vec<Quota>,
    more: Option<String>,
    fields: QuotaForm,
}

#[derive(Template)]
#[template(path = "guilds/staff/quota_members.html")]
struct Members {
    shell: Shell,
    url: String,
    quota: Quota,
    /// The current period and the one before; none of a quota for all time.
    periods: Vec<Link>,
    more: Option<String>,
}

#[derive(Template)]
#[template(path = "guilds/staff/quota.html")]
struct QuotaPage {
    shell: Shell,
    url: String,
    id: QuotaId,
    name: String,
    fields: QuotaForm,
}

/// The form of a quota, with its choices.
struct QuotaForm {
    form: Form,
    metrics: [(&'static str, &'static str); 9],
    periods: [(&'static str, &'static str); 4],
    roles: Vec<String>,
}

impl QuotaForm {
    async fn read(visit: &GuildVisit, form: Form) -> Result<Self, PageError> {
        let roles = staff_role::list(visit.read(), visit.guild.guild_id).await?;
        let mut roles: Vec<_> = roles.into_iter().map(|role| role.role_name).collect();
        roles.dedup();
        Ok(Self { form, metrics: METRICS, periods: PERIODS, roles })
    }

    fn status(&self) -> StatusCode {
        self.form.status()
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (quotas, more) = progress::all(visit).await?;
    let page = Page {
        shell: visit.shell("Quotas", Place::Staff),
        tabs: tabs(visit, Tab::Quotas),
        url: visit.url("/staff/quotas"),
        may_write: visit.may("staff.write"),
        quotas,
        more,
        fields: QuotaForm::read(visit, form).await?,
    };
    Ok(Response::page(&page)?.status(page.fields.status()))
}

async fn find(visit: &GuildVisit) -> Result<quota::Model, PageError> {
    let found = quota::find(visit.read(), visit.guild.guild_id, visit.param("quota")?).await?;
    found.ok_or(PageError::NotFound)
}

/// The fields of the form for a quota as it is.
fn fields_of(row: &quota::Model) -> Fields {
    let metric: &str = row.metric.into();
    let (target, scope) = (row.target.to_string(), row.scope_role.clone().unwrap_or_default());
    let approval = if row.requires_approval { "yes" } else { "" };
    Fields::of(&[
        ("name", &row.name),
        ("metric", metric),
        ("target", &target),
        ("period", period_value(row.period)),
        ("scope", &scope),
        ("requires_approval", approval),
    ])
}

/// All members whom a quota covers.
pub(crate) async fn members(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let (quota, more) = progress::of_quota(&visit, &row).await?;
    let url = visit.url("/staff/quotas");
    let ended = visit.query.text("ended") == "1";
    let mut periods = Vec::new();
    if row.period != Period::All {
        let own = format!("{url}/{}/members", row.quota_id);
        periods.push(Link { label: "Current period", url: own.clone(), current: !ended });
        periods.push(Link { label: "Period before", url: format!("{own}?ended=1"), current: ended });
    }
    Response::page(&Members { shell: visit.shell(&row.name, Place::Staff), url, quota, periods, more })
}

pub(crate) async fn one(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let form = Form::new(fields_of(&row));
    show_one(&visit, form, row).await
}

async fn show_one(visit: &GuildVisit, form: Form, row: quota::Model) -> Result<Response, PageError> {
    let page = QuotaPage {
        shell: visit.shell(&row.name, Place::Staff),
        url: visit.url("/staff/quotas"),
        id: row.quota_id,
        name: row.name,
        fields: QuotaForm::read(visit, form).await?,
    };
    Ok(Response::page(&page)?.status(page.fields.status()))
}

/// The form's fields for the API. `all`: the value for all staff, which differs between creating and
/// changing.
fn body(fields: &Fields, all: Option<Value>) -> Map<String, Value> {
    let mut body = fields.json(&["name", "metric", "target", "period"]);
    if let Some(target) = fields.read::<i64>("target") {
        body.insert("target".to_owned(), target.into());
    }
    body.insert("requires_approval".to_owned(), fields.has("requires_approval").into());
    let scope = fields.has("scope").then(|| format!("role:{}", fields.text("scope")).into());
    if let Some(scope) = scope.or(all) {
        body.insert("scope".to_owned(), scope);
    }
    body
}

/// The form always sends whether actions need approval, so the API refuses it only together with another
/// choice.
fn refused(fields: &Fields, answer: &ApiAnswer) -> Form {
    match answer.field() {
        Some(field @ "requires_approval") => {
            let text = "Minutes and sessions cannot need approval: clear this, or count an action.";
            Form::wrong(fields, Some(field), text)
        }
        _ => Form::refused(fields, answer),
    }
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/quota", body(&visit.form, None)).await;
    if !answer.status.is_success() {
        return show(&visit, refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/staff/quotas/{}/remove", answer.body["data"]["id"])), &[]);
    let flash = Flash::new(format!("Quota {} added.", visit.form.text("name")));
    Ok(Response::see(visit.url("/staff/quotas")).flash(flash.with_undo(undo)))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let path = format!("/guilds/{{g}}/staff/quota/{}", row.quota_id);
    let answer = visit.api(Method::PATCH, &path, body(&visit.form, Some(Value::Null))).await;
    if !answer.status.is_success() {
        return show_one(&visit, refused(&visit.form, &answer), row).await;
    }
    let undo = undo_to(&visit, &format!("/staff/quotas/{}", row.quota_id), &row);
    let flash = Flash::new(format!("Quota {} changed.", visit.form.text("name")));
    Ok(Response::see(visit.url("/staff/quotas")).flash(flash.with_undo(undo)))
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let path = format!("/guilds/{{g}}/staff/quota/{}", row.quota_id);
    let answer = visit.api(Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show_one(&visit, Form::refused(&visit.form, &answer), row).await;
    }
    let undo = undo_to(&visit, "/staff/quotas", &row);
    let flash = Flash::new(format!("Quota {} deleted.", row.name));
    Ok(Response::see(visit.url("/staff/quotas")).flash(flash.with_undo(undo)))
}

/// The form that restores the quota.
fn undo_to(visit: &GuildVisit, page: &str, row: &quota::Model) -> Undo {
    let fields = fields_of(row);
    let names = ["name", "metric", "target", "period", "scope", "requires_approval"];
    Undo::new(visit.url(page), &names.map(|name| (name, fields.text(name))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_becomes_a_body_with_numbers_and_a_scope() {
        let fields =
            [("name", "Bans"), ("metric", "ban"), ("target", "20"), ("period", "week"), ("scope", "Mod")];
        let sent = Value::Object(body(&Fields::of(&fields), None));
        let expected = json!({ "name": "Bans", "metric": "ban", "target": 20, "period": "week",
                               "scope": "role:Mod", "requires_approval": false });
        assert_eq!(sent, expected);
        let fields = Fields::of(&[("target", "many"), ("requires_approval", "yes")]);
        let sent = Value::Object(body(&fields, Some(Value::Null)));
        assert_eq!(sent, json!({ "target": "many", "requires_approval": true, "scope": null }));
    }
}
