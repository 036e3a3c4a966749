//! The gallery: search, order, facets, and the pages of authors.

use std::collections::BTreeSet;

use cardscape::search::Predicate;
use cardscape::store::designs::gallery::{self, GalleryFilter};
use serde_json::{Value, json};

use super::{app, begun, changed, heron, put, shared, step};
use crate::support::{Answer, RequestExt as _, TestApp};

pub fn query(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

async fn ask(app: &TestApp, q: &str, rest: &str) -> Answer {
    app.get(&format!("/v1/designs?q={}{rest}", query(q))).answer().await
}

async fn names(app: &TestApp, q: &str, rest: &str) -> Vec<String> {
    let page = ask(app, q, rest).await.expect(200);
    let name = |design: &Value| design["name"].as_str().unwrap().to_owned();
    page["data"].as_array().unwrap().iter().map(name).collect()
}

async fn facets(app: &TestApp, q: &str) -> Value {
    let path = format!("/v1/games/ttcg/design-facets?q={}", query(q));
    app.get(&path).answer().await.expect(200)
}

/// The number of designs that have a value, or `None` if the value is not listed.
fn counted(facets: &Value, of: &str, code: &str, value: &str) -> Option<i64> {
    let mut all = facets["facets"].as_array().unwrap().iter();
    let facet = all.find(|facet| facet["of"] == of && facet["code"] == code).unwrap();
    let mut values = facet["values"].as_array().unwrap().iter();
    let found = values.find(|one| one["value"].to_string().trim_matches('"') == value);
    found.map(|one| one["designs"].as_i64().unwrap())
}

#[tokio::test]
async fn designs_are_found_by_the_language_of_cards() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    shared(&app, &ada, &heron("Pond Heron")).await;
    let fire = json!({ "attributes": { "type": "fire", "rank": 3, "attack": 600, "defense": 100 }, "effects": [], "lore": "It *burns* the reed." });
    shared(&app, &bob, &changed(heron("Ember Crane"), &fire)).await;
    for (q, expected) in [
        ("t:fire rank:3", vec!["Ember Crane"]),
        ("t:earth", vec!["Pond Heron"]),
        ("-t:earth", vec!["Ember Crane"]),
        ("heron", vec!["Pond Heron"]),
        ("\"return it to\"", vec!["Pond Heron"]),
        ("lore:burns", vec!["Ember Crane"]),
        ("has:effect", vec!["Pond Heron"]),
        ("style:passive or t:fire", vec!["Ember Crane", "Pond Heron"]),
        ("by:ada", vec!["Pond Heron"]),
        ("by!=Ada", vec!["Ember Crane"]),
        ("status:shared", vec!["Ember Crane", "Pond Heron"]),
        ("status:approved|official", vec![]),
        ("rating>=1", vec![]),
        ("comments:0 t:fire", vec!["Ember Crane"]),
        // The attack of the other rarities is calculated.
        ("attack>200 t:earth", vec!["Pond Heron"]),
        ("name=pondheron", vec!["Pond Heron"]),
        ("name=a%20name%20of%20more%20than%20thirty-two%20characters", vec![]),
    ] {
        assert_eq!(names(&app, q, "").await, expected, "{q}");
    }
    assert_eq!(
        names(&app, "t:fire", "&game=ttcg&kind=unit&author=bob&status=shared&name=crane").await,
        ["Ember Crane"]
    );
    assert_eq!(names(&app, "t:fire", "&author=ada").await, Vec::<String>::new());
}

#[tokio::test]
async fn every_field_of_designs_has_an_example_that_finds_something() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Pond Heron")).await;
    score(&app, "Pond Heron", 2, 5, 90).await;
    for (field, example) in cardscape::search::design_examples() {
        assert_eq!(names(&app, example, "").await, ["Pond Heron"], "{field}: {example}");
    }
}

