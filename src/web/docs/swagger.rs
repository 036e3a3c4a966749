//! The contract in Swagger UI: operations are collapsed, with a filter.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use actix_web::http::header::HeaderValue;
use askama::Template;
use utoipa_swagger_ui::Config;

use super::guides::{GUIDES, Guide};
use super::page::Page;
use super::words as docs_words;

/// Swagger UI sets styles on its elements and has pictures in its styles, so the policy allows both.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The files of Swagger UI that its page uses.
const FILES: [&str; 6] = [
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "swagger-ui-standalone-preset.js",
    "swagger-initializer.js",
    "favicon-32x32.png",
    "favicon-16x16.png",
];

#[derive(Template)]
#[template(path = "web/docs/swagger.html")]
struct SwaggerPage<'a> {
    title: &'a str,
    guides: &'a [Guide],
    current: &'a str,
}

/// A file below `/docs/`; without a name, the page of Swagger UI.
pub(super) fn file(name: &str) -> Option<&'static Page> {
    static WRITTEN: LazyLock<BTreeMap<&str, Page>> = LazyLock::new(|| {
        let config = Config::from("/openapi.json")
            .doc_expansion("none")
            .filter(true)
            .use_base_layout()
            .display_operation_id(true)
            .default_models_expand_depth(-1)
            // Less work for slow phones.
            .with_syntax_highlight(false);
        let config = Arc::new(config);
        let files = FILES.iter().filter_map(|&name| Some((name, vendored(name, &config)?)));
        let page =
            Page::of(&SwaggerPage { title: docs_words::API_TITLE, guides: GUIDES, current: "" })
                .ok();
        files.chain(page.map(|page| ("", page.with_policy(POLICY)))).collect()
    });
    WRITTEN.get(name)
}

fn vendored(name: &str, config: &Arc<Config<'_>>) -> Option<Page> {
    let file = utoipa_swagger_ui::serve(name, Arc::clone(config)).ok()??;
    Some(Page::file(&file.content_type, file.bytes.into_owned()))
}
