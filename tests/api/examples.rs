//! Sends the examples of the contract: every operation as the document shows it, to a database that holds everything that the examples name. Each request
//! must succeed, so that a reader who copies an example from the reference gets an answer and no error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape::api::contract::document;
use cardscape::api::routes;
use cardscape::auth::permission::Role;
use cardscape::domain::clock::Clock;
use cardscape::domain::ids::CommitmentId;
use cardscape::store::printing::press::RunToMint;
use futures_util::{StreamExt as _, stream};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use crate::collection::counts::printing;
use crate::designs::pictures::{each_format, gradient};
use crate::designs::upload;
use crate::support::{
    PaperCard, Player, RequestExt as _, TestApp, TestDb, fresh_path, next_step, read_print_file,
    text,
};

/// The password in the examples.
const PASSWORD: &str = "tram window sonnet";

/// Cards of the hidden set that are submitted, with number and name: the card of the examples, and a card whose copies [`Stage`] registers.
const SHADOW: (&str, &str) = ("001", "Nobody's Shadow");
const SIGNPOST: (&str, &str) = ("002", "Fogbound Signpost");

/// Members whose printed value cannot be made to exist: ids, and what the service creates from random numbers. Only these are replaced.
const UNREPEATABLE: [&str; 10] = [
    "id",
    "into",
    "printing",
    "give",
    "want",
    "serial",
    "code",
    "recovery_code",
    "refresh_token",
    "design",
];

/// Query parameters that are optional, where at least one of several is required: operation, and the parameter that is always sent.
const NEEDED: [(&str, &str); 2] = [("find_named_card", "fuzzy"), ("find_draw_odds", "name")];

/// A query parameter that lists need which cannot state it themselves, as operation, parameter and value. The document shows no example of it, because
/// parameters beside JSON are refused.
const NEEDED_BY_LISTS: [(&str, &str, &str); 3] = [
    ("create_deck", "format", "ttcg/standard"),
    ("replace_deck", "format", "ttcg/standard"),
    ("create_deck_report", "format", "ttcg/standard"),
];

/// Media types of these lists. The example of a list as `text/plain` states its format.
const LISTS: [&str; 3] = ["text/csv", "text/tab-separated-values", "application/octet-stream"];

/// Values that the answers of some operations must have, as operation, pointer and value. Without this check an example could succeed with an unhelpful
/// verdict.
const EXPECTED_VALUES: [(&str, &str, &str); 5] = [
    ("create_submission", "/state", "counted"),
    ("create_submissions", "/data/0/verdict", "registered"),
    ("look_up_cards", "/data/0/name", "Kettle Imp"),
    ("match_effects", "/data/0/matches/0/template_text", "Discard <fodder> to <deed>."),
    ("find_named_card", "/name", "Kettle Imp"),
];

/// An operation of the document.
#[derive(Clone)]
struct Operation {
    id: String,
    method: Method,
    path: String,
    described: Value,
}

/// A parameter with its example in the document.
#[derive(Clone)]
struct Parameter {
    name: String,
    place: String,
    is_required: bool,
    example: Option<String>,
}

/// One request that the document shows.
#[derive(Clone)]
struct Shown {
    operation: Operation,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    /// Media type and example.
    body: Option<(String, Value)>,
}

fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(document()).unwrap();
    let described = |method: &str, path: &str| document["paths"][path][method].clone();
    let of_route = |(method, path, id): &(&str, &str, &str)| Operation {
        id: (*id).to_owned(),
        method: Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap(),
        path: (*path).to_owned(),
        described: described(method, path),
    };
    routes::all().iter().map(of_route).collect()
}

impl Operation {
    fn parameters(&self, place: &str) -> Vec<Parameter> {
        let all = self.described["parameters"].as_array().into_iter().flatten();
        let read = |parameter: &Value| Parameter {
            name: text(parameter, "name"),
            place: text(parameter, "in"),
            is_required: parameter["required"] == true,
            example: as_printed(&parameter["example"])
                .or_else(|| as_printed(&parameter["schema"]["example"])),
        };
        all.map(read).filter(|parameter| parameter.place == place).collect()
    }