#[tokio::test]
async fn invalid_terms_in_searches_for_designs_are_reported() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Pond Heron")).await;
    for (term, message) in [
        ("set:hearth", "set is not for designs: designs are in no set"),
        ("cn:1..3", "cn is not for designs: designs are in no set"),
        ("date>=2026-01-01", "date is not for designs: designs are in no set"),
        ("is:hidden", "is is not for designs: only cards are hidden and unlocked"),
        ("submissions>1", "submissions is not for designs: only cards are hidden and unlocked"),
        ("f:standard", "f is not for designs: formats are about cards"),
        ("is:legal", "is is not for designs: only cards are hidden and unlocked"),
        (
            "sort:rating",
            "sort is not for designs: the parameter `sort` says how designs are listed",
        ),
        (
            "status:done",
            "\"done\" is not one of shared, submitted, in_review, approved, declined, official",
        ),
        (
            "status:draft",
            "\"draft\" is not one of shared, submitted, in_review, approved, declined, official",
        ),
        ("rating>6", "\"6\" is no rating: 1 to 5 with at most two decimals"),
        ("rating:4.5..3", "no value lies in this range: write rating:3..4.5, the lower end first"),
        ("comments>many", "\"many\" is no whole number"),
        ("coments>1", "there is no field \"coments\"; did you mean comments?"),
        ("by>ada", "by is not compared with >, only with : = !="),
        ("rating:/4/", "rating is not searched with regular expressions"),
        ("t:fier", "there is no type \"fier\"; did you mean fire?"),
    ] {
        let page = ask(&app, &format!("heron {term}"), "").await.expect(200);
        let warning = &page["warnings"][0];
        assert_eq!(warning["message"], message, "{term}");
        assert_eq!((&warning["position"], &warning["term"]), (&json!(6), &json!(term)));
        assert_eq!(page["data"][0]["name"], "Pond Heron", "{term}");
        let alone = ask(&app, term, "").await.problem(400, "invalid_query");
        assert_eq!(alone["faults"][0]["message"], message, "{term}");
        let counts = facets(&app, &format!("heron {term}")).await;
        assert_eq!(
            (&counts["warnings"][0]["message"], &counts["designs"]),
            (&json!(message), &json!(1))
        );
    }
    // Queries for cards do not know the fields of designs.
    let cards = app.get("/v1/cards?q=by:ada").answer().await.problem(400, "invalid_query");
    assert_eq!(cards["faults"][0]["message"], "there is no field \"by\"");
}

#[tokio::test]
async fn hostile_queries_are_refused_or_answered_in_time() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Pond Heron")).await;
    let deep = format!("{}a{}", "(".repeat(40), ")".repeat(40));
    let many = "a ".repeat(51);
    let long = "x".repeat(1_001);
    for q in
        [&*deep, &many, &long, "(a", "\"a", "/(a+)+\\1/", "()", "rating>=1'; DROP TABLE designs"]
    {
        for path in ["/v1/designs", "/v1/games/ttcg/design-facets"] {
            let answer = app.get(&format!("{path}?q={}", query(q))).answer().await;
            assert!(matches!(answer.status, 200 | 400), "{q}: {}", answer.text());
        }
    }
    for q in [
        "by:\0",
        "\u{202e}",
        "name:%_\\",
        "/((a?){30}){30}/",
        "t:\"'\"",
        "o:/(.*a){9}$/",
        "by:\"' OR 1=1\"",
        // Each of these characters folds to fifteen letters: more than the database takes as one word.
        &"\u{fdfa}".repeat(69),
        &format!("n:{}", "\u{fdfa}".repeat(69)),
    ] {
        let answer = ask(&app, q, "").await;
        assert!(matches!(answer.status, 200 | 400), "{q:?}: {}", answer.text());
    }
    for path in [
        "/v1/designs?sort=best",
        "/v1/designs?cursor=WyJhIiwxLDIsbnVsbCwxLCJELTAwMDAwMDAwMDAiXQ&sort=name",
        "/v1/designs?q=a&q=b",
        "/v1/games/ttcg/design-facets?set=hearth",
    ] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
    }
    for path in
        ["/v1/games/none/design-facets", "/v1/authors/nobody", "/v1/authors/%00", "/v1/authors/.."]
    {
        assert_eq!(app.get(path).answer().await.status, 404, "{path}");
    }
}

/// Drafts and withdrawn designs are never in the gallery, and an empty list says so.
#[tokio::test]
async fn a_status_that_is_never_listed_has_a_warning() {
    let app = app().await;
    for status in ["draft", "withdrawn"] {
        let page = app.get(&format!("/v1/designs?status={status}")).answer().await.expect(200);
        assert_eq!(page["data"], json!([]));
        let warning = &page["warnings"][0];
        let members = (&warning["parameter"], &warning["term"], &warning["message"]);
        let message = format!(
            "no design of the gallery is {status}, so the list is empty; GET /v1/me/designs lists your own designs"
        );
        let term = format!("status={status}");
        assert_eq!(members, (&json!("status"), &json!(term), &json!(message)));
    }
    let page = app.get("/v1/designs?status=declined").answer().await.expect(200);
    assert_eq!(page.get("warnings"), None);
}

