//! Revisions of designs, which only the author of a design can read.

use serde_json::{Value, json};

use super::{app, begun, changed, heron, put, shared};
use crate::support::RequestExt as _;

#[tokio::test]
async fn every_revision_is_stored_compared_and_restored() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = begun(&app, &ada, &heron("One")).await;
    let two = changed(heron("Two"), &json!({ "flavour": "It waits." }));
    put(&app, &ada, &path, "\"r1\"", &two).await.expect(200);
    let mut three = changed(heron("Two"), &json!({ "flavour": "It waits." }));
    three["attributes"]["attack"] = 250.into();
    three["attributes"]["defense"] = 250.into();
    put(&app, &ada, &path, "\"r2\"", &three).await.expect(200);

    let page = app.get(&format!("{path}/revisions?limit=2")).by(&ada).answer().await.expect(200);
    let numbers_and_names = |page: &Value| -> Vec<(i64, String)> {
        let numbers_and_names = |row: &Value| {
            (row["revision"].as_i64().unwrap(), row["name"].as_str().unwrap().to_owned())
        };
        page["data"].as_array().unwrap().iter().map(numbers_and_names).collect()
    };
    assert_eq!(numbers_and_names(&page), [(3, "Two".to_owned()), (2, "Two".to_owned())]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = app.get(&format!("{path}/revisions?limit=2&cursor={cursor}")).by(&ada);
    assert_eq!(numbers_and_names(&rest.answer().await.expect(200)), [(1, "One".to_owned())]);
    let one = app.get(&format!("{path}/revisions/1")).by(&ada).answer().await.expect(200);
    assert_eq!((&one["name"], &one["revision"]), (&json!("One"), &json!(1)));
    app.get(&format!("{path}/revisions/4")).by(&ada).answer().await.problem(404, "not_found");

    let diff = app.get(&format!("{path}/diff?from=1")).by(&ada).answer().await.expect(200);
    assert_eq!(
        diff,
        json!({ "from": 1, "to": 3, "differences": [
        { "member": "/attributes/attack", "before": 200, "after": 250 },
        { "member": "/attributes/defense", "before": 300, "after": 250 },
        { "member": "/flavour", "after": "It waits." },
        { "member": "/name", "before": "One", "after": "Two" },
    ] })
    );
    let last = app.get(&format!("{path}/diff")).by(&ada).answer().await.expect(200);
    assert_eq!((&last["from"], &last["to"]), (&json!(2), &json!(3)));
    let wrong = app.get(&format!("{path}/diff?from=9")).by(&ada).answer().await;
    assert_eq!(wrong.problem(400, "invalid_query")["errors"][0]["pointer"], "?from");

    let wrong = app.get(&format!("{path}/diff?from=0&to=-1")).by(&ada).answer().await;
    wrong.problem(400, "invalid_query");

    let least = app.get(&format!("{path}/diff?to={}", i64::MIN)).by(&ada).answer().await;
    least.problem(400, "invalid_query");

    let restore = async |number: i64, tag: &str| {
        let request = app.post(&format!("{path}/restore")).by(&ada).header("if-match", tag);
        request.json(&json!({ "revision": number })).answer().await
    };
    restore(1, "\"r2\"").await.problem(412, "precondition_failed");
    restore(9, "\"r3\"").await.problem(422, "invalid_body");
    let restored = restore(1, "\"r3\"").await.expect(200);
    assert_eq!((&restored["name"], &restored["revision"]), (&json!("One"), &json!(4)));
    assert_eq!(restored.get("flavour"), None);
}

/// Other accounts see a shared design, but not its revisions.
#[tokio::test]
async fn only_the_author_reads_and_restores_revisions() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    for part in ["revisions", "revisions/1", "diff", "diff?from=1&to=1"] {
        let answer = app.get(&format!("{path}/{part}")).by(&bob).answer().await;
        answer.problem(404, "not_found");
    }
    let restore = app.post(&format!("{path}/restore")).by(&bob).header("if-match", "\"r2\"");
    restore.json(&json!({ "revision": 1 })).answer().await.problem(404, "not_found");
}
