//! Imports of catalogue files by admins: manifests and sets.

use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::import::{ImportResponse, ImportTarget};

/// Whether a change is only checked.
#[derive(Clone, Copy, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// Whether only to check: the answer reports the result, and nothing is stored.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    pub(in crate::api) dry_run: bool,
}

/// 201 with the location of a new resource, else 200.
pub(super) fn imported(target: &ImportTarget, import: &ImportResponse) -> HttpResponse {
    let (added, path) = match &target.set {
        None => (import.game_added, format!("/v1/games/{}", target.game)),
        Some(set) => {
            let added = import.sets.first().is_some_and(|set| set.set_added);
            (added, format!("/v1/games/{}/sets/{set}", target.game))
        }
    };
    let mut response = if added && !import.dry_run {
        let mut created = HttpResponse::Created();
        created.insert_header((header::LOCATION, path));
        created
    } else {
        HttpResponse::Ok()
    };
    response.insert_header(NO_STORE).json(import)
}

pub(in crate::api) const NO_STORE: (header::HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