/// No search, no order, no facet and no page of an author reveals an unlisted design to an anonymous client.
#[tokio::test]
async fn unlisted_designs_are_not_found() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let secret = json!({ "attributes": { "type": "dark", "rank": 4 }, "lore": "Zyzzyva." });
    begun(&app, &ada, &changed(heron("Secret Draft"), &secret)).await;
    let path = shared(&app, &ada, &changed(heron("Secret Withdrawn"), &secret)).await;
    let is_found = async |found: usize| {
        for q in [
            "t:dark",
            "rank:4",
            "zyzzyva",
            "secret",
            "-t:earth",
            "lore:zyzzyva",
            "/zyzz/",
            "by:ada",
        ] {
            for sort in ["new", "rating", "comments", "name"] {
                let names = names(&app, q, &format!("&sort={sort}")).await;
                assert_eq!(names.len(), found, "{q} {sort}");
            }
            let counts = facets(&app, q).await;
            assert_eq!(counts["designs"], found, "{q}");
            assert_eq!(
                counted(&counts, "attribute", "type", "dark"),
                Some(i64::try_from(found).unwrap())
            );
        }
        let author = app.get("/v1/authors/ada").answer().await;
        assert_eq!(author.status, if found == 0 { 404 } else { 200 });
    };
    is_found(1).await;
    step(&app, &ada, &path, "withdraw").await.expect(200);
    is_found(0).await;
    assert_eq!(app.db().number("SELECT count(*) FROM design_search").await, 0);
    // A revision after the withdrawal is not found until the design is shared again.
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    let rewritten = changed(heron("Secret Rewritten"), &secret);
    put(&app, &ada, &path, &tag, &rewritten).await.expect(200);
    is_found(0).await;
    step(&app, &ada, &path, "share").await.expect(200);
    is_found(1).await;
    // A new revision of a listed design is found at once, and the previous revision is no longer found.
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    let light = changed(heron("Secret Rewritten"), &json!({ "attributes": { "type": "light" } }));
    put(&app, &ada, &path, &tag, &light).await.expect(200);
    assert_eq!(names(&app, "t:light", "").await, ["Secret Rewritten"]);
    assert_eq!(names(&app, "t:dark", "").await, Vec::<String>::new());
    put(&app, &ada, &path, "*", &rewritten).await.expect(200);
    is_found(1).await;
    // A search row that another program has not updated is ignored.
    app.sql("UPDATE designs SET searched_revision = revision - 1 WHERE listed").await;
    assert_eq!(names(&app, "t:dark", "").await, Vec::<String>::new());
    app.sql("UPDATE designs SET searched_revision = revision WHERE listed").await;
    is_found(1).await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'ada'").await;
    is_found(0).await;
    shared(&app, &bob, &heron("Pond Heron")).await;
    assert_eq!(names(&app, "by:ada or heron", "").await, ["Pond Heron"]);
}

async fn score(app: &TestApp, name: &str, comments: i64, ratings: i64, points: i64) {
    app.sql(&format!(
        "UPDATE designs SET comment_count = {comments}, rating_count = {ratings}, rating_points = {points} WHERE name = '{name}'"
    ))
    .await;
}

