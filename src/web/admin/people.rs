//! Accounts by name, for moderators and admins.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::parts::{Area, Nav, limit, status_of};
use super::words as admin_words;
use crate::app::accounts::own_account::AccountResponse;
use crate::app::accounts::people::{self, PeopleFilter, PersonPosition};
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadAccounts, Role};
use crate::domain::text::AccountNamePart;
use crate::web::accounts::Moment;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/people";

/// The page of an account.
pub(super) fn person_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The filter, as the form sends it: fields without input are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct PeopleQuery {
    name: String,
    role: String,
    /// `true`, `false` or empty.
    banned: String,
    cursor: Option<Cursor>,
}

impl PeopleQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let fields = [
            ("name", self.name.as_str()),
            ("role", &self.role),
            ("banned", &self.banned),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of(PATH, &fields)
    }
}

#[derive(Template)]
#[template(path = "web/admin/people.html")]
struct PeoplePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    name: String,
    roles: Vec<Choice>,
    bans: Vec<Choice>,
    people: Vec<PersonRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An account in the list.
struct PersonRow {
    path: String,
    name: String,
    role: String,
    since: Moment,
    banned: Option<Moment>,
    has_factor: bool,
}

impl From<AccountResponse> for PersonRow {
    fn from(account: AccountResponse) -> Self {
        Self {
            path: person_path(account.id),
            name: account.name,
            role: words::role(account.role),
            since: Moment::new(account.created_at),
            banned: account.banned_at.map(Moment::new),
            has_factor: account.second_factor,
        }
    }
}

/// Lists accounts.
pub(in crate::web) async fn list_people(
    state: web::Data<AppState>,
    by: Player<ReadAccounts>,
    query: web::Query<PeopleQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let after: Option<PersonPosition> = Cursor::key_of(query.cursor.as_ref())?;
    let typed = query.name.trim();
    let part = (!typed.is_empty()).then(|| AccountNamePart::parse(typed)).transpose();
    let (found, next_cursor, faults) = match &part {
        Ok(part) => {
            let filter = PeopleFilter {
                name: part.as_ref(),
                role: Role::parse(&query.role),
                banned: query.banned.parse().ok(),
            };
            let page = people::list(&state, &by, &filter, after, limit(ENTRIES)?).await?;
            (page.data, page.next_cursor, Faults::none())
        }
        Err(_) => (Vec::new(), None, Faults::one("name", admin_words::NAME_PART_FAULT)),
    };
    let next_path = next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(admin_words::PEOPLE).at(Place::Account);
    frame.next.clone_from(&next_path);
    let mut roles = vec![Choice::new("", admin_words::ANY_ROLE, &query.role)];
    roles.extend(Role::ALL.map(|role| role_choice(role, &query.role)));
    let bans = admin_words::BANS.map(|(value, name)| Choice::new(value, name, &query.banned));
    let page = PeoplePage {
        frame,
        nav: Nav::new(by.role(), Area::People),
        roles,
        bans: bans.into(),
        people: found.into_iter().map(PersonRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
        name: query.name,
        faults,
    };
    private(status_of(&page.faults), &page)
}

/// A role to choose.
pub(super) fn role_choice(role: Role, chosen: &str) -> Choice {
    Choice::new(role.as_str(), words::role(role.as_str()), chosen)
}
