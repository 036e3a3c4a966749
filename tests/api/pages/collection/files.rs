//! Import and export of files. An import checks each line first, and counts the usable lines after a confirmation.

use super::{Browser, check, start};
use crate::pages::html::{Element, Page};
use crate::support::{Answer, RequestExt as _, TestApp};

/// Sends the import form as a browser does: with a file, or with an empty file part.
async fn send(
    app: &TestApp,
    by: &Browser<'_>,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part =
            format!("--line\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let name = if file.is_some() { "cards.csv" } else { "" };
    let head = format!(
        "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/csv\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file.unwrap_or_default());
    body.extend_from_slice(b"\r\n--line--\r\n");
    let request = app
        .post("/my/collection/import")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", by.cookie.as_ref().unwrap())
        .header("content-type", "multipart/form-data; boundary=line");
    request.body(body).answer().await
}

/// The texts of the rows of the table with that name. Empty if the page has no such table.
fn rows<'a>(page: &'a Page, name: &str) -> Vec<&'a str> {
    let label = format!("Table: {name}");
    let Some(at) = page.elements.iter().position(|one| one.get("aria-label") == Some(&label))
    else {
        return Vec::new();
    };
    let body = page.elements[at..].iter().position(|one| one.name == "tbody").unwrap() + at;
    let rest = page.elements[body + 1..].iter();
    rest.take_while(|one| ["tr", "td", "th", "ul", "li"].contains(&one.name.as_str()))
        .filter(|one| one.name == "tr")
        .map(|one| one.text.as_str())
        .collect()
}

const FILE: &str = "Count,Name,Rarity,Condition,Paid\n4,\"The base card, numbered 001!\",common,NM,1.00\n1,\"The base card, numbered 002!\",,,\n2,<b>Nobody</b>,,,\nx,\"The base card, numbered 003!\",rare,,\n";

#[tokio::test]
async fn each_line_is_checked_before_anything_is_counted() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let read = send(&app, &hers, &[("mode", "add"), ("game", "ttcg")], Some(FILE.as_bytes())).await;
    assert_eq!(read.status, 200, "{}", read.text());
    assert_eq!(read.header("cache-control"), "private, no-store");
    let page = check("verdicts", &read);
    let usable = rows(&page, "Lines that can be counted");
    assert_eq!(usable.len(), 1, "{usable:?}");
    for expected in ["2", "The base card, numbered 001!", "base 001", "4×, near mint"] {
        assert!(usable[0].contains(expected), "{expected}: {usable:?}");
    }
    let others = rows(&page, "Lines that cannot be counted");
    assert_eq!(others.len(), 3, "{others:?}");
    assert!(others[0].contains("May mean several.") && others[0].contains("Mythic"), "{others:?}");
    // The advice names a choice of the import form, not the parameter of the API.
    assert!(others[0].contains("Are the most common printing"), "{others:?}");
    assert!(!page.only("main").text.contains("most_common"), "{others:?}");
    assert!(others[1].contains("<b>Nobody</b>") && others[1].contains("Not found."), "{others:?}");
    assert!(others[2].contains("Cannot be read."), "{others:?}");
    let main = &page.only("main").text;
    assert!(
        main.contains("4 lines; 1 can be counted: 4 cards.") && main.contains("Paid"),
        "{main}"
    );
    let entries = app.get("/v1/collection").by(&ada).answer().await.expect(200);
    assert_eq!(entries["data"].as_array().unwrap().len(), 0, "nothing is counted yet");

    let form = |form: &&Element| {
        form.get("action").is_some_and(|to| to.starts_with("/my/collection/import/"))
    };
    let commit = page.all("form").find(form).unwrap().get("action").unwrap();
    // Without `only_ok`, the import is refused, because some lines cannot be counted.
    let refused = hers.post(commit, &[]).await;
    assert_eq!(refused.status, 422);
    assert!(check("refused", &refused).only("main").text.contains("Some lines cannot be counted."));
    let done = hers.post(commit, &[("only_ok", "yes")]).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let done = check("done", &done);
    assert_eq!(rows(&done, "Lines that were left out").len(), 3);
    assert!(done.only("main").text.contains("4 cards"));
    hers.post(commit, &[("only_ok", "yes")]).await;
    let entries = app.get("/v1/collection").by(&ada).answer().await.expect(200);
    assert_eq!(entries["data"].as_array().unwrap().len(), 1);
    assert_eq!(entries["data"][0]["quantity"], 4, "the second request counts nothing");
    // Another account cannot confirm this import.
    app.player("ben").await;
    let his = Browser::of(&app, "ben").await;
    let gone = his.post(commit, &[("only_ok", "yes")]).await;
    assert_eq!(gone.status, 404);
    assert!(check("gone", &gone).only("main").text.contains("This import has expired"));
}