#[tokio::test]
async fn lists_are_sorted_and_their_pages_are_consistent() {
    let app = app().await;
    let ada = app.player("ada").await;
    for name in ["Cold Heron", "Dark Heron", "Apt Heron", "Bold Heron", "Elder Heron"] {
        shared(&app, &ada, &heron(name)).await;
        app.clock().advance(chrono::Duration::seconds(1));
    }
    score(&app, "Cold Heron", 7, 10, 200).await;
    score(&app, "Dark Heron", 7, 5, 20).await;
    score(&app, "Apt Heron", 0, 1, 12).await;
    let orders = [
        ("new", ["Elder", "Bold", "Apt", "Dark", "Cold"]),
        // A rating of three points for everything does not change the mean, but counts: among equal means, more ratings come first.
        ("rating", ["Cold", "Apt", "Elder", "Bold", "Dark"]),
        ("comments", ["Dark", "Cold", "Elder", "Bold", "Apt"]),
        ("name", ["Apt", "Bold", "Cold", "Dark", "Elder"]),
    ];
    for (sort, expected) in orders {
        let expected: Vec<String> = expected.iter().map(|name| format!("{name} Heron")).collect();
        for rest in ["", "&game=ttcg", "&kind=unit", "&q=t:earth", "&q=by:ada", "&author=ada"] {
            let mut path = format!("/v1/designs?sort={sort}{rest}&limit=2");
            let mut found = Vec::new();
            for _ in 0..3 {
                let answer = app.get(&path).answer().await;
                let link = answer.header("link");
                let page = answer.expect(200);
                let data = page["data"].as_array().unwrap().iter();
                found.extend(data.map(|design| design["name"].as_str().unwrap().to_owned()));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                path = format!("/v1/designs?sort={sort}{rest}&limit=2&cursor={cursor}");
                assert!(link.contains(cursor), "{link}");
            }
            assert_eq!(found, expected, "{sort} {rest}");
        }
    }
    // A cursor is valid only for its list.
    let page = app.get("/v1/designs?sort=rating&limit=1").answer().await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(page["data"][0]["rating"], 4.33);
    assert_eq!(
        (&page["data"][0]["rating_count"], &page["data"][0]["comment_count"]),
        (&json!(10), &json!(7))
    );
    for other in ["sort=name", "sort=new", "sort=rating&q=heron", "sort=rating&game=ttcg"] {
        let answer =
            app.get(&format!("/v1/designs?{other}&limit=1&cursor={cursor}")).answer().await;
        answer.problem(400, "invalid_cursor");
    }
    let page = app.get("/v1/designs?sort=rating&q=rating>4").answer().await.expect(200);
    assert_eq!(page["data"].as_array().unwrap().len(), 1);
    // A design without ratings has no mean, so no comparison matches it.
    assert_eq!(names(&app, "rating<=3", "").await, ["Apt Heron", "Dark Heron"]);
}

/// As in lists of cards, É comes beside E, also across pages, in the database and in memory.
#[tokio::test]
async fn accents_do_not_count_in_the_order_of_names() {
    let app = app().await;
    let ada = app.player("ada").await;
    let expected =
        ["Eagle Heron", "\u{c9}clair Heron", "Eel Heron", "\u{d8}dd Heron", "Zebra Heron"];
    for name in ["Zebra Heron", "\u{d8}dd Heron", "Eel Heron", "\u{c9}clair Heron", "Eagle Heron"] {
        shared(&app, &ada, &heron(name)).await;
    }
    let with_memory = app.second_instance_in_memory().await;
    for app in [&app, &with_memory] {
        for rest in ["", "&game=ttcg", "&q=t:earth", "&q=heron"] {
            let first = format!("/v1/designs?sort=name{rest}&limit=2");
            let (mut path, mut found) = (first.clone(), Vec::new());
            for _ in 0..3 {
                let page = app.get(&path).answer().await.expect(200);
                let data = page["data"].as_array().unwrap().iter();
                found.extend(data.map(|design| design["name"].as_str().unwrap().to_owned()));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                path = format!("{first}&cursor={cursor}");
            }
            assert_eq!(found, expected, "{rest}");
        }
    }
}

