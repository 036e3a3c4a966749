//! Extractors: the arguments of a handler are parsed, and its permissions checked.

mod answer_form;
mod arguments;
mod body;
mod conditional;
mod faults;
mod form;
mod idempotency;
mod identity;
mod list_body;
mod mending;
mod moment;
mod network;
mod page;
mod params;
mod range;
mod upload;

pub use crate::app::answer_form::AnswerForm;
pub use answer_form::prefers_json;
pub(crate) use arguments::handler;
pub(crate) use body::MAX_TABLE;
pub use body::{
    Body, File, FileType, ImageFile, Json, Judge, JudgedBody, OptionalBody, Patch, TableFile, Toml,
};
pub use conditional::{Condition, cacheable, cacheable_text, edited};
pub(crate) use faults::refusal;
pub use form::{Form, SentForm};
pub use idempotency::{IdempotencyKey, claim_of_form};
pub(crate) use identity::look_up;
pub use identity::{Caller, May, StreamPermission};
pub use list_body::{ListBody, ListUpload};
pub use moment::Moment;
pub use network::ClientNetwork;
pub(crate) use network::{client_address, client_network};
pub use page::{PageQuery, linked};
pub(crate) use params::require_readable;
pub use params::{LooseParams, Params};
pub use range::Part;
pub use upload::{LostPart, UnreceivedForm, Upload, UploadedFile};

use std::future::Future;
use std::pin::Pin;

use actix_web::{HttpRequest, web};

use crate::app::problem::Problem;
use crate::app::state::AppState;

/// The future of an extractor that has to wait.
pub(crate) type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// The state of the application that a request belongs to.
pub(crate) fn state(req: &HttpRequest) -> Result<web::Data<AppState>, Problem> {
    req.app_data::<web::Data<AppState>>()
        .cloned()
        .ok_or_else(|| Problem::internal("no application state"))
}
