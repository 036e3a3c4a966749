//! The audit log: which account did what, and when.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::operations_words;
use super::parts::{Area, Nav, limit, status_of};
use super::people::person_path;
use super::words as admin_words;
use crate::app::accounts::people::{Person, PersonFilter};
use crate::app::operations::audit_log::{self, AuditEntryResponse, EntryFilter};
use crate::app::page::{Cursor, CursorTime};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadAccounts, ReadAuditLog};
use crate::domain::operations::audit::{AuditAction, AuditTarget};
use crate::http::extract::Moment as TypedMoment;
use crate::web::accounts::Moment;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::session::{Player, Visitor};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/audit-log";

/// Which entries, as a form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct AuditQuery {
    account: String,
    actor: String,
    action: String,
    target: String,
    from: String,
    until: String,
    cursor: Option<Cursor>,
}

impl AuditQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let fields = [
            ("account", self.account.as_str()),
            ("actor", &self.actor),
            ("action", &self.action),
            ("target", &self.target),
            ("from", &self.from),
            ("until", &self.until),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of(PATH, &fields)
    }

    /// The checked filter, or the faults of all fields.
    fn read(&self) -> Result<CheckedFilter, Faults> {
        let mut faults = Faults::none();
        let account = read(&self.account, "account", admin_words::ACCOUNT_FAULT, &mut faults);
        let actor = read(&self.actor, "actor", admin_words::ACCOUNT_FAULT, &mut faults);
        let action = read(&self.action, "action", operations_words::ACTION_FAULT, &mut faults);
        let target = read(&self.target, "target", operations_words::TARGET_FAULT, &mut faults);
        let from = read(&self.from, "from", operations_words::DAY_FAULT, &mut faults);
        let until = read(&self.until, "until", operations_words::DAY_FAULT, &mut faults);
        if faults.is_empty() {
            Ok(CheckedFilter { account, actor, action, target, from, until })
        } else {
            Err(faults)
        }
    }
}

/// Reads a value of a field; `None`: the field is empty or invalid. A fault of an invalid value is added to `faults`.
fn read<T: TryFrom<String>>(
    typed: &str,
    field: &'static str,
    text: &str,
    faults: &mut Faults,
) -> Option<T> {
    let typed = typed.trim();
    if typed.is_empty() {
        return None;
    }
    let value = T::try_from(typed.to_owned()).ok();
    if value.is_none() {
        faults.add(field, text);
    }
    value
}

struct CheckedFilter {
    account: Option<Person>,
    actor: Option<Person>,
    action: Option<AuditAction>,
    target: Option<AuditTarget>,
    from: Option<TypedMoment>,
    until: Option<TypedMoment>,
}

#[derive(Template)]
#[template(path = "web/admin/audit_log.html")]
struct AuditPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    filter: AuditQuery,
    entries: Vec<EntryRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An entry of the log.
struct EntryRow {
    at: Moment,
    /// Page and name of the account that acted; `None`: the operator on the command line.
    actor: Option<(String, String)>,
    action: String,
    target: String,
    /// Page and name of the account that was acted on.
    target_account: Option<(String, String)>,
    details: Vec<(String, String)>,
}

impl From<AuditEntryResponse> for EntryRow {
    fn from(entry: AuditEntryResponse) -> Self {
        let actor = entry.actor_id.map(|id| {
            (person_path(id), entry.actor_name.clone().unwrap_or_else(|| id.to_string()))
        });
        let target_id = entry.target.strip_prefix("account:").and_then(|id| id.parse().ok());
        let target_account = target_id.zip(entry.target_name.clone());
        let names = &entry.names;
        let name_of = |text: &str| -> Option<&str> {
            names.get(&Uuid::try_parse(text).ok()?).map(String::as_str)
        };
        let mut details = Vec::new();
        push_details(&mut details, String::new(), &entry.details, &name_of);
        Self {
            at: Moment::new(entry.created_at),
            actor,
            target_account: target_account.map(|(id, name)| (person_path(id), name)),
            details,
            action: entry.action,
            target: entry.target,
        }
    }
}

/// Adds the values of the details, each with the keys that lead to it, such as `change.part`.
fn push_details<'a>(
    details: &mut Vec<(String, String)>,
    key: String,
    value: &'a Value,
    name_of: &impl Fn(&'a str) -> Option<&'a str>,
) {
    match value {
        Value::Null if key.is_empty() => {}
        Value::Object(members) if key.is_empty() || !members.is_empty() => {
            for (member, value) in members {
                push_details(details, key_of(&key, member), value, name_of);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for (at, value) in values.iter().enumerate() {
                push_details(details, key_of(&key, &(at + 1).to_string()), value, name_of);
            }
        }
        value => {
            let key = if key.is_empty() { operations_words::DETAILS.to_owned() } else { key };
            details.push((key, shown(value, name_of)));
        }
    }
}

/// The key of a value that lies below another key.
fn key_of(above: &str, key: &str) -> String {
    if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") }
}

/// A value for people: values of a list with commas between them.
fn shown<'a>(value: &'a Value, name_of: &impl Fn(&'a str) -> Option<&'a str>) -> String {
    match value {
        Value::String(text) => name_of(text).unwrap_or(text).to_owned(),
        Value::Null => words::NOTHING.to_owned(),
        Value::Array(values) if values.is_empty() => words::NOTHING.to_owned(),
        Value::Array(values) => {
            values.iter().map(|value| shown(value, name_of)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Lists the audit log, the newest entry first.
pub(in crate::web) async fn list_audit_log(
    state: web::Data<AppState>,
    by: Player<ReadAuditLog>,
    query: web::Query<AuditQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let before: Option<(CursorTime, Uuid)> = Cursor::key_of(query.cursor.as_ref())?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let (entries, next_cursor, faults) = match query.read() {
        Ok(filter) => {
            let filter = EntryFilter {
                account: filter_by(&by.visitor, filter.account.as_ref())?,
                actor: filter_by(&by.visitor, filter.actor.as_ref())?,
                action: filter.action.as_ref(),
                target: filter.target.as_ref(),
                from: filter.from.map(|TypedMoment(from)| from),
                until: filter.until.map(|TypedMoment(until)| until),
            };
            let reads = by.visitor.must::<ReadAccounts>()?;
            let page = audit_log::list(&state, &by, Some(&reads), &filter, before, limit(ENTRIES)?)
                .await?;
            (page.data, page.next_cursor, Faults::none())
        }
        Err(faults) => (Vec::new(), None, faults),
    };
    let next_path = next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(admin_words::AUDIT_LOG).at(Place::Account);
    frame.next.clone_from(&next_path);
    let page = AuditPage {
        frame,
        nav: Nav::new(by.role(), Area::AuditLog),
        entries: entries.into_iter().map(EntryRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
        filter: query,
        faults,
    };
    private(status_of(&page.faults), &page)
}

fn filter_by(visitor: &Visitor, person: Option<&Person>) -> Result<Option<PersonFilter>, Problem> {
    Person::filter(person, || visitor.must())
}