#[tokio::test]
async fn pages_are_complete_while_designs_are_shared() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    // The test shares more designs than the daily limit allows.
    let another_day = "DELETE FROM daily_counts";
    for number in 0..12 {
        app.sql(another_day).await;
        shared(&app, &ada, &heron(&format!("Heron {number:02}"))).await;
        app.clock().advance(chrono::Duration::seconds(1));
    }
    for sort in ["new", "rating", "comments", "name"] {
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = String::new();
        for page in 0.. {
            app.sql(another_day).await;
            shared(&app, &bob, &heron(&format!("Newcomer {sort} {page}"))).await;
            let path = format!("/v1/designs?q=t:earth&sort={sort}&limit=3{cursor}");
            let answer = app.get(&path).answer().await.expect(200);
            let data = answer["data"].as_array().unwrap().iter();
            seen.extend(data.map(|design| design["name"].as_str().unwrap().to_owned()));
            let Some(next) = answer["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let different: BTreeSet<&String> = seen.iter().collect();
        assert_eq!(different.len(), seen.len(), "{sort}: {seen:?}");
        for number in 0..12 {
            assert!(seen.contains(&format!("Heron {number:02}")), "{sort}: {seen:?}");
        }
    }
}

#[tokio::test]
async fn facets_count_what_is_listed() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Pond Heron")).await;
    let other =
        json!({ "attributes": { "type": "nonsense", "rank": 3, "subtypes": ["beast", "ghost"] } });
    shared(&app, &ada, &changed(heron("Odd Heron"), &other)).await;
    begun(&app, &ada, &heron("A Draft")).await;
    app.sql("UPDATE designs SET status = 'approved' WHERE name = 'Odd Heron'").await;
    let all = facets(&app, "").await;
    assert_eq!((&all["game"], &all["designs"]), (&json!("ttcg"), &json!(2)));
    assert!(all.get("designs_are_all").is_none() && all.get("warnings").is_none());
    for (of, code, value, count) in [
        ("design", "kind", "unit", Some(2)),
        ("design", "kind", "spell", Some(0)),
        ("design", "status", "shared", Some(1)),
        ("design", "status", "approved", Some(1)),
        ("design", "rarity", "rare", Some(2)),
        ("effect", "style", "passive", Some(2)),
        ("attribute", "type", "earth", Some(1)),
        ("attribute", "type", "nonsense", None),
        ("attribute", "subtypes", "beast", Some(2)),
        ("attribute", "subtypes", "ghost", Some(1)),
        ("attribute", "rank", "3", Some(1)),
    ] {
        assert_eq!(counted(&all, of, code, value), count, "{of} {code} {value}");
    }
    let statuses = all["facets"][1]["values"].as_array().unwrap().iter();
    let statuses: Vec<&str> = statuses.map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["shared", "submitted", "in_review", "approved", "declined", "official"]);
    let some = facets(&app, "rank:3").await;
    assert_eq!((&some["designs"], counted(&some, "attribute", "rank", "1")), (&json!(1), None));
}

/// Beyond the limit only those that were shared last are counted, and the number of all says that there are more.
#[tokio::test]
async fn facets_of_many_designs_count_the_last_ones() {
    let app = app().await;
    let ada = app.player("ada").await;
    for name in ["Pond Heron", "Odd Heron", "Old Heron"] {
        shared(&app, &ada, &heron(name)).await;
    }
    app.sql("UPDATE designs SET status = 'approved', shared_at = shared_at - interval '1 day' WHERE name = 'Odd Heron'")
        .await;
    let predicate = Predicate::always();
    let filter = GalleryFilter {
        game: Some("ttcg"),
        kind: None,
        status: None,
        author: None,
        name: None,
        predicate: &predicate,
        max_candidates: 100,
    };
    let mut conn = app.store().connection().await.unwrap();
    for (max, expected) in [(2, [3, 2, 0, 2]), (3, [3, 2, 1, 3])] {
        let terms = gallery::count_terms(&mut conn, &filter, max).await.unwrap();
        let counted = ["", "status=shared", "status=approved", "kind=unit"].map(|term| {
            let count = terms.iter().find(|count| count.term == term);
            count.map_or(0, |count| count.designs)
        });
        assert_eq!(counted, expected, "{max}");
    }
}

#[tokio::test]
async fn authors_have_a_page_while_a_design_of_theirs_is_listed() {
    let app = app().await;
    let ada = app.player("ada").await;
    begun(&app, &ada, &heron("A Draft")).await;
    app.get("/v1/authors/ada").answer().await.problem(404, "not_found");
    shared(&app, &ada, &heron("Pond Heron")).await;
    shared(&app, &ada, &heron("Reed Heron")).await;
    app.sql("UPDATE designs SET status = 'official' WHERE name = 'Reed Heron'").await;
    let author = app.get("/v1/authors/ADA").answer().await.expect(200);
    assert_eq!(author["account_id"], ada.id);
    assert_eq!(
        (&author["name"], &author["designs"], &author["official"]),
        (&json!("ada"), &json!(2), &json!(1))
    );
    assert!(author.get("mean_rating").is_none());
    score(&app, "Pond Heron", 3, 1, 20).await;
    score(&app, "Reed Heron", 1, 2, 25).await;
    let author = app.get("/v1/authors/ada").answer().await.expect(200);
    assert_eq!(
        (&author["comment_count"], &author["rating_count"], &author["mean_rating"]),
        (&json!(4), &json!(3), &json!(3.75))
    );
    let list = app.get(author["designs_url"].as_str().unwrap()).answer().await.expect(200);
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
}