    /// The bodies in the document: media type and example, null if there is none.
    fn bodies(&self) -> Vec<(String, Value)> {
        let content = self.described["requestBody"]["content"].as_object().into_iter().flatten();
        content.map(|(media_type, body)| (media_type.clone(), body["example"].clone())).collect()
    }

    /// The sets of parameters that are sent beside the path and the body: the required ones alone, these with each optional one, and all.
    fn choices(&self) -> Vec<Choice> {
        let headers = self.parameters("header").into_iter();
        // Conditions contain an `ETag`: `send` adds the current one.
        let headers = headers.filter(|parameter| !parameter.name.starts_with("If-"));
        let all: Vec<Parameter> = self.parameters("query").into_iter().chain(headers).collect();
        let shown = |which: &dyn Fn(&Parameter) -> bool| -> Choice {
            all.iter()
                .filter(|parameter| which(parameter) || self.needs(parameter))
                .filter_map(|parameter| {
                    let example = parameter.example.clone()?;
                    Some((parameter.place.clone(), parameter.name.clone(), example))
                })
                .collect()
        };
        let alone = all.iter().map(|one| shown(&|parameter| parameter.name == one.name));
        let mut choices: BTreeSet<Choice> = alone.collect();
        choices.extend([shown(&|_| false), shown(&|_| true)]);
        choices.into_iter().collect()
    }

    fn needs(&self, parameter: &Parameter) -> bool {
        parameter.is_required || NEEDED.contains(&(self.id.as_str(), parameter.name.as_str()))
    }

