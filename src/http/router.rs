//! The router: resources, and how the one of a path is found.
//!
//! actix's own router compares a path with one pattern after the other, most of them regular expressions, which it compiles for each worker. Here a radix tree
//! finds the resource, and only its own pattern reads the parameters (docs/decisions/0225-paths-in-a-radix-tree.md).

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, PoisonError};

use actix_service::apply;
use actix_service::boxed::{self, BoxService, BoxServiceFactory};
use actix_web::dev::{
    ResourceDef, Service, ServiceFactory, ServiceRequest, ServiceResponse, Transform, always_ready,
};
use actix_web::http::Method;
use actix_web::web::ServiceConfig;
use actix_web::{Error, HttpMessage as _, HttpRequest, Route, web};
use futures_util::future::{LocalBoxFuture, try_join_all};

use crate::app::problem::Problem;

type BoxedFactory = BoxServiceFactory<(), ServiceRequest, ServiceResponse, Error, ()>;
type BoxedService = BoxService<ServiceRequest, ServiceResponse, Error>;

/// A path and what answers its requests.
pub struct Resource<F = Methods> {
    path: &'static str,
    endpoint: F,
}

/// A resource. `other` answers methods that `handlers` does not contain; the handler of GET answers HEAD, too, and the server removes the body.
///
/// Parameters are written as `{name}`, and as `{name:.*}` if they may contain slashes or nothing.
pub fn resource(
    path: &'static str,
    handlers: impl Into<Vec<(Method, Route)>>,
    other: Route,
) -> Resource {
    Resource { path, endpoint: Methods { handlers: handlers.into(), other } }
}

impl<F> Resource<F> {
    /// Adds middleware. What is added last runs first.
    pub fn wrap<M>(self, middleware: M) -> Resource<impl Endpoint>
    where
        F: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()> + 'static,
        M: Transform<
                F::Service,
                ServiceRequest,
                Response = ServiceResponse,
                Error = Error,
                InitError = (),
            > + 'static,
    {
        Resource { path: self.path, endpoint: apply(middleware, self.endpoint) }
    }
}

/// What answers the requests of a resource.
pub trait Endpoint:
    ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    > + 'static
{
}

impl<F> Endpoint for F where
    F: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse,
            Error = Error,
            InitError = (),
        > + 'static
{
}

/// What the parts of the service mount.
pub struct Mounts<'a> {
    config: &'a mut ServiceConfig,
    resources: Vec<(&'static str, BoxedFactory)>,
}

impl<'a> Mounts<'a> {
    pub(super) fn new(config: &'a mut ServiceConfig) -> Self {
        Self { config, resources: Vec::new() }
    }

    /// Adds application data.
    pub fn app_data<T: 'static>(&mut self, data: T) -> &mut Self {
        self.config.app_data(data);
        self
    }

    /// Adds a resource.
    pub fn service(&mut self, resource: Resource<impl Endpoint>) -> &mut Self {
        self.resources.push((resource.path, boxed::factory(resource.endpoint)));
        self
    }

    /// Adds the resources of a part.
    pub fn configure(&mut self, part: impl FnOnce(&mut Self)) -> &mut Self {
        part(self);
        self
    }

    /// Mounts all resources.
    ///
    /// # Panics
    /// Two resources have the same path.
    pub(super) fn finish(self) {
        let mut tree = matchit::Router::new();
        for (at, (path, _)) in self.resources.iter().enumerate() {
            for in_tree in tree_paths(path) {
                tree.insert(in_tree, at).expect("each path has one resource");
            }
        }
        let (patterns, endpoints) = self.resources.into_iter().unzip();
        let paths = Rc::new(Paths { tree, patterns });
        self.config.app_data(Rc::clone(&paths));
        let unknown = web::to(async || Err::<&str, Problem>(Problem::not_found()));
        let router = Router { paths, endpoints, unknown: boxed::factory(unknown) };
        self.config.default_service(router);
    }
}

/// A path as the tree writes it. In the tree, a parameter for several segments does not match nothing: that is another path.
fn tree_paths(path: &str) -> Vec<String> {
    match path.strip_suffix(":.*}").and_then(|path| path.rsplit_once('{')) {
        Some((before, name)) => vec![before.to_owned(), format!("{before}{{*{name}}}")],
        None => vec![path.to_owned()],
    }
}

/// The pattern of the resource that answers a request. Must not contain what a client chooses: it is a label of metrics.
#[derive(Clone, Copy)]
struct PathPattern(&'static str);

/// The pattern of the resource of this request, such as `/v1/cards/{card}`. `None`: no resource has the path.
pub fn path_pattern(req: &HttpRequest) -> Option<&'static str> {
    let routed = req.extensions().get::<PathPattern>().map(|PathPattern(pattern)| *pattern);
    // Middleware may answer before the router, for example with 429.
    let find = || req.app_data::<Rc<Paths>>()?.find(req.match_info().as_str());
    routed.or_else(|| find().map(|(_, pattern)| pattern))
}

/// The paths of all resources.
struct Paths {
    /// The places of the resources in lists of them.
    tree: matchit::Router<usize>,
    patterns: Vec<&'static str>,
}

impl Paths {
    /// The place and the pattern of the resource of a path.
    fn find(&self, path: &str) -> Option<(usize, &'static str)> {
        let at = *self.tree.at(path).ok()?.value;
        self.patterns.get(at).map(|pattern| (at, *pattern))
    }
}

struct Router {
    paths: Rc<Paths>,
    endpoints: Vec<BoxedFactory>,
    unknown: BoxedFactory,
}

