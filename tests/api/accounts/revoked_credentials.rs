//! A revoked credential cannot write, even while the cache of an instance still holds it as valid: every operation that writes checks
//! the credential again in its own transaction.

use std::time::Duration;

use cardscape::api::routes;
use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::ids::CommitmentId;
use cardscape::store::printing::press::RunToMint;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::catalogue::catalogue_imports::{PEBBLES, shore};
use crate::collection::counts::printing;
use crate::designs::pictures::{each_format, gradient};
use crate::designs::upload;
use crate::support::{PaperCard, Player, RequestExt as _, TestApp, fresh_path, next_step, text};

/// Operations that write nothing for a credential: they need none, or their method is POST only because the query is long.
const OPERATIONS_WITHOUT_CHECKED_WRITES: [&str; 12] = [
    "register",
    "recover",
    "log_in",
    "refresh",
    "look_up_cards",
    "create_deck_report",
    "create_deck_reports",
    "check_design",
    "create_design_suggestion",
    "match_effects",
    "expand_template",
    "create_print_plan",
];

struct Scene {
    app: TestApp,
    admin: Player,
    moderator: Player,
    ada: Player,
    ben: Player,
    cards: std::sync::Mutex<Vec<PaperCard>>,
}

/// A request that would succeed.
struct Draft {
    by: Player,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Value,
    file: Option<(&'static str, Vec<u8>)>,
    /// The second factor that the account needs to log in, if it has one.
    second_factor: Option<String>,
}

impl Draft {
    fn new(by: &Player, path: impl Into<String>, body: Value) -> Self {
        Self {
            by: by.clone(),
            path: path.into(),
            headers: Vec::new(),
            body,
            file: None,
            second_factor: None,
        }
    }

    fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    fn request(&self, app: &TestApp, method: Method, token: &str) -> RequestBuilder {
        let mut request = app.request(method, &self.path).bearer_auth(token);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some((media_type, file)) = &self.file {
            return request.header("content-type", *media_type).body(file.clone());
        }
        if self.body.is_null() { request } else { request.json(&self.body) }
    }
}

/// A valid design.
fn heron(name: &str) -> Value {
    json!({
        "game": "ttcg", "name": name, "kind": "unit", "licence": "release-1",
        "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
        "effects": [
            { "style": "passive", "text": "After this card attacks, return it to your hand." },
            { "style": "normal", "text": "Discard one spell to gain 1 point." },
        ],
    })
}

/// A rating of a design.
fn scores() -> Value {
    json!({ "fun": 5, "balance": 4, "flavour": 3, "clarity": 2 })
}

/// A suggested change of a design that is at its first revision.
fn suggested_change() -> Value {
    let name = format!("Crane {}", uuid::Uuid::new_v4());
    json!({ "revision": 1, "message": "So?", "design": heron(&name) })
}

/// An instance that caches a checked credential for an hour, so that only the transaction can notice that the credential is revoked.
async fn app_with_long_credential_cache() -> TestApp {
    TestApp::start_with(|settings| {
        settings.identity_ttl = Duration::from_hours(1);
        settings.attempt_limits = AttemptLimits::scaled(1_000);
        settings.webhook_networks = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await
}

/// A text that changes with any stored data, except for attempts, which are always counted, and event numbers, which readers assign.
const FINGERPRINT: &str = "CREATE FUNCTION fingerprint() RETURNS text LANGUAGE plpgsql AS $$ \
    DECLARE name text; part text; whole text := ''; BEGIN \
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \
        AND relname NOT IN ('attempts', 'event_clock', 'account_event_clocks') ORDER BY relname LOOP \
        EXECUTE format(CASE WHEN name IN ('events', 'account_events') THEN 'SELECT count(*)::text FROM %I' \
            ELSE 'SELECT coalesce(md5(string_agg(t::text, '' '' ORDER BY t::text)), ''none'') FROM %I t' END, name) INTO part; \
        whole := whole || name || ' ' || part || E'\\n'; END LOOP; RETURN whole; END $$";

impl Scene {
    async fn new() -> Self {
        let app = app_with_long_credential_cache().await;
        app.sql(FINGERPRINT).await;
        for (set, hidden) in
            [("base", false), ("tide", false), ("dusk", true), ("gloom", true), ("murk", true)]
        {
            app.import_set(set, 6, hidden).await;
        }
        app.seed(&["emojito"]).await;
        let cards = std::sync::Mutex::new(app.print("dusk", 77).await);
        let (admin, moderator) = (app.admin().await, app.moderator().await);
        let (ada, ben) = (app.player("ada").await, app.player("ben").await);
        let manifest = app.put("/v1/games/pebbles/manifest").by(&admin);
        let manifest = manifest.header("content-type", "application/toml").body(PEBBLES);
        manifest.answer().await.expect(201);
        app.put("/v1/games/pebbles/sets/shore")
            .by(&admin)
            .json(&shore())
            .answer()
            .await
            .expect(201);
        let scene = Self { app, admin, moderator, ada, ben, cards };
        let mood = json!({ "values": ["glad", "sad"] });
        let mood = scene
            .app
            .put("/v1/games/emojito/effect-placeholders/mood")
            .by(&scene.admin)
            .json(&mood);
        mood.answer().await;
        let templates = json!({ "templates": ["Rest.", "Sleep.", "Run.", "Wait."] });
        let templates = scene.texts("effect-templates", templates).await;
        templates
            .request(&scene.app, Method::PUT, &scene.admin.access_token)
            .answer()
            .await
            .expect(200);
        scene
    }

    fn card(&self) -> PaperCard {
        self.cards.lock().unwrap().pop().unwrap()
    }

    async fn etag(&self, path: &str) -> String {
        let answer = self.app.get(path).by(&self.admin).answer().await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.header("etag")
    }

    async fn card_path(&self, set: &str, number: &str) -> String {
        let id = format!("SELECT id FROM cards WHERE set_code = '{set}' AND number = '{number}'");
        format!("/v1/cards/{}", self.app.db().value(&id).await)
    }

    /// An edit of the current version of the effect texts.
    async fn texts(&self, part: &str, body: Value) -> Draft {
        let etag = self.etag("/v1/games/emojito/effect-placeholders/mood").await;
        let path = format!("/v1/games/emojito/{part}");
        Draft::new(&self.admin, path, body).with("if-match", etag)
    }

    async fn create(&self, by: &Player, path: &str, body: Value) -> (String, Value) {
        let answer = self.app.post(path).by(by).json(&body).answer().await;
        (answer.header("location"), answer.expect(201))
    }

    async fn ruling(&self) -> String {
        let rulings = format!("{}/rulings", self.card_path("base", "006").await);
        let body = json!({ "kind": "ruling", "text": "So it is.", "published_on": "2026-11-21" });
        self.create(&self.admin, &rulings, body).await.0
    }

    /// A draft design of `by` with a unique name.
    async fn design(&self, by: &Player) -> String {
        let name = format!("Heron {}", uuid::Uuid::new_v4());
        let begun = self.app.post("/v1/designs").by(by).json(&heron(&name)).answer().await;
        assert_eq!(begun.status, 201, "{}", begun.text());
        begun.header("location")
    }

    /// A submitted design of ada that no moderator has claimed yet.
    async fn submitted_design(&self) -> String {
        // Accounts that are not new may submit more designs per day.
        self.app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
        let path = self.design(&self.ada).await;
        let submit = self.app.post(&format!("{path}/submit")).by(&self.ada).header("if-match", "*");
        submit.answer().await.expect(200);
        path
    }

    /// A shared design of ada.
    async fn shared_design(&self) -> String {
        // Accounts that are not new have higher daily limits.
        self.app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
        let path = self.design(&self.ada).await;
        let share = self.app.post(&format!("{path}/share")).by(&self.ada).header("if-match", "*");
        share.answer().await.expect(200);
        path
    }

    /// A comment of ben on a shared design.
    async fn comment(&self) -> String {
        let path = format!("{}/comments", self.shared_design().await);
        self.create(&self.ben, &path, json!({ "text": "Well." })).await.0
    }

    /// A public deck of ada.
    async fn public_deck(&self) -> String {
        // Accounts that are not new have higher daily limits.
        self.app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
        let mut body = deck();
        body["visibility"] = "public".into();
        self.create(&self.ada, "/v1/decks", body).await.0
    }

    /// A comment of ben on a public deck.
    async fn deck_comment(&self) -> String {
        let path = format!("{}/comments", self.public_deck().await);
        self.create(&self.ben, &path, json!({ "text": "Well." })).await.0
    }

    /// A change of a shared design that ben suggests.
    async fn suggestion(&self) -> String {
        let path = format!("{}/suggestions", self.shared_design().await);
        self.create(&self.ben, &path, suggested_change()).await.0
    }

    /// A submitted design that the moderator has claimed.
    async fn claimed_design(&self) -> String {
        let path = self.submitted_design().await;
        let claim = self.app.post(&format!("{path}/claim")).by(&self.moderator);
        claim.answer().await.expect(200);
        path
    }

    /// The path of an approved design, which may become a card.
    async fn approved_design(&self) -> String {
        let path = self.claimed_design().await;
        let body = json!({ "decision": "approved", "reason": "good" });
        let decide = self.app.post(&format!("{path}/decide")).by(&self.moderator).json(&body);
        decide.answer().await.expect(200);
        path
    }

    /// The body of an abuse report about a shared design of `author`.
    async fn report_of(&self, author: &Player) -> Value {
        let path = self.design(author).await;
        let share = self.app.post(&format!("{path}/share")).by(author).header("if-match", "*");
        share.answer().await.expect(200);
        json!({ "design": path.trim_start_matches("/v1/designs/"), "reason": "spam" })
    }

    async fn deck(&self) -> String {
        self.create(&self.ada, "/v1/decks", deck()).await.0
    }

    /// The path of the reservation of a deck whose cards ada has, also if another deck has reserved some.
    async fn possible_reservation(&self) -> String {
        let id = printing(&self.app, None, "base", "001", "common").await;
        let count = self.app.put(&format!("/v1/collection/{id}")).by(&self.ada);
        count.json(&json!({ "quantity": 20 })).answer().await.expect(200);
        format!("{}/reservation", self.deck().await)
    }

    async fn offer(&self) -> String {
        let copy = self.app.register(&self.ada, &self.card()).await;
        let offer = self.app.offer(&self.ada, &self.ben, &[&copy], &[]).await.expect(201);
        format!("/v1/trades/{}", text(&offer, "id"))
    }

    async fn copy(&self) -> String {
        format!("/v1/copies/{}", self.app.register(&self.ada, &self.card()).await)
    }

    async fn dispute(&self) -> String {
        let card = self.card();
        self.app.register(&self.ada, &card).await;
        let claim = self.app.submit(&self.ben, &card).await.problem(409, "registered_to_another");
        format!("/v1/disputes/{}", text(&claim, "dispute_id"))
    }

    async fn webhook(&self) -> String {
        self.create(&self.admin, "/v1/webhooks", webhook()).await.0
    }

    fn trade_list(&self, path: &str) -> Draft {
        let item = json!({ "game": "ttcg", "set": "base", "number": "001" });
        Draft::new(&self.ada, path, json!({ "items": [item] })).with("if-match", "*")
    }

    /// An operation on a second factor. The first recovery code is for the log-in of the test, the second for the operation.
    async fn with_second_factor(&self, name: &str, operation: &str) -> Draft {
        let own = self.app.player_owned(name.to_owned()).await;
        let (_, codes) = self.app.enrol(&own).await;
        let body = json!({ "current_password": own.password, "code": codes[1] });
        let path = format!("/v1/me/second-factor/{operation}");
        Draft { second_factor: Some(codes[0].clone()), ..Draft::new(&own, path, body) }
    }

    /// The request for an operation. A new operation that writes needs an arm here.
    async fn draft(&self, operation: &str) -> Draft {
        let (app, admin, moderator, ada, ben) =
            (&self.app, &self.admin, &self.moderator, &self.ada, &self.ben);
        let reason = json!({ "reason": "because" });
        let manifest = |game: &str| PEBBLES.replace("\"pebbles\"", &format!("\"{game}\""));
        match operation {
            "change_account" => {
                let target = app.player("a target").await;
                Draft::new(admin, format!("/v1/accounts/{}", target.id), json!({ "banned": true }))
            }
            "change_password" => {
                let own = app.player("somebody else").await;
                let body = json!({ "current_password": own.password, "new_password": "violet harbour lamp" });
                Draft::new(&own, "/v1/me/password", body)
            }
            "replace_recovery_codes" => {
                Draft::new(ada, "/v1/me/recovery-codes", json!({ "password": ada.password }))
            }
            "begin_second_factor" => {
                let own = app.player("who begins").await;
                Draft::new(
                    &own,
                    "/v1/me/second-factor",
                    json!({ "current_password": own.password }),
                )
            }
            "confirm_second_factor" => {
                let own = app.player("who confirms").await;
                next_step(app);
                let code = app.begin_second_factor(&own).await.code(app);
                Draft::new(&own, "/v1/me/second-factor/confirm", json!({ "code": code }))
            }
            "switch_off_second_factor" => {
                self.with_second_factor("who switches off", "switch-off").await
            }
            "replace_second_factor_codes" => {
                self.with_second_factor("who lost codes", "recovery-codes").await
            }
            "remove_second_factor" => {
                let target = app.player("who lost a device").await;
                app.enrol(&target).await;
                let path = format!("/v1/accounts/{}/second-factor", target.id);
                Draft::new(admin, path, Value::Null)
            }
            "change_listing" => {
                Draft::new(ada, "/v1/me/leaderboard", json!({ "on_leaderboard": true }))
            }
            "change_trading" => Draft::new(ada, "/v1/me/trading", json!({ "trading": "public" })),
            "log_out" => {
                let own = app.player("who leaves").await;
                Draft::new(&own, "/v1/sessions/current", Value::Null)
            }
            "end_session" => {
                app.log_in(&ben.name, &ben.password).await;
                let newest = format!(
                    "SELECT id FROM sessions WHERE account_id = '{}' ORDER BY id DESC LIMIT 1",
                    ben.id
                );
                let newest = app.db().value(&newest).await;
                Draft::new(ben, format!("/v1/sessions/{newest}"), Value::Null)
            }
            "create_token" => {
                Draft::new(ada, "/v1/tokens", json!({ "name": "t", "scopes": ["decks:read"] }))
            }
            "revoke_token" => {
                let body = json!({ "name": "t", "scopes": ["decks:read"] });
                let (_, token) = self.create(ada, "/v1/tokens", body).await;
                Draft::new(ada, format!("/v1/tokens/{}", text(&token, "id")), Value::Null)
            }
            "replace_manifest" => Draft {
                file: Some(("application/toml", manifest("gravel").into_bytes())),
                ..Draft::new(admin, "/v1/games/gravel/manifest", Value::Null)
            },
            "replace_set" => {
                let mut set = shore();
                set["code"] = "cliff".into();
                set["cards"][0]["name"] = "Steep One".into();
                set["cards"][1]["name"] = "High One".into();
                Draft::new(admin, "/v1/games/pebbles/sets/cliff", set)
            }
            "edit_set" => {
                let path = "/v1/games/pebbles/sets/shore";
                Draft::new(admin, path, json!({ "name": "The shore" }))
                    .with("if-match", self.etag(path).await)
            }
            "create_set" => {
                let body = json!({ "code": "empty", "name": "Empty" });
                Draft::new(admin, "/v1/games/pebbles/sets", body)
            }
            "delete_set" => {
                let body = json!({ "code": "spare", "name": "Spare" });
                let (path, _) = self.create(admin, "/v1/games/pebbles/sets", body).await;
                let etag = self.etag(&path).await;
                Draft::new(admin, path, Value::Null).with("if-match", etag)
            }
            "create_ruling" => {
                let path = format!("{}/rulings", self.card_path("base", "001").await);
                let body =
                    json!({ "kind": "ruling", "text": "Yes.", "published_on": "2026-11-21" });
                Draft::new(admin, path, body)
            }
            "replace_ruling" => {
                let path = self.ruling().await;
                let body = json!({ "kind": "ruling", "text": "No.", "published_on": "2026-11-21" });
                let etag = self.etag(&path).await;
                Draft::new(admin, path, body).with("if-match", etag)
            }
            "delete_ruling" => {
                let path = self.ruling().await;
                let etag = self.etag(&path).await;
                Draft::new(admin, path, Value::Null).with("if-match", etag)
            }
            "move_card" => {
                let path = format!("{}/move", self.card_path("base", "002").await);
                Draft::new(admin, path, json!({ "number": "902" }))
            }
            "merge_card" => {
                let path = format!("{}/merge", self.card_path("base", "003").await);
                let into = self.card_path("base", "004").await.replace("/v1/cards/", "");
                Draft::new(admin, path, json!({ "into": into }))
            }
            "edit_card" => {
                let path = self.card_path("base", "005").await;
                let etag = self.etag(&path).await;
                Draft::new(admin, path, json!({ "lore": "Old." })).with("if-match", etag)
            }
            "replace_effect_templates" => {
                let templates = json!({ "templates": ["Rest.", "Sleep.", "Run.", "Eat."] });
                self.texts("effect-templates", templates).await
            }
            "create_effect_template" => {
                self.texts("effect-templates", json!({ "template": "Swim." })).await
            }
            "replace_effect_template" => {
                self.texts("effect-templates/2", json!({ "template": "Dream." })).await
            }
            "delete_effect_template" => self.texts("effect-templates/1", Value::Null).await,
            "replace_effect_placeholder" => {
                self.texts("effect-placeholders/tone", json!({ "values": ["loud"] })).await
            }
            "delete_effect_placeholder" => {
                let tone =
                    self.texts("effect-placeholders/pace", json!({ "values": ["slow"] })).await;
                tone.request(app, Method::PUT, &admin.access_token).answer().await;
                self.texts("effect-placeholders/pace", Value::Null).await
            }
            "replace_phrase_rules" => {
                let rules = json!({ "removals": ["at once"], "replacements": [] });
                self.texts("effect-phrase-rules", rules).await
            }
            "create_deck" => Draft::new(ada, "/v1/decks", deck()),
            "replace_deck" => {
                let path = self.deck().await;
                let mut changed = deck();
                changed["name"] = "Renamed".into();
                Draft::new(ada, path, changed).with("if-match", "\"r1\"")
            }
            "edit_deck" => {
                let path = self.deck().await;
                Draft::new(ada, path, json!({ "name": "Renamed" })).with("if-match", "\"r1\"")
            }
            "delete_deck" => {
                Draft::new(ada, self.deck().await, Value::Null).with("if-match", "\"r1\"")
            }
            "undelete_deck" => {
                let path = self.deck().await;
                app.delete(&path).by(ada).header("if-match", "*").answer().await.expect(204);
                Draft::new(ada, format!("{path}/undelete"), Value::Null)
            }
            "clone_deck" => Draft::new(ada, format!("{}/clones", self.deck().await), json!({})),
            "restore_deck" => {
                let path = self.deck().await;
                let renamed = app.patch(&path).by(ada).header("if-match", "\"r1\"");
                renamed.json(&json!({ "name": "Renamed" })).answer().await.expect(200);
                let path = format!("{path}/restore");
                Draft::new(ada, path, json!({ "revision": 1 })).with("if-match", "\"r2\"")
            }
            "upload_artwork" => Draft {
                file: Some(("image/png", fresh_picture())),
                ..Draft::new(ada, "/v1/artworks", Value::Null)
            },
            "delete_artwork" => {
                let artwork = upload(app, ada, "image/png", fresh_picture()).await.expect(201);
                let path = format!("/v1/me/artworks/{}", text(&artwork, "id"));
                Draft::new(ada, path, Value::Null)
            }
            "create_design" => Draft::new(ada, "/v1/designs", heron("Lantern Heron")),
            "replace_design" => Draft::new(ada, self.design(ada).await, heron("Lantern Crane"))
                .with("if-match", "*"),
            "delete_design" => {
                Draft::new(ada, self.design(ada).await, Value::Null).with("if-match", "*")
            }
            "restore_design" => {
                let path = self.design(ada).await;
                let revised = app.put(&path).by(ada).header("if-match", "*");
                revised.json(&heron("Another Name")).answer().await.expect(200);
                let path = format!("{path}/restore");
                Draft::new(ada, path, json!({ "revision": 1 })).with("if-match", "*")
            }
            "share_design" => {
                let path = format!("{}/share", self.design(ada).await);
                Draft::new(ada, path, Value::Null).with("if-match", "*")
            }
            "submit_design" => {
                let path = format!("{}/submit", self.design(ada).await);
                Draft::new(ada, path, Value::Null).with("if-match", "*")
            }
            "withdraw_design" => {
                let path = self.submitted_design().await;
                Draft::new(ada, format!("{path}/withdraw"), Value::Null).with("if-match", "*")
            }
            "claim_design" => {
                let path = self.submitted_design().await;
                Draft::new(moderator, format!("{path}/claim"), Value::Null)
            }
            "return_design" => {
                let path = self.claimed_design().await;
                Draft::new(moderator, format!("{path}/return"), Value::Null)
            }
            "reserve_deck" => Draft::new(ada, self.possible_reservation().await, Value::Null),
            "release_deck" => {
                let path = self.possible_reservation().await;
                app.put(&path).by(ada).answer().await.expect(200);
                Draft::new(ada, path, Value::Null)
            }
            "like_deck" => {
                Draft::new(ben, format!("{}/like", self.public_deck().await), Value::Null)
            }
            "unlike_deck" => {
                let path = format!("{}/like", self.public_deck().await);
                app.put(&path).by(ben).answer().await.expect(200);
                Draft::new(ben, path, Value::Null)
            }
            "watch_deck" | "unwatch_deck" => {
                let path = format!("{}/watch", self.public_deck().await);
                if operation == "unwatch_deck" {
                    app.put(&path).by(ben).answer().await.expect(200);
                }
                Draft::new(ben, path, Value::Null)
            }
            "create_deck_comment" => {
                let path = format!("{}/comments", self.public_deck().await);
                Draft::new(ben, path, json!({ "text": "Well." }))
            }
            "replace_deck_comment" => {
                Draft::new(ben, self.deck_comment().await, json!({ "text": "Hm." }))
                    .with("if-match", "*")
            }
            "delete_deck_comment" => Draft::new(ben, self.deck_comment().await, Value::Null),
            "show_deck_comment" => {
                let comment = self.deck_comment().await;
                app.delete(&comment).by(ada).answer().await.expect(204);
                Draft::new(ada, format!("{comment}/show"), Value::Null)
            }
            "follow_author" | "unfollow_author" => {
                self.public_deck().await;
                let path = format!("/v1/authors/{}/follow", ada.name);
                let begin =
                    if operation == "follow_author" { app.delete(&path) } else { app.put(&path) };
                begin.by(ben).answer().await.expect(204);
                Draft::new(ben, path, Value::Null)
            }
            "create_comment" => {
                let path = format!("{}/comments", self.shared_design().await);
                Draft::new(ben, path, json!({ "text": "Well." }))
            }
            "replace_comment" => Draft::new(ben, self.comment().await, json!({ "text": "Hm." }))
                .with("if-match", "*"),
            "delete_comment" => Draft::new(ben, self.comment().await, Value::Null),
            "show_comment" => {
                let comment = self.comment().await;
                app.delete(&comment).by(ada).answer().await.expect(204);
                Draft::new(ada, format!("{comment}/show"), Value::Null)
            }
            "rate_design" => {
                let path = format!("{}/rating", self.shared_design().await);
                Draft::new(ben, path, scores())
            }
            "delete_own_rating" => {
                let path = format!("{}/rating", self.shared_design().await);
                app.put(&path).by(ben).json(&scores()).answer().await.expect(200);
                Draft::new(ben, path, Value::Null)
            }
            "create_suggested_change" => {
                let path = format!("{}/suggestions", self.shared_design().await);
                Draft::new(ben, path, suggested_change())
            }
            "take_suggested_change" => {
                let path = format!("{}/take", self.suggestion().await);
                Draft::new(ada, path, Value::Null).with("if-match", "*")
            }
            "decline_suggested_change" => {
                Draft::new(ada, format!("{}/decline", self.suggestion().await), Value::Null)
            }
            "withdraw_suggested_change" => {
                Draft::new(ben, format!("{}/withdraw", self.suggestion().await), Value::Null)
            }
            "block_account" => {
                Draft::new(ada, format!("/v1/me/blocks/{}", moderator.id), Value::Null)
            }
            "unblock_account" => {
                let path = format!("/v1/me/blocks/{}", admin.id);
                app.put(&path).by(ada).answer().await.expect(204);
                Draft::new(ada, path, Value::Null)
            }
            "replace_event_settings" => {
                let body = json!({ "muted": ["design.commented"] });
                Draft::new(ada, "/v1/me/event-settings", body)
            }
            "decide_design" => {
                let body = json!({ "decision": "approved", "reason": "good" });
                Draft::new(moderator, format!("{}/decide", self.claimed_design().await), body)
            }
            "report_abuse" => Draft::new(ada, "/v1/abuse-reports", self.report_of(&self.ben).await),
            "decide_abuse_report" => {
                let report = self.report_of(&self.ada).await;
                let report = self.create(&self.ben, "/v1/abuse-reports", report).await.1;
                let body = json!({ "decision": "dismissed", "note": "n" });
                let path = format!("/v1/abuse-reports/{}/decide", text(&report, "id"));
                Draft::new(moderator, path, body)
            }
            "grant_reserved_copy" => {
                let path = self.approved_design().await;
                app.import_set("gift", 1, false).await;
                let policy = app.put("/v1/games/ttcg/sets/gift/unlock-policy").by(admin);
                let promise = json!({ "threshold": 5, "designer_perk": "reserved_copy" });
                policy.json(&promise).answer().await.expect(201);
                let place = json!({ "set": "gift", "number": "900" });
                let release = app.post(&format!("{path}/release")).by(admin).json(&place);
                release.answer().await.expect(201);
                let printed = app.print("gift", 1).await;
                let copy = printed.iter().find(|copy| copy.number == "900").unwrap();
                Draft::new(admin, format!("{path}/perk"), json!({ "serial": copy.serial }))
            }
            "revoke_approval" => {
                let path = self.approved_design().await;
                Draft::new(
                    moderator,
                    format!("{path}/revoke"),
                    json!({ "revision": 1, "reason": "no" }),
                )
            }
            "release_design" => {
                let path = self.approved_design().await;
                app.import_set("late", 1, false).await;
                let body = json!({ "set": "late", "number": "900" });
                Draft::new(admin, format!("{path}/release"), body)
            }
            "change_counts" => {
                let printing = printing(app, None, "base", "001", "common").await;
                let body = json!({ "changes": [{ "printing": printing, "add": 1 }] });
                Draft::new(ada, "/v1/collection/changes", body)
            }
            "set_count" => {
                let printing = printing(app, None, "base", "001", "rare").await;
                Draft::new(ada, format!("/v1/collection/{printing}"), json!({ "quantity": 3 }))
            }
            "read_import" => Draft {
                file: Some(("text/csv", import_file().into_bytes())),
                ..Draft::new(ada, "/v1/collection/imports", Value::Null)
            },
            "commit_import" => {
                let read = app.post("/v1/collection/imports").by(ada);
                let read = read.header("content-type", "text/csv").body(import_file());
                let read = read.answer().await.expect(200);
                let path = format!("/v1/collection/imports/{}/commit", text(&read, "import"));
                Draft::new(ada, path, json!({ "only_ok": false }))
            }
            "replace_wants" => self.trade_list("/v1/me/wants"),
            "replace_haves" => self.trade_list("/v1/me/haves"),
            "create_submission" => Draft::new(ada, "/v1/submissions", self.card().submission()),
            "create_submissions" => {
                let cards =
                    json!({ "submissions": [self.card().submission(), self.card().submission()] });
                Draft::new(ada, "/v1/submissions/batch", cards)
            }
            "review_submission" => {
                let policy = json!({ "threshold": 50, "review": true });
                let policy =
                    app.put("/v1/games/ttcg/sets/dusk/unlock-policy").by(admin).json(&policy);
                policy.answer().await;
                let submitted = app.submit(ada, &self.card()).await.expect(201);
                let path = format!("/v1/submissions/{}/review", text(&submitted, "submission"));
                Draft::new(moderator, path, json!({ "confirmed": true, "note": "seen" }))
            }
            "set_game_policy" => {
                Draft::new(admin, "/v1/games/emojito/unlock-policy", json!({ "threshold": 3 }))
            }
            "remove_game_policy" => {
                let path = "/v1/games/pebbles/unlock-policy";
                let policy = app.put(path).by(admin).json(&json!({ "threshold": 3 }));
                policy.answer().await.expect(201);
                Draft::new(admin, path, Value::Null).with("if-match", "*")
            }
            "set_set_policy" => {
                let path = "/v1/games/ttcg/sets/gloom/unlock-policy";
                Draft::new(admin, path, json!({ "threshold": 3 }))
            }
            "remove_set_policy" => {
                let path = "/v1/games/ttcg/sets/murk/unlock-policy";
                let policy = app.put(path).by(admin).json(&json!({ "threshold": 3 }));
                policy.answer().await.expect(201);
                Draft::new(admin, path, Value::Null).with("if-match", "*")
            }
            "unlock_set" => Draft::new(admin, "/v1/games/ttcg/sets/gloom/unlocks", reason),
            "unlock_card" => {
                let path = format!("{}/unlock", self.card_path("murk", "001").await);
                Draft::new(admin, path, reason)
            }
            "freeze_copy" => Draft::new(moderator, format!("{}/freeze", self.copy().await), reason),
            "unfreeze_copy" => {
                let copy = self.copy().await;
                let freeze = app.post(&format!("{copy}/freeze")).by(moderator).json(&reason);
                freeze.answer().await.expect(200);
                Draft::new(moderator, format!("{copy}/unfreeze"), reason)
            }
            "void_copy" => Draft::new(moderator, format!("{}/void", self.copy().await), reason),
            "create_trade" => {
                let copy = app.register(ada, &self.card()).await;
                Draft::new(ada, "/v1/trades", json!({ "with": "ben", "give": [copy] }))
            }
            "accept_trade" => {
                Draft::new(ben, format!("{}/accept", self.offer().await), Value::Null)
            }
            "decline_trade" => {
                Draft::new(ben, format!("{}/decline", self.offer().await), Value::Null)
            }
            "cancel_trade" => {
                Draft::new(ada, format!("{}/cancel", self.offer().await), Value::Null)
            }
            "counter_trade" => {
                let copy = app.register(ben, &self.card()).await;
                Draft::new(
                    ben,
                    format!("{}/counter", self.offer().await),
                    json!({ "give": [copy] }),
                )
            }
            "create_statement" => {
                let path = format!("{}/statements", self.dispute().await);
                Draft::new(ben, path, json!({ "text": "I hold it." }))
            }
            "withdraw_dispute" => {
                Draft::new(ben, format!("{}/withdraw", self.dispute().await), Value::Null)
            }
            "decide_dispute" => {
                let body = json!({ "outcome": "for_claimant", "reason": "a photograph" });
                Draft::new(moderator, format!("{}/decide", self.dispute().await), body)
            }
            "create_print_commitment" => {
                let path = "/v1/games/ttcg/sets/tide/print-commitments";
                Draft::new(admin, path, json!({ "copies_per_card": 77 }))
            }
            "reveal_print_commitment" => {
                let path = "/v1/games/ttcg/sets/tide/print-commitments";
                let (place, commitment) =
                    self.create(admin, path, json!({ "copies_per_card": 77 })).await;
                let (run, file) =
                    (CommitmentId(text(&commitment, "id").parse().unwrap()), fresh_path(".csv"));
                app.mint_run(RunToMint::Announced(run), file.clone(), None).await.unwrap();
                std::fs::remove_file(file).unwrap();
                Draft::new(admin, format!("{place}/reveal"), Value::Null)
            }
            "create_webhook" => Draft::new(admin, "/v1/webhooks", webhook()),
            "replace_webhook" => {
                let path = self.webhook().await;
                let etag = self.etag(&path).await;
                let body = json!({ "url": "http://127.0.0.1:9/other", "kinds": ["card.unlocked"] });
                Draft::new(admin, path, body).with("if-match", etag)
            }
            "delete_webhook" => {
                let path = self.webhook().await;
                let etag = self.etag(&path).await;
                Draft::new(admin, path, Value::Null).with("if-match", etag)
            }
            "rotate_webhook_secret" => {
                Draft::new(admin, format!("{}/secret", self.webhook().await), json!({}))
            }
            "ping_webhook" => {
                Draft::new(admin, format!("{}/ping", self.webhook().await), Value::Null)
            }
            "resend_webhook_delivery" => {
                let hook = self.webhook().await;
                app.post(&format!("{hook}/ping")).by(admin).answer().await.expect(202);
                let list =
                    app.get(&format!("{hook}/deliveries")).by(admin).answer().await.expect(200);
                let delivery = text(&list["data"][0], "id");
                Draft::new(admin, format!("{hook}/deliveries/{delivery}/resend"), Value::Null)
            }
            _ => panic!("{operation} writes and has no arm here: add one"),
        }
    }
}

fn deck() -> Value {
    let entry = json!({ "quantity": 2, "name": "The base card, numbered 001!" });
    json!({ "name": "Draft", "format": "ttcg/standard", "entries": [entry] })
}

fn import_file() -> String {
    "quantity,name,set,number,rarity\n1,\"The base card, numbered 001!\",base,001,common\n"
        .to_owned()
}

/// A picture that differs from all others.
fn fresh_picture() -> Vec<u8> {
    let [low, high, ..] = uuid::Uuid::new_v4().into_bytes();
    let [picture, ..] = each_format(&gradient(300 + u32::from(low), 300 + u32::from(high)));
    picture
}

fn webhook() -> Value {
    json!({ "url": "http://127.0.0.1:9/", "kinds": ["card.unlocked"] })
}

#[tokio::test]
async fn no_operation_writes_for_a_revoked_credential_that_is_still_cached() {
    let scene = Scene::new().await;
    let app = &scene.app;
    let mut wrong = Vec::new();
    for (method, _, operation) in &routes::all() {
        if *method == "get" || OPERATIONS_WITHOUT_CHECKED_WRITES.contains(operation) {
            continue;
        }
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
        let draft = scene.draft(operation).await;
        let by = match &draft.second_factor {
            None => app.log_in(&draft.by.name, &draft.by.password).await,
            Some(code) => {
                let tokens = app.log_in_with(&draft.by, code).await.expect(201);
                Player { access_token: text(&tokens, "access_token"), ..draft.by.clone() }
            }
        };
        app.get("/v1/me").by(&by).answer().await.expect(200);
        app.sql(&format!(
            "UPDATE sessions SET revoked_at = created_at, revoked_reason = 'logout' WHERE id = \
             (SELECT id FROM sessions WHERE account_id = '{}' ORDER BY id DESC LIMIT 1)",
            by.id
        ))
        .await;
        let before = app.db().value("SELECT fingerprint()").await;
        let refused = draft.request(app, method.clone(), &by.access_token).answer().await;
        if refused.status != 401 {
            wrong.push(format!(
                "{operation} by a revoked session: {} {}",
                refused.status,
                refused.text()
            ));
        }
        if app.db().value("SELECT fingerprint()").await != before {
            wrong.push(format!("{operation} wrote for a revoked session"));
        }
        // The same request succeeds with a valid session, and writes.
        let done = draft.request(app, method, &draft.by.access_token).answer().await;
        if !(200..300).contains(&done.status) {
            wrong.push(format!("{operation} by a valid session: {} {}", done.status, done.text()));
        }
        if app.db().value("SELECT fingerprint()").await == before {
            wrong.push(format!("{operation} wrote nothing for a valid session"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each way to end a credential on one instance stops its writes on another instance that still caches the credential.
#[tokio::test]
async fn every_way_to_revoke_stops_writes_on_all_instances_at_once() {
    let app = app_with_long_credential_cache().await;
    let other = app.second_instance_with(|settings| settings.identity_ttl = Duration::ZERO);
    let admin = app.admin().await;
    let token_body =
        json!({ "name": "t", "scopes": ["decks:write", "trades:write", "admin:write"] });
    let ways = [
        "log out",
        "password",
        "recovery",
        "ban",
        "role taken",
        "role given",
        "refresh reused",
        "token revoked",
    ];
    for way in ways {
        let body = json!({ "name": format!("by {way}"), "password": "tram window sonnet" });
        let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
        let name = text(&body, "name");
        let mut thief = app.log_in(&name, "tram window sonnet").await;
        let path = format!("/v1/accounts/{}", thief.id);
        if way == "role taken" {
            let role = json!({ "role": "admin" });
            other.patch(&path).by(&admin).json(&role).answer().await.expect(200);
            thief = app.log_in(&name, "tram window sonnet").await;
        }
        let token = app.post("/v1/tokens").by(&thief).json(&token_body).answer().await.expect(201);
        let secret = text(&token, "secret");
        let owner = other.log_in(&name, "tram window sonnet").await;
        for credential in [&thief.access_token, &secret] {
            let deck = app.post("/v1/decks").bearer_auth(credential).json(&deck()).answer().await;
            assert_eq!(deck.status, 422, "the game does not exist, but the credential is valid");
        }
        let change = async |body: Value| {
            other.patch(&path).by(&admin).json(&body).answer().await.expect(200);
        };
        match way {
            "log out" => {
                other.delete("/v1/sessions/current").by(&thief).answer().await.expect(204);
            }
            "password" => {
                let body = json!({ "current_password": "tram window sonnet", "new_password": "violet harbour lamp" });
                other.put("/v1/me/password").by(&owner).json(&body).answer().await.expect(204);
            }
            "recovery" => {
                let code = &account["recovery_codes"][0];
                let body = json!({ "name": name, "recovery_code": code, "new_password": "violet harbour lamp" });
                other.post("/v1/accounts/recover").json(&body).answer().await.expect(204);
            }
            "ban" => change(json!({ "banned": true })).await,
            "role taken" => change(json!({ "role": "player" })).await,
            "role given" => change(json!({ "role": "moderator" })).await,
            "refresh reused" => {
                let body = json!({ "refresh_token": thief.refresh_token });
                for status in [200, 200, 401] {
                    other.clock().advance(chrono::Duration::seconds(if status == 200 {
                        0
                    } else {
                        31
                    }));
                    other.post("/v1/sessions/refresh").json(&body).answer().await.expect(status);
                }
            }
            _ => {
                let path = format!("/v1/tokens/{}", text(&token, "id"));
                other.delete(&path).by(&owner).answer().await.expect(204);
            }
        }
        let session_ended = way != "token revoked";
        let token_ended = way != "log out";
        let tokens = format!(
            "SELECT count(*) FROM personal_access_tokens WHERE account_id = '{}'",
            thief.id
        );
        let before = app.db().number(&tokens).await;
        let created = app.post("/v1/tokens").by(&thief).json(&token_body).answer().await;
        assert_eq!(
            created.status,
            if session_ended { 401 } else { 201 },
            "{way}: {}",
            created.text()
        );
        assert_eq!(app.db().number(&tokens).await - before, i64::from(!session_ended), "{way}");
        let some = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
        let trade = app.post(&format!("/v1/trades/{some}/accept")).bearer_auth(&secret);
        if token_ended {
            let list = json!({ "items": [] });
            let list =
                app.put("/v1/me/wants").bearer_auth(&secret).header("if-match", "*").json(&list);
            // The token has no scope for this list, so the answer is 403. It has the scope for trades, so the next answer is 401.
            assert_eq!(list.answer().await.status, 403);
            trade.answer().await.problem(401, "invalid_token");
        } else {
            trade.answer().await.problem(404, "not_found");
        }
    }
}

/// A thief creates tokens in loops while the owner changes the password: no token stays valid, and the loops do not delay the change.
#[tokio::test]
async fn no_token_created_during_a_password_change_stays_valid() {
    let app = app_with_long_credential_cache().await;
    let thief = app.player("ada").await;
    let owner = app.log_in("ada", &thief.password).await;
    let body = json!({ "name": "t", "scopes": ["decks:read"] });
    let stop = std::sync::atomic::AtomicBool::new(false);
    let created = std::sync::atomic::AtomicUsize::new(0);
    let steal = || async {
        while !stop.load(std::sync::atomic::Ordering::Relaxed) {
            let answer = app.post("/v1/tokens").by(&thief).json(&body).answer().await;
            if answer.status == 201 {
                created.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let path = format!("/v1/tokens/{}", text(&answer.json(), "id"));
                if created.load(std::sync::atomic::Ordering::Relaxed).is_multiple_of(2) {
                    app.delete(&path).by(&thief).answer().await;
                }
            }
        }
    };
    let change = async {
        while created.load(std::sync::atomic::Ordering::Relaxed) < 4 {
            tokio::task::yield_now().await;
        }
        let body =
            json!({ "current_password": owner.password, "new_password": "violet harbour lamp" });
        app.put("/v1/me/password").by(&owner).json(&body).answer().await.expect(204);
        // The thief still sends requests with a session that this instance has in its cache.
        for _ in 0..8 {
            app.post("/v1/tokens")
                .by(&thief)
                .json(&json!({ "name": "late", "scopes": ["decks:read"] }))
                .answer()
                .await
                .problem(401, "invalid_token");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    tokio::join!(change, steal(), steal(), steal(), steal());
    let valid_tokens = "SELECT count(*) FROM personal_access_tokens WHERE revoked_at IS NULL";
    assert_eq!(app.db().number(valid_tokens).await, 0);
}