/// When a form is too large, the service keeps only the fields before the file. All choices must therefore come before the file.
#[tokio::test]
async fn a_form_with_a_too_large_file_keeps_its_choices() {
    let (app, _ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let page = hers.page("/my/collection/import").await;
    let names: Vec<&str> = page.with("name").map(|(_, name)| name).collect();
    let at = |name: &str| names.iter().position(|found| *found == name).unwrap();
    let fields = [("mode", "replace"), ("without_rarity", "most_common"), ("game", "ttcg")];
    for (name, _) in fields {
        assert!(at(name) < at("file"), "{name}");
    }
    let large = vec![b'x'; 17 * 1024 * 1024];
    let refused = send(&app, &hers, &fields, Some(&large)).await;
    assert_eq!(refused.status, 413);
    let page = check("too large", &refused);
    assert!(page.only("main").text.contains("The file was not kept: choose it again."));
    let chosen: Vec<&str> = page
        .all("option")
        .filter(|option| option.get("selected").is_some())
        .filter_map(|option| option.get("value"))
        .collect();
    assert_eq!(chosen, fields.map(|(_, value)| value));
}

#[tokio::test]
async fn lines_can_be_pasted_and_invalid_tables_are_refused() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let pasted = "Count\tName\tRarity\r\n2\tThe base card, numbered 002!\trare\r\n";
    let read = send(&app, &hers, &[("pasted", pasted), ("mode", "replace")], None).await;
    assert_eq!(read.status, 200, "{}", read.text());
    let page = check("pasted", &read);
    let main = &page.only("main").text;
    assert!(main.contains("Your counts of all games become those of the file."), "{main}");
    assert_eq!(rows(&page, "Lines that can be counted").len(), 1);
    let common = "Count,Name\n1,\"The base card, numbered 001!\"\n";
    let read =
        send(&app, &hers, &[("pasted", common), ("without_rarity", "most_common")], None).await;
    let page = check("most common", &read);
    assert!(rows(&page, "Lines that can be counted")[0].contains("Common"));
    for (fields, file, expected) in [
        (vec![], None::<&[u8]>, "Choose a file, or paste its lines."),
        (vec![("pasted", " \r\n")], None, "Choose a file, or paste its lines."),
        (vec![("pasted", "no headings here")], None, "This did not work"),
        (vec![("pasted", "[{")], None, "The file is no proper JSON."),
        (vec![("pasted", pasted), ("game", "none")], None, "This did not work"),
        (vec![], Some(&b"no headings here"[..]), "This did not work"),
    ] {
        let refused = send(&app, &hers, &fields, file).await;
        assert!([400, 422].contains(&refused.status), "{fields:?}: {}", refused.text());
        let page = check("refused", &refused);
        let faults = page.all("div").find(|block| block.get("id") == Some("faults")).unwrap();
        assert!(faults.text.contains(expected), "{fields:?}: {faults:?}");
        let kept = page.all("textarea").find(|field| field.get("id") == Some("pasted")).unwrap();
        let typed =
            fields.iter().find(|(name, _)| *name == "pasted").map_or("", |(_, text)| text.trim());
        assert_eq!(kept.text, typed.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let entries = app.get("/v1/collection").by(&ada).answer().await.expect(200);
    assert_eq!(entries["data"].as_array().unwrap().len(), 0);
    // The page does not show a text again that is too large. The size limit of files is the limit of the API.
    let (long, large) = ("x".repeat(256 * 1024 + 1), vec![b'x'; 16 * 1024 * 1024 + 1]);
    for (fields, file, expected) in [
        (vec![("pasted", &*long)], None, "The pasted text is longer than 256 KiB."),
        (vec![], Some(&large[..]), "The file is larger than 16 MiB."),
    ] {
        let refused = send(&app, &hers, &fields, file).await;
        assert_eq!(refused.status, 413, "{expected}");
        let page = check("large", &refused);
        assert!(page.only("main").text.contains(expected), "{expected}");
        assert_eq!(page.only("textarea").text, "");
    }
    // The address accepts only multipart forms.
    assert_eq!(hers.post("/my/collection/import", &[("pasted", pasted)]).await.status, 415);
}

#[tokio::test]
async fn an_exported_file_can_be_imported_again() {
    let (app, ada) = start().await;
    let body = serde_json::json!({ "changes": [
        { "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 3 },
        { "game": "ttcg", "set": "base", "number": "002", "rarity": "common", "add": 1, "condition": "damaged" },
    ] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let file = hers.get("/my/collection/export").await;
    assert_eq!(
        (file.status, file.header("content-type")),
        (200, "text/csv; charset=utf-8".to_owned())
    );
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"collection.csv\"");
    assert_eq!(file.header("cache-control"), "private, no-store");
    let api = app.get("/v1/collection/export").by(&ada).answer().await;
    assert_eq!(file.bytes, api.bytes);
    assert_eq!(hers.get("/my/collection/export?game=none").await.status, 400);
    let read = check("again", &send(&app, &hers, &[("mode", "replace")], Some(&file.bytes)).await);
    assert_eq!(rows(&read, "Lines that can be counted").len(), 2);
    assert!(rows(&read, "Lines that cannot be counted").is_empty());
}

#[tokio::test]
async fn a_file_that_replaces_says_what_it_replaces() {
    let (app, ada) = start().await;
    let body = serde_json::json!({ "changes": [
        { "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 3 },
        { "game": "ttcg", "set": "base", "number": "002", "rarity": "common", "add": 1 },
    ] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/collection/import").await;
    assert!(form.only("main").text.contains("only counts of this game change"));
    let first = "Count,Game,Set,Number,Rarity\n1,ttcg,base,001,rare\n";
    let fields = [("pasted", first), ("mode", "replace"), ("game", "ttcg")];
    let read = check("replaces", &send(&app, &hers, &fields, None).await);
    let game = app.get("/v1/games/ttcg").answer().await.expect(200)["name"].clone();
    let expected = format!(
        "Your counts of {} become those of the file. 1 entry that no usable line names is removed.",
        game.as_str().unwrap()
    );
    assert!(read.only("main").text.contains(&expected), "{}", read.only("main").text);
    let both = format!("{first}1,ttcg,base,002,common\n");
    let fields = [("pasted", &*both), ("mode", "replace"), ("game", "ttcg")];
    let read = check("names all", &send(&app, &hers, &fields, None).await);
    assert!(read.only("main").text.contains("so that none is removed"));
}

/// The path to which the page sends the confirmation of an import.
fn confirmation(page: &Page) -> String {
    let actions = page.all("form").filter_map(|form| form.get("action"));
    let mut imports = actions.filter(|to| to.starts_with("/my/collection/import/"));
    imports.next().expect("a confirmation").to_owned()
}

#[tokio::test]
async fn a_collection_that_changed_since_the_file_was_shown_is_shown_again() {
    let (app, ada) = start().await;
    let change = async |number: &str, add: i32| {
        let change = serde_json::json!({ "game": "ttcg", "set": "base", "number": number, "rarity": "common", "add": add });
        let body = serde_json::json!({ "changes": [change] });
        app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    };
    let quantities = async || -> Vec<i64> {
        let entries = app.get("/v1/collection").by(&ada).answer().await.expect(200);
        let entries = entries["data"].as_array().unwrap().clone();
        entries.iter().map(|entry| entry["quantity"].as_i64().unwrap()).collect()
    };
    change("001", 2).await;
    change("003", 1).await;
    let hers = Browser::of(&app, "ada").await;
    let file = "Count,Game,Set,Number,Rarity\n3,ttcg,base,001,common\nx,ttcg,base,002,common\n";
    let fields = [("pasted", file), ("mode", "replace"), ("game", "ttcg")];
    let first = confirmation(&check("shown", &send(&app, &hers, &fields, None).await));
    change("001", 6).await;
    change("002", 7).await;
    change("003", -1).await;
    let refused = hers.post(&first, &[("only_ok", "yes")]).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check("again", &refused);
    let main = &page.only("main").text;
    assert!(main.contains("Your collection has changed since the file was shown."), "{main}");
    assert!(main.contains("1 entry that no usable line names is removed."), "{main}");
    assert!(main.contains("1 more entry was changed or removed."), "{main}");
    let changed = rows(&page, "What has changed since the file was shown");
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(changed[0].contains("base 001") && changed[1].contains("base 002"), "{changed:?}");
    assert_eq!(quantities().await, [8, 7], "nothing was imported");

    // The first import is still refused; the one that the page shows is not.
    let second = confirmation(&page);
    assert_ne!(first, second);
    assert_eq!(hers.post(&first, &[("only_ok", "yes")]).await.status, 409);
    for _ in 0..2 {
        let done = hers.post(&second, &[("only_ok", "yes")]).await;
        assert_eq!(done.status, 200, "{}", done.text());
        assert_eq!(rows(&check("done", &done), "Lines that were left out").len(), 1);
        assert_eq!(quantities().await, [3]);
    }
}

/// The fields of the form of the confirmation.
fn carried(page: &Page) -> Vec<(&str, &str)> {
    let hidden = page.all("input").filter(|field| field.get("type") == Some("hidden"));
    hidden.filter_map(|field| Some((field.get("name")?, field.get("value")?))).collect()
}

/// The button that leads back to the form with the pasted lines.
fn is_change_button(button: &Element) -> bool {
    button.get("formaction") == Some("/my/collection/import/edit")
}

#[tokio::test]
async fn pasted_lines_are_corrected_after_the_check() {
    let (app, _ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let usable = "4,\"The base card, numbered 001!\",common\n";
    for (line, commits) in [(usable, 1), ("", 0)] {
        let file = format!("Count,Name,Rarity\n{line}2,Nobody,\n");
        let fields = [
            ("pasted", &*file),
            ("mode", "replace"),
            ("without_rarity", "most_common"),
            ("game", "ttcg"),
        ];
        let shown = check("shown", &send(&app, &hers, &fields, None).await);
        assert_eq!(shown.all("button").filter(|button| is_change_button(button)).count(), 1);
        let counting = shown.all("button").filter(|button| button.text.starts_with("Count"));
        assert_eq!(counting.count(), commits, "{line:?}");
        let again = hers.post("/my/collection/import/edit", &carried(&shown)).await;
        assert_eq!(again.status, 200, "{}", again.text());
        let form = check("again", &again);
        assert_eq!(form.only("textarea").text, file.trim().replace('\n', " "));
        assert!(form.all("div").all(|block| block.get("id") != Some("faults")));
        let chosen: Vec<&str> = form
            .all("option")
            .filter(|option| option.get("selected").is_some())
            .filter_map(|option| option.get("value"))
            .collect();
        assert_eq!(chosen, ["replace", "most_common", "ttcg"]);
    }
    // The lines of a file are corrected in the file.
    let read = check("file", &send(&app, &hers, &[], Some(FILE.as_bytes())).await);
    assert!(!read.all("button").any(is_change_button));
}

/// The page names the counts that would be too large, and keeps the lines, so that they can be corrected.
#[tokio::test]
async fn counts_that_would_be_too_large_are_named() {
    let (app, ada) = start().await;
    let change = serde_json::json!({ "game": "ttcg", "set": "base", "number": "001", "rarity": "common", "add": 9999 });
    let body = serde_json::json!({ "changes": [change] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let file = "Count,Set,Number,Rarity\n1,base,001,common\n1,base,002,common\n";
    let fields = [("pasted", file), ("mode", "add"), ("game", "ttcg")];
    let shown = check("shown", &send(&app, &hers, &fields, None).await);
    let path = confirmation(&shown);
    let refused = hers.post(&path, &carried(&shown)).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check("refused", &refused);
    let main = &page.only("main").text;
    assert!(main.contains("1 count would be more than 9999."), "{main}");
    let named = "The base card, numbered 001!, base 001, Common, Near mint: with the cards";
    assert!(main.contains(named) && !main.contains("base 002, Common"), "{main}");
    assert_eq!(page.only("textarea").text, file.trim().replace('\n', " "));
    let is_chosen = |value: &str| {
        page.all("option")
            .any(|one| one.get("value") == Some(value) && one.get("selected").is_some())
    };
    assert!(is_chosen("add") && is_chosen("ttcg"));
}
