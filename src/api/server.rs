//! Puts the application together, for `serve` and for tests.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, Error, web};
use tracing_actix_web::TracingLogger;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::middleware::{cors, encoding, observe, problems, rate_limit};
use super::problem::Problem;
use super::routes;
use super::state::AppState;

/// The application of one worker thread.
pub fn build_app(
    state: AppState,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    App::new()
        .app_data(web::Data::new(state))
        .app_data(web::PathConfig::default().error_handler(|_, _| Problem::not_found().into()))
        .configure(routes::configure)
        .service(SwaggerUi::new("/docs/{_:.*}").config(Config::from("/openapi.json")))
        .route("/docs", web::get().to(docs))
        .default_service(web::to(async || Err::<&str, Problem>(Problem::not_found())))
        // The last is the outermost.
        .wrap(from_fn(problems::render))
        .wrap(Compress::default())
        .wrap(from_fn(encoding::tag))
        .wrap(from_fn(rate_limit::limit))
        .wrap(from_fn(cors::share))
        .wrap(TracingLogger::<observe::RequestSpan>::new())
        .wrap(from_fn(observe::measure))
}

async fn docs() -> actix_web::HttpResponse {
    actix_web::HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, "/docs/"))
        .finish()
}