    /// Every request that the document shows. A request with an optional body is also sent without the body.
    fn shown(&self) -> Vec<Shown> {
        let mut bodies: Vec<_> = self.bodies().into_iter().map(Some).collect();
        if self.described["requestBody"]["required"] != true {
            bodies.push(None);
        }
        let choices = self.choices();
        let with = |place: &str, choice: &Choice| -> Vec<(String, String)> {
            let of_place = choice.iter().filter(|(of, ..)| of == place);
            of_place.map(|(_, name, value)| (name.clone(), value.clone())).collect()
        };
        let of_body = |body: Option<(String, Value)>| {
            let is_list = |(media_type, _): &(String, Value)| LISTS.contains(&media_type.as_str());
            let needed = NEEDED_BY_LISTS.iter().filter(|(id, ..)| *id == self.id);
            let needed: Vec<_> = needed
                .filter(|_| body.as_ref().is_some_and(is_list))
                .map(|(_, name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            choices.iter().map(move |choice| Shown {
                operation: self.clone(),
                query: [with("query", choice), needed.clone()].concat(),
                headers: with("header", choice),
                body: body.clone(),
            })
        };
        bodies.into_iter().flat_map(of_body).collect()
    }
}

/// Place, name and value of parameters.
type Choice = Vec<(String, String, String)>;

/// A value as it is written in a URL.
fn as_printed(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The query string of these parameters, with its `?`.
fn as_query(parameters: &[(String, String)]) -> String {
    let url = Url::parse_with_params("http://localhost/", parameters).unwrap();
    url.query()
        .filter(|query| !query.is_empty())
        .map_or_else(String::new, |query| format!("?{query}"))
}

/// A database that holds everything that the examples name. Nothing is connected to it, because each request that writes gets a copy of it.
struct Stage {
    db: Arc<TestDb>,
    /// An admin who also plays.
    ada: Player,
    /// Another player. A third player, cem, claims a copy that ben registered.
    ben: Player,
    /// Ids for path parameters that have no example, by the name of the parameter.
    ids: BTreeMap<&'static str, String>,
    /// Ids and secrets for certain operations. In the keys, "her" means ada's and "his" means ben's.
    others: BTreeMap<&'static str, String>,
    /// Copies of [`SHADOW`] and [`SIGNPOST`] that no account has submitted yet.
    shadows: Vec<PaperCard>,
    signposts: Vec<PaperCard>,
}

impl Stage {
    async fn new() -> Self {
        let db = Arc::new(TestDb::create().await);
        let app = TestApp::start_on(db.clone(), Clock::system(), |_| {});
        app.seed(&["ttcg"]).await;
        app.seed_effect_texts("ttcg").await;
        app.import_set("tide", 2, false).await;
        let ada = an_admin(&app, "ada").await;
        let (ben, cem) = (a_player(&app, "ben").await, a_player(&app, "cem").await);
        let (shadows, signposts) = printed(&app).await;
        let mut stage = Self {
            db,
            ada,
            ben,
            ids: BTreeMap::new(),
            others: BTreeMap::new(),
            shadows,
            signposts,
        };
        stage.fill_catalogue(&app).await;
        stage.fill_accounts(&app).await;
        stage.fill_collection(&app).await;
        stage.fill_designs(&app).await;
        stage.fill_copies(&app, &cem).await;
        stage.fill_operations(&app).await;
        app.build_bulk_files().await;
        drop(app);
        // Postgres does not copy a database that has open connections.
        let name = stage.db.value("SELECT current_database()").await;
        let disconnect = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        TestDb::create().await.value(&disconnect).await;
        stage
    }

    async fn fill_catalogue(&mut self, app: &TestApp) {
        let card = async |number: &str| {
            let place = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
            text(&app.get(&place).answer().await.expect(200), "id")
        };
        let (imp, smith, moved) = (card("016").await, card("017").await, card("154").await);
        let ruling = json!({ "kind": "ruling", "text": "So it is.", "published_on": "2026-11-21" });
        let ruling = self.create(app, &format!("/v1/cards/{imp}/rulings"), ruling).await;
        let away = json!({ "number": "254" });
        let migration = self.create(app, &format!("/v1/cards/{moved}/move"), away).await;
        self.ids.extend([
            ("card", imp),
            ("ruling", text(&ruling, "id")),
            ("migration", text(&migration, "id")),
            ("printing", printing(app, None, "hearth", "016", "common").await),
        ]);
        let hidden = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
        self.others.insert("another card", smith);
        self.others.insert("hidden card", text(&hidden, "id"));
    }

    async fn fill_accounts(&mut self, app: &TestApp) {
        let token = json!({ "name": "t", "scopes": ["decks:read"] });
        let token = self.create(app, "/v1/tokens", token).await;
        let session =
            format!("SELECT id FROM sessions WHERE account_id = '{}' LIMIT 1", self.ada.id);
        let codes = json!({ "password": PASSWORD });
        let codes = app.post("/v1/me/recovery-codes").by(&self.ada).json(&codes);
        let codes = codes.answer().await.expect(200);
        self.others.insert("recovery code", text_at(&codes, "/recovery_codes/0"));
        self.ids.extend([
            ("account", self.ben.id.clone()),
            ("token", text(&token, "id")),
            ("session", app.db().value(&session).await),
        ]);
    }

    async fn fill_collection(&mut self, app: &TestApp) {
        let deck = json!({
            "name": "Embers", "format": "ttcg/standard", "visibility": "public",
            "entries": [{ "name": "Kettle Imp", "quantity": 2 }],
        });
        let deck = self.create(app, "/v1/decks", deck).await;
        let his = json!({ "name": "Bones", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
        let his = app.post("/v1/decks").by(&self.ben).json(&his).answer().await.expect(201);
        let his = text(&his, "id");
        let comment = json!({ "text": "Well." });
        let comment = self.create(app, &format!("/v1/decks/{his}/comments"), comment).await;
        self.others.extend([("his deck", his), ("her comment on his deck", text(&comment, "id"))]);
        let count = app.put(&format!("/v1/collection/{}", self.ids["printing"])).by(&self.ada);
        let damaged = json!({ "quantity": 1, "condition": "damaged" });
        count.json(&damaged).answer().await.expect(200);
        let list = json!({
            "items": [{ "game": "ttcg", "name": "Kettle Imp" }], "visibility": "public",
        });
        for path in ["/v1/me/wants", "/v1/me/haves"] {
            let replaced = app.put(path).by(&self.ada).header("if-match", "\"r0\"").json(&list);
            replaced.answer().await.expect(200);
        }
        let file = json!([{ "game": "ttcg", "name": "Kettle Imp", "rarity": "common" }]);
        let read = app.post("/v1/collection/imports").by(&self.ada).json(&file);
        let import = text(&read.answer().await.expect(200), "import");
        let watch = format!("/v1/decks/{}/watch", text(&deck, "id"));
        app.put(&watch).by(&self.ada).answer().await.expect(200);
        self.ids.extend([("deck", text(&deck, "id")), ("import", import)]);
    }

    /// A draft of three revisions.
    async fn fill_designs(&mut self, app: &TestApp) {
        let draft = |name: &str| json!({ "game": "ttcg", "name": name, "kind": "unit" });
        let begun = self.create(app, "/v1/designs", draft("One")).await;
        let path = format!("/v1/designs/{}", text(&begun, "id"));
        for name in ["Two", "Three"] {
            let revised = app.put(&path).by(&self.ada).header("if-match", "*").json(&draft(name));
            revised.answer().await.expect(200);
        }
        self.ids.insert("design", text(&begun, "id"));
        let sound = json!({
            "game": "ttcg", "name": "Lantern Crane", "kind": "unit", "licence": "release-1",
            "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
            "effects": [
                { "style": "passive", "text": "After this card attacks, return it to your hand." },
                { "style": "normal", "text": "Discard one spell to gain 1 point." },
            ],
        });
        let hers = text(&self.create(app, "/v1/designs", sound.clone()).await, "id");
        let his = app.post("/v1/designs").by(&self.ben).json(&sound).answer().await.expect(201);
        let his = text(&his, "id");
        let submit = app.post(&format!("/v1/designs/{his}/submit")).by(&self.ben);
        submit.header("if-match", "*").answer().await.expect(200);
        // An account without a design in the gallery is not an author.
        let shown = self.create(app, "/v1/designs", draft("Signal Newt")).await;
        let share = app.post(&format!("/v1/designs/{}/share", text(&shown, "id"))).by(&self.ada);
        share.header("if-match", "*").answer().await.expect(200);
        self.others.extend([("sound design", hers), ("his submitted design", his)]);
        let [picture, ..] = each_format(&gradient(400, 300));
        let artwork = upload(app, &self.ada, "image/png", picture).await.expect(201);
        self.ids.insert("artwork", text(&artwork, "id"));
        self.fill_feedback(app, &sound).await;
    }

    /// A shared design of each of the two players, with a comment, a rating and a suggestion of the other player.
    async fn fill_feedback(&mut self, app: &TestApp, sound: &Value) {
        let scores = json!({ "fun": 5, "balance": 4, "flavour": 3, "clarity": 2 });
        let sides = [(&self.ada, &self.ben, "Lantern Egret"), (&self.ben, &self.ada, "Reed Egret")];
        let mut created = Vec::new();
        for (author, other, name) in sides {
            let mut design = sound.clone();
            design["name"] = name.into();
            let begun = app.post("/v1/designs").by(author).json(&design).answer().await;
            let path = begun.header("location");
            let share = app.post(&format!("{path}/share")).by(author).header("if-match", "*");
            share.answer().await.expect(200);
            let comment = app.post(&format!("{path}/comments")).by(other);
            let comment = comment.json(&json!({ "text": "Well." })).answer().await.expect(201);
            app.put(&format!("{path}/rating")).by(other).json(&scores).answer().await.expect(200);
            design["flavour"] = "It waits.".into();
            let change = json!({ "revision": 1, "message": "So?", "design": design });
            let change = app.post(&format!("{path}/suggestions")).by(other).json(&change);
            let change = change.answer().await.expect(201);
            let design = text(&begun.json(), "id");
            created.push((design, text(&comment, "id"), text(&change, "id")));
        }
        let [(hers, his_comment, for_hers), (his, comment, for_his)]: [_; 2] =
            created.try_into().unwrap();
        let report = json!({ "design": his, "reason": "spam" });
        let report = text(&self.create(app, "/v1/abuse-reports", report).await, "id");
        self.ids.extend([("comment", comment), ("suggestion", for_hers), ("report", report)]);
        self.others.extend([
            ("her shared design", hers),
            ("his comment", his_comment),
            ("his shared design", his),
            ("her suggestion", for_his),
        ]);
    }

    /// Copies of ada and ben, an offer in each direction, a claim by ada and a claim by cem.
    async fn fill_copies(&mut self, app: &TestApp, cem: &Player) {
        let (ada, ben) = (self.ada.clone(), self.ben.clone());
        app.set_trading(&ada, "public").await;
        app.set_trading(&ben, "public").await;
        let submitted = app.submit(&ada, &self.signpost()).await.expect(201);
        let bens = app.submit(&ben, &self.signpost()).await.expect(201);
        let (hers, his) = (text(&submitted, "copy"), text(&bens, "copy"));
        let (contested, wanted) = (self.signpost(), self.signpost());
        app.register(&ben, &contested).await;
        app.register(&ben, &wanted).await;
        let claim = app.submit(&ada, &contested).await.problem(409, "registered_to_another");
        let cems = app.submit(cem, &wanted).await.problem(409, "registered_to_another");
        let to_ada = app.offer(&ben, &ada, &[&his], &[&hers]).await.expect(201);
        let to_ben = app.offer(&ada, &ben, &[&hers], &[&his]).await.expect(201);
        self.others.extend([
            ("her copy", hers),
            ("his submission", text(&bens, "submission")),
            ("her offer", text(&to_ben, "id")),
            ("dispute of others", text(&cems, "dispute_id")),
        ]);
        self.ids.extend([
            ("copy", his),
            ("submission", text(&submitted, "submission")),
            ("trade", text(&to_ada, "id")),
            ("dispute", text(&claim, "dispute_id")),
        ]);
    }

    async fn fill_operations(&mut self, app: &TestApp) {
        let announced = "/v1/games/ttcg/sets/tide/print-commitments";
        let announced = self.create(app, announced, json!({ "copies_per_card": 77 })).await;
        let commitment = text(&announced, "id");
        let (run, file) = (CommitmentId(commitment.parse().unwrap()), fresh_path(".csv"));
        app.mint_run(RunToMint::Announced(run), file.clone(), None).await.unwrap();
        std::fs::remove_file(file).unwrap();
        let webhook = json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] });
        let webhook = text(&self.create(app, "/v1/webhooks", webhook).await, "id");
        let hook = format!("/v1/webhooks/{webhook}");
        app.post(&format!("{hook}/ping")).by(&self.ada).answer().await.expect(202);
        let deliveries = app.get(&format!("{hook}/deliveries")).by(&self.ada);
        let deliveries = deliveries.answer().await.expect(200);
        let runs = app.get("/v1/print-runs").by(&self.ada).answer().await.expect(200);
        self.ids.extend([
            ("commitment", commitment),
            ("run", text_at(&runs, "/data/0/id")),
            ("webhook", webhook),
            ("delivery", text_at(&deliveries, "/data/0/id")),
        ]);
    }

    async fn create(&self, app: &TestApp, path: &str, body: Value) -> Value {
        app.post(path).by(&self.ada).json(&body).answer().await.expect(201)
    }

    fn signpost(&mut self) -> PaperCard {
        self.signposts.pop().unwrap()
    }

    /// The service on a copy of the database.
    async fn copy(&self) -> TestApp {
        TestApp::start_on(Arc::new(self.db.copy().await), Clock::system(), |_| {})
    }

    async fn send_to_a_copy(&self, shown: &Shown) -> Option<String> {
        let app = match shown.operation.id.as_str() {
            // The account of the example must not exist yet.
            "register" => TestApp::start().await,
            _ => self.copy().await,
        };
        self.send(&app, shown).await
    }

    /// Creates what a request of this operation needs. Returns what has to be replaced in the request: ids in the path by the name of the parameter, members
    /// of the body by their JSON pointer.
    async fn prepare(&self, app: &TestApp, operation: &str) -> Replaced {
        let other = |name: &str| self.others[name].clone();
        let policy = async |path: &str| {
            let body = json!({ "threshold": 4 });
            app.put(path).by(&self.ada).json(&body).answer().await.expect(201);
        };
        let pairs: Vec<(&'static str, String)> = match operation {
            "merge_card" => vec![("/into", other("another card"))],
            "look_up_cards" => vec![("/identifiers/0/id", self.ids["card"].clone())],
            "find_unlock" | "unlock_card" => vec![("card", other("hidden card"))],
            "recover" => vec![("/recovery_code", other("recovery code"))],
            "refresh" => vec![("/refresh_token", self.ada.refresh_token.clone())],
            "confirm_second_factor" => {
                next_step(app);
                vec![("/code", app.begin_second_factor(&self.ada).await.code(app))]
            }
            "switch_off_second_factor" | "replace_second_factor_codes" => {
                vec![("/code", app.enrol(&self.ada).await.0.code(app))]
            }
            // A set that has cards cannot be deleted.
            "delete_set" => {
                let set = json!({ "code": "fan-made", "name": "Made by Players" });
                self.create(app, "/v1/games/ttcg/sets", set).await;
                vec![]
            }
            // A placeholder that templates use cannot be deleted.
            "delete_effect_placeholder" => {
                let path = "/v1/games/ttcg/effect-templates";
                let etag = app.get(path).answer().await.header("etag");
                let templates = json!({ "templates": ["Draw two cards."] });
                let replace = app.put(path).by(&self.ada).header("if-match", etag).json(&templates);
                replace.answer().await.expect(200);
                vec![]
            }
            "remove_second_factor" => {
                app.enrol(&self.ben).await;
                vec![]
            }
            "change_counts" => vec![("/changes/1/printing", self.ids["printing"].clone())],
            "create_submission" => vec![("/serial", self.shadows[0].serial.clone())],
            "create_submissions" => vec![("/submissions/0/serial", self.shadows[0].serial.clone())],
            "review_submission" => vec![("submission", other("his submission"))],
            "create_trade" | "counter_trade" => {
                vec![("/give/0", other("her copy")), ("/want/0", self.ids["copy"].clone())]
            }
            "submit_design" => vec![("design", other("sound design"))],
            // A reviewer must not be the author of the design.
            "claim_design" | "return_design" | "decide_design" => {
                let design = other("his submitted design");
                if operation != "claim_design" {
                    let claim = app.post(&format!("/v1/designs/{design}/claim")).by(&self.ada);
                    claim.answer().await.expect(200);
                }
                vec![("design", design)]
            }
            // Declares the card of that copy to be the release of ben's design.
            "find_designer_perk" | "grant_reserved_copy" => {
                let (design, copy) = (other("his shared design"), &self.shadows[0]);
                app.sql(&format!(
                    "INSERT INTO design_releases (design_id, card_id, revision, licence, licensed_at, released_by, released_at) \
                     SELECT d.id, k.id, 1, 'release-1', now(), d.account_id, now() FROM designs d, cards k WHERE d.code = '{design}' AND k.set_code = 'veil' AND k.number = '{}'; \
                     INSERT INTO designer_rewards (design_id, account_id, perk, earned_at) SELECT id, account_id, 'reserved_copy', now() FROM designs WHERE code = '{design}'",
                    copy.number
                ))
                .await;
                let serial = ("/serial", copy.serial.clone());
                [("design", design)]
                    .into_iter()
                    .chain((operation == "grant_reserved_copy").then_some(serial))
                    .collect()
            }
            "report_abuse" => vec![("/design", other("his shared design"))],
            "release_design" | "revoke_approval" => {
                let design = other("his submitted design");
                let path = format!("/v1/designs/{design}");
                app.post(&format!("{path}/claim")).by(&self.ada).answer().await.expect(200);
                let decision = json!({ "decision": "approved", "reason": "Good." });
                let decide = app.post(&format!("{path}/decide")).by(&self.ada).json(&decision);
                decide.answer().await.expect(200);
                vec![("design", design)]
            }
            "list_comments"
            | "find_comment"
            | "create_comment"
            | "replace_comment"
            | "delete_comment"
            | "find_own_rating"
            | "rate_design"
            | "delete_own_rating"
            | "find_design_ratings"
            | "create_suggested_change" => {
                vec![("design", other("his shared design"))]
            }
            "list_suggested_changes"
            | "find_suggested_change"
            | "take_suggested_change"
            | "decline_suggested_change" => vec![("design", other("her shared design"))],
            "withdraw_suggested_change" => vec![
                ("design", other("his shared design")),
                ("suggestion", other("her suggestion")),
            ],
            "like_deck" | "unlike_deck" => vec![("deck", other("his deck"))],
            "show_comment" | "list_hidden_comments" => {
                let (design, comment) = (other("her shared design"), other("his comment"));
                let path = format!("/v1/designs/{design}/comments/{comment}");
                app.delete(&path).by(&self.ada).answer().await.expect(204);
                vec![("design", design), ("comment", comment)]
            }
            "show_deck_comment" | "list_hidden_deck_comments" => {
                let comments = format!("/v1/decks/{}/comments", self.ids["deck"]);
                let comment = app.post(&comments).by(&self.ben).json(&json!({ "text": "Well." }));
                let comment = text(&comment.answer().await.expect(201), "id");
                let path = format!("{comments}/{comment}");
                app.delete(&path).by(&self.ada).answer().await.expect(204);
                vec![("comment", comment)]
            }
            "find_deck_comment" | "replace_deck_comment" | "delete_deck_comment" => {
                vec![("deck", other("his deck")), ("comment", other("her comment on his deck"))]
            }
            "unblock_account" => {
                let path = format!("/v1/me/blocks/{}", self.ben.id);
                app.put(&path).by(&self.ada).answer().await.expect(204);
                vec![]
            }
            "withdraw_design" => {
                let path = format!("/v1/designs/{}/share", self.ids["design"]);
                let share = app.post(&path).by(&self.ada).header("if-match", "*");
                share.answer().await.expect(200);
                vec![]
            }
            "cancel_trade" => vec![("trade", other("her offer"))],
            "decide_dispute" => vec![("dispute", other("dispute of others"))],
            "find_game_policy" | "remove_game_policy" => {
                policy("/v1/games/ttcg/unlock-policy").await;
                vec![]
            }
            "set_set_policy" | "remove_set_policy" => {
                policy("/v1/games/ttcg/sets/veil/unlock-policy").await;
                vec![]
            }
            _ => vec![],
        };
        pairs.into_iter().collect()
    }

    /// Sends a request. Returns what is wrong with the request or the answer, if anything.
    async fn send(&self, app: &TestApp, shown: &Shown) -> Option<String> {
        let operation = &shown.operation;
        let replaced = self.prepare(app, &operation.id).await;
        let path = self.path(operation, &replaced);
        let requested = format!("{path}{}", as_query(&shown.query));
        let mut request = app.request(operation.method.clone(), &requested).by(&self.ada);
        for (name, value) in &shown.headers {
            request = request.header(name, value);
        }
        let names_a_version =
            |parameter: &Parameter| parameter.name == "If-Match" && operation.method != Method::GET;
        if operation.parameters("header").iter().any(names_a_version) {
            // The path of an action is below the resource that it changes. The action has no version of its own, so the version of the resource is sent.
            let whole = path.rsplit_once('/').map_or("", |(whole, _)| whole);
            let is_action = operation.method == Method::POST;
            // An action on a suggestion changes the design.
            let whole = whole.split("/suggestions/").next().unwrap_or(whole);
            for path in [path.as_str()].into_iter().chain(is_action.then_some(whole)) {
                let etag = app.get(path).by(&self.ada).answer().await.header("etag");
                if !etag.is_empty() {
                    request = request.header("if-match", etag);
                    break;
                }
            }
        }
        let mut printed = String::new();
        if let Some((media_type, example)) = &shown.body {
            let body = with_replaced(example, &replaced);
            printed = as_printed(&body).unwrap_or_default();
            let file = sent_as(media_type, &printed);
            request = request.header("content-type", media_type).body(file);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let media_type = response.headers().get("content-type").cloned();
        let endless = media_type.is_some_and(|media_type| media_type == "text/event-stream");
        let answer = if endless { String::new() } else { response.text().await.unwrap() };
        let documented = operation.described["responses"].get(status.to_string()).is_some();
        let fault = if !(200..300).contains(&status) {
            format!("{status} {answer}")
        } else if !documented {
            format!("{status} is not in the document")
        } else {
            unexpected_value(&operation.id, &answer)?
        };
        Some(format!("{} {requested} {printed}: {fault}", operation.id))
    }

    fn path(&self, operation: &Operation, replaced: &Replaced) -> String {
        let mut path = operation.path.clone();
        for parameter in operation.parameters("path") {
            let name = parameter.name.as_str();
            let value = replaced.get(name).or_else(|| self.ids.get(name));
            let value = match (&parameter.example, value) {
                (Some(example), _) => example,
                (None, Some(id)) => id,
                (None, None) => panic!("{}: no {name} is prepared: add one to `ids`", operation.id),
            };
            path = path.replace(&format!("{{{name}}}"), value);
        }
        path
    }
}

/// The bytes of a body: a picture, which the document cannot contain, or the text of the example.
fn sent_as(media_type: &str, printed: &str) -> Vec<u8> {
    let [png, jpeg, webp] = each_format(&gradient(300, 200));
    match media_type {
        "image/png" => png,
        "image/jpeg" => jpeg,
        "image/webp" => webp,
        _ => printed.as_bytes().to_vec(),
    }
}

/// Replacement values: for path parameters by name, for members of a body by pointer.
type Replaced = BTreeMap<&'static str, String>;

fn with_replaced(example: &Value, replaced: &Replaced) -> Value {
    let mut body = example.clone();
    for (pointer, value) in replaced.iter().filter(|(pointer, _)| pointer.starts_with('/')) {
        let named = pointer.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap();
        assert!(UNREPEATABLE.contains(&named), "{pointer} can be sent as it is printed");
        let member = body.pointer_mut(pointer);
        *member.unwrap_or_else(|| panic!("{example} has no {pointer}")) = json!(value);
    }
    body
}

/// Describes the difference between an answer and [`EXPECTED_VALUES`], if there is one.
fn unexpected_value(operation: &str, answer: &str) -> Option<String> {
    let (_, pointer, expected) = EXPECTED_VALUES.iter().find(|(id, ..)| *id == operation)?;
    let answer: Value = serde_json::from_str(answer).unwrap();
    let actual = answer.pointer(pointer);
    (actual != Some(&json!(expected))).then(|| format!("{pointer} is {actual:?} in {answer}"))
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{value}")).to_owned()
}

async fn a_player(app: &TestApp, name: &str) -> Player {
    let body = json!({ "name": name, "password": PASSWORD });
    app.post("/v1/accounts").json(&body).answer().await.expect(201);
    app.log_in(name, PASSWORD).await
}

async fn an_admin(app: &TestApp, name: &str) -> Player {
    app.created_by_operator(name, Role::Admin, "first password").await;
    let first = app.log_in(name, "first password").await;
    let body = json!({ "current_password": "first password", "new_password": PASSWORD });
    app.put("/v1/me/password").by(&first).json(&body).answer().await.expect(204);
    app.log_in(name, PASSWORD).await
}

/// Cards from a print run of the hidden set: [`SHADOW`] and [`SIGNPOST`].
async fn printed(app: &TestApp) -> (Vec<PaperCard>, Vec<PaperCard>) {
    let file = fresh_path(".csv");
    app.mint("veil", 77, file.clone()).await.unwrap();
    let cards = read_print_file(&file);
    std::fs::remove_file(&file).unwrap();
    let copies = |(number, name): (&str, &str)| {
        let of_card = cards.iter().filter(|card| card.number == number);
        of_card.map(|card| PaperCard { name: name.to_owned(), ..card.clone() }).collect()
    };
    (copies(SHADOW), copies(SIGNPOST))
}

#[test]
fn every_body_has_an_example() {
    let bodies = operations().into_iter().flat_map(|operation| {
        operation
            .bodies()
            .into_iter()
            .map(move |(media_type, example)| (operation.id.clone(), media_type, example.is_null()))
    });
    let (lacking, shown): (Vec<_>, Vec<_>) = bodies.partition(|(.., lacks)| *lacks);
    assert!(lacking.is_empty(), "bodies without an example: {lacking:?}");
    assert!(shown.len() > 55, "{}", shown.len());
}

#[tokio::test]
async fn every_request_that_the_document_shows_succeeds() {
    let stage = Stage::new().await;
    let all: Vec<Shown> = operations().iter().flat_map(Operation::shown).collect();
    let requested: BTreeSet<_> = all.iter().map(|shown| shown.operation.id.as_str()).collect();
    assert_eq!(requested.len(), routes::all().len());
    let (reads, writes): (Vec<_>, Vec<_>) =
        all.iter().partition(|shown| shown.operation.method == Method::GET);
    let library = stage.copy().await;
    let mut faults = Vec::new();
    for shown in &reads {
        faults.extend(stage.send(&library, shown).await);
    }
    drop(library);
    let written = stream::iter(&writes).map(|shown| stage.send_to_a_copy(shown));
    faults.extend(written.buffer_unordered(4).collect::<Vec<_>>().await.into_iter().flatten());
    println!("{} reads, {} writes", reads.len(), writes.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