impl ServiceFactory<ServiceRequest> for Router {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = RouterService;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Service, Self::InitError>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let paths = Rc::clone(&self.paths);
        let endpoints =
            try_join_all(self.endpoints.iter().map(|endpoint| endpoint.new_service(())));
        let unknown = self.unknown.new_service(());
        Box::pin(async move {
            let patterns = paths.patterns.iter().map(|path| pattern(path));
            let resources = patterns.zip(endpoints.await?).collect();
            Ok(RouterService { paths, resources, unknown: unknown.await? })
        })
    }
}

struct RouterService {
    paths: Rc<Paths>,
    resources: Vec<(ResourceDef, BoxedService)>,
    unknown: BoxedService,
}

impl Service<ServiceRequest> for RouterService {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    always_ready!();

    fn call(&self, mut req: ServiceRequest) -> Self::Future {
        let Some((at, path)) = self.paths.find(req.match_info().unprocessed()) else {
            return self.unknown.call(req);
        };
        let (pattern, endpoint) = &self.resources[at];
        if !pattern.capture_match_info(&mut req) {
            return self.unknown.call(req);
        }
        req.extensions_mut().insert(PathPattern(path));
        endpoint.call(req)
    }
}

/// The compiled pattern of a path. Compiled once in a process; copies share the regular expression.
fn pattern(path: &'static str) -> ResourceDef {
    static COMPILED: LazyLock<Mutex<HashMap<&'static str, ResourceDef>>> =
        LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    compiled.entry(path).or_insert_with(|| ResourceDef::new(path)).clone()
}

/// The handlers of a resource, by their methods.
pub struct Methods<H = Route> {
    handlers: Vec<(Method, H)>,
    other: H,
}

impl ServiceFactory<ServiceRequest> for Methods {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = Methods<<Route as ServiceFactory<ServiceRequest>>::Service>;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Service, Self::InitError>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let methods: Vec<Method> = self.handlers.iter().map(|(method, _)| method.clone()).collect();
        let handlers = try_join_all(self.handlers.iter().map(|(_, route)| route.new_service(())));
        let other = self.other.new_service(());
        Box::pin(async move {
            let handlers = methods.into_iter().zip(handlers.await?).collect();
            Ok(Methods { handlers, other: other.await? })
        })
    }
}

impl<H: Service<ServiceRequest>> Service<ServiceRequest> for Methods<H> {
    type Response = H::Response;
    type Error = H::Error;
    type Future = H::Future;

    always_ready!();

    fn call(&self, req: ServiceRequest) -> Self::Future {
        let method = if req.method() == Method::HEAD { &Method::GET } else { req.method() };
        let known = self.handlers.iter().find(|(of, _)| of == method);
        known.map_or(&self.other, |(_, handler)| handler).call(req)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::App;
    use actix_web::http::StatusCode;
    use actix_web::test::{TestRequest, call_service, init_service, read_body};

    use super::*;

    async fn card(req: HttpRequest, card: web::Path<String>) -> String {
        format!("{card} of {}", path_pattern(&req).unwrap_or_default())
    }

    fn refuse_method() -> Route {
        web::to(async || actix_web::HttpResponse::MethodNotAllowed())
    }

    #[actix_web::test]
    async fn the_resource_of_a_path_answers() {
        let app = App::new().configure(|config| {
            let mut mounts = Mounts::new(config);
            let get = |path, route| resource(path, [(Method::GET, route)], refuse_method());
            mounts
                .service(get("/cards/{card}", web::to(card)))
                .service(get("/cards/random", web::to(async || "random")))
                .service(get(
                    "/cards/{card}/rulings/{ruling}",
                    web::to(async |path: web::Path<(String, String)>| path.1.clone()),
                ))
                .service(get("/docs/{file:.*}", web::to(card)));
            mounts.finish();
        });
        let app = init_service(app).await;
        let ask = async |method: Method, path: &str| {
            let req = TestRequest::with_uri(path).method(method).to_request();
            let answer = call_service(&app, req).await;
            let status = answer.status();
            (status, String::from_utf8(read_body(answer).await.to_vec()).unwrap())
        };
        for (path, text) in [
            ("/cards/7", "7 of /cards/{card}"),
            ("/cards/random", "random"),
            ("/cards/randomly", "randomly of /cards/{card}"),
            ("/cards/random/rulings/3", "3"),
            ("/cards/a%20b", "a b of /cards/{card}"),
            ("/cards/a%2Fb", "a/b of /cards/{card}"),
            ("/docs/", " of /docs/{file:.*}"),
            ("/docs/a/b.css", "a/b.css of /docs/{file:.*}"),
        ] {
            assert_eq!(ask(Method::GET, path).await, (StatusCode::OK, text.to_owned()), "{path}");
        }
        assert_eq!(ask(Method::HEAD, "/cards/7").await.0, StatusCode::OK);
        assert_eq!(ask(Method::POST, "/cards/7").await.0, StatusCode::METHOD_NOT_ALLOWED);
        for path in
            ["/", "/cards", "/cards/", "/cards/7/", "/cards/7/rulings", "/docs", "//cards/7"]
        {
            assert_eq!(ask(Method::GET, path).await.0, StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn every_parameter_of_several_segments_may_be_empty() {
        assert_eq!(tree_paths("/docs/{file:.*}"), ["/docs/", "/docs/{*file}"]);
        assert_eq!(tree_paths("/cards/{card}"), ["/cards/{card}"]);
    }
}
