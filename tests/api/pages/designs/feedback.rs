//! Feedback on a design: ratings, comments, suggestions, reports.

use serde_json::json;

use super::{Browser, heron, links_to, location, page_of, shared, start, value};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::{Player, RequestExt as _, TestApp};

/// Starts a service with a design that ada has shared, and with the player ben. Returns the path of the page of the design.
async fn with_design() -> (TestApp, String) {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    let design = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    (app, design)
}

#[tokio::test]
async fn a_design_is_rated_by_criteria() {
    let (app, design) = with_design().await;
    let ben = app.log_in("ben", crate::support::PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/rating");
    let missing = his.post(&path, &[("fun", "5"), ("balance", "3")]).await;
    assert_eq!(missing.status, 422);
    let page = check(&path, &missing);
    assert!(page.only("main").text.contains("Flavour: give 1 to 5 points."));
    let wrong = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(wrong.collect::<Vec<_>>(), ["flavour", "clarity"]);
    assert!(page.fault_of("clarity").contains("give 1 to 5 points"));
    let checked = page.all("input").filter(|field| field.get("checked").is_some());
    assert_eq!(
        checked.filter_map(|field| field.get("id")).collect::<Vec<_>>(),
        ["fun-5", "balance-3"]
    );
    let points = [("fun", "5"), ("balance", "3"), ("flavour", "4"), ("clarity", "9")];
    assert_eq!(his.post(&path, &points).await.status, 422);
    let points = [("fun", "5"), ("balance", "3"), ("flavour", "4"), ("clarity", "4")];
    assert_eq!(location(&his.post(&path, &points).await), format!("{design}#ratings"));
    let own = app.get(&format!("/v1{path}")).by(&ben).answer().await.expect(200);
    assert_eq!((&own["fun"], &own["clarity"]), (&json!(5), &json!(4)));
    assert!(his.page(&design).await.only("main").text.contains("Take my rating back"));
    location(&his.post(&path, &[("take_back", "true")]).await);
    app.get(&format!("/v1{path}")).by(&ben).answer().await.problem(404, "not_found");
    let hers = Browser::of(&app, "ada").await;
    let refused = hers.post(&path, &points).await;
    assert_eq!(refused.status, 409);
    assert!(check("own", &refused).only("main").text.contains(
        "You cannot rate or judge a design of your own, or one that you contributed to."
    ));
}

#[tokio::test]
async fn comments_are_written_answered_changed_and_deleted() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{design}/comments");
    let form = his.page(&design).await;
    let key = value(&form, "key").to_owned();
    let comment_form = [("text", "Far *too* cheap. <b>no</b>"), ("key", &*key)];
    assert_eq!(location(&his.post(&path, &comment_form).await), format!("{design}#comments"));
    // A double click creates one comment.
    location(&his.post(&path, &comment_form).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    let comment = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let shown = hers.page(&design).await;
    assert!(shown.all("em").any(|emphasis| emphasis.text == "too"));
    assert!(shown.only("main").text.contains("<b>no</b>"));
    assert!(links_to(&shown, &format!("{design}/report?comment={comment}")));
    let empty = hers.post(&path, &[("text", " ")]).await;
    assert_eq!(empty.status, 422);
    let page = check(&path, &empty);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["text"]);
    assert!(!page.fault_of("text").is_empty());
    location(&hers.post(&path, &[("text", "It costs a card."), ("reply_to", &*comment)]).await);
    let replies = app.get(&format!("/v1{path}?reply_to={comment}")).answer().await.expect(200);
    assert_eq!(replies["data"][0]["text"], "It costs a card.");
    assert!(his.page(&design).await.only("main").text.contains("It costs a card."));
    let empty = hers.post(&path, &[("text", " "), ("reply_to", &*comment)]).await;
    let (page, id) = (check(&path, &empty), format!("reply-{comment}"));
    let reply = page.all("textarea").find(|area| area.get("id") == Some(&*id)).unwrap();
    assert_eq!(reply.get("aria-describedby"), Some("faults"));

    let edit = format!("{path}/{comment}");
    assert_eq!(hers.get(&edit).await.status, 404);
    assert_eq!(hers.post(&edit, &[("text", "x"), ("revision", "1")]).await.status, 404);
    let form = his.page(&edit).await;
    let revision = value(&form, "revision").to_owned();
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    for text in ["A bit cheap.", " A bit cheap.\r\n"] {
        location(&his.post(&edit, &[("text", text), ("revision", &*revision)]).await);
    }
    let stale = his.post(&edit, &[("text", "Later."), ("revision", &*revision)]).await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    assert_eq!(both.only("textarea").text, "Later.");
    assert!(both.only("main").text.contains("A bit cheap."));
    let empty = his.post(&edit, &[("text", " "), ("revision", value(&both, "revision"))]).await;
    assert_eq!(empty.status, 422);
    assert!(!check(&edit, &empty).fault_of("text").is_empty());
    app.clock().advance(chrono::Duration::minutes(16));
    let late = his.page(&edit).await;
    assert!(late.all("textarea").next().is_none());
    let refused = his.post(&edit, &[("text", "Late."), ("revision", "2")]).await;
    assert_eq!(refused.status, 409);
    // The page shows the typed text, so that the author can copy it.
    let page = check(&edit, &refused);
    let typed = page.only("textarea");
    assert_eq!((&*typed.text, typed.get("readonly")), ("Late.", Some("")));
    assert!(!page.all("button").any(|button| button.text == "Save"));
    let others = hers.post(&format!("{edit}/delete"), &[]).await;
    assert_eq!(others.status, 404);
    // A double click deletes the comment once.
    for _ in 0..2 {
        let deleted = his.post(&format!("{edit}/delete"), &[]).await;
        assert_eq!(location(&deleted), format!("{design}#comments"));
    }
    let gone = app.get(&format!("/v1{edit}")).answer().await.expect(200);
    assert_eq!(gone["state"], "deleted");
    assert!(hers.page(&design).await.only("main").text.contains("Deleted by its author."));
}

/// The script of the page asks before a text that was not sent is lost. It reads from the form whether the shown text is stored.
#[tokio::test]
async fn forms_of_comments_say_whether_their_text_is_stored() {
    let (app, design) = with_design().await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/comments");
    location(&his.post(&path, &[("text", "Far too cheap.")]).await);
    let long = "x".repeat(2001);
    let refused = his.post(&path, &[("text", &*long)]).await;
    assert_eq!(refused.status, 422);
    let pages = [(his.page(&design).await, "saved"), (check(&path, &refused), "unsaved")];
    for (page, state) in pages {
        let forms = page.all("form").filter(|form| form.get("action") == Some(&*path));
        let states: Vec<_> = forms.filter_map(|form| form.get("data-guard")).collect();
        assert_eq!(states, [state, "saved"]);
    }
}

/// A comment may be deleted while somebody answers it. Then the answer has no form of its own on the page, and the form of a comment has its text.
#[tokio::test]
async fn a_reply_to_a_deleted_comment_is_kept() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{design}/comments");
    // A deleted comment without replies is not listed, and one with replies has only its place in the list.
    for has_replies in [false, true] {
        location(&his.post(&path, &[("text", "Far too cheap.")]).await);
        let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
        let comment = listed["data"][0]["id"].as_str().unwrap();
        if has_replies {
            location(&his.post(&path, &[("text", "Or not?"), ("reply_to", comment)]).await);
        }
        location(&his.post(&format!("{path}/{comment}/delete"), &[]).await);
        let reply = [("text", "It costs a card."), ("reply_to", comment)];
        let refused = hers.post(&path, &reply).await;
        assert_eq!(refused.status, 422);
        let page = check(&path, &refused);
        let main = &page.only("main").text;
        assert!(main.contains("The comment that you answer is not shown any more"), "{main}");
        assert!(main.contains("This was your reply."), "{main}");
        let form = page.all("textarea").find(|area| area.get("id") == Some("text")).unwrap();
        assert_eq!(form.text, "It costs a card.");
    }
}

/// A design may be withdrawn, taken down or hidden with its author while somebody writes: what was written can be copied from the page.
#[tokio::test]
async fn feedback_on_a_design_that_is_not_public_any_more_is_kept() {
    let (app, design) = with_design().await;
    let ada = app.log_in("ada", crate::support::PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    crate::designs::step(&app, &ada, &format!("/v1{design}"), "withdraw").await.expect(200);
    let comments = format!("{design}/comments");
    let comment = [("text", "Far *too* <b>cheap</b>.")];
    let refused = his.post(&comments, &comment).await;
    assert_eq!(refused.status, 404);
    let page = check(&comments, &refused);
    assert_eq!(page.only("h1").text, "Lantern Heron");
    let main = &page.only("main").text;
    assert!(main.contains("Feedback is not possible now"), "{main}");
    let typed = page.only("textarea");
    assert_eq!((&*typed.text, typed.get("readonly")), (comment[0].1, Some("")));
    let points = [("fun", "5"), ("balance", "3"), ("flavour", "4"), ("clarity", "4")];
    let rating = format!("{design}/rating");
    let refused = his.post(&rating, &points).await;
    assert_eq!(refused.status, 404);
    let page = check(&rating, &refused);
    assert_eq!(page.only("h1").text, "Lantern Heron");
    assert!(page.only("main").text.contains("Feedback is not possible now"));

    // Now ben cannot read the design either.
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name = 'ada'").await;
    let refused = his.post(&comments, &comment).await;
    assert_eq!(
        (refused.status, refused.header("cache-control").as_str()),
        (404, "private, no-store")
    );
    let page = check(&comments, &refused);
    assert_eq!(page.only("h1").text, "There is nothing here");
    let typed = page.only("textarea");
    assert_eq!((&*typed.text, typed.get("readonly")), (comment[0].1, Some("")));
    assert!(!page.only("main").text.contains("Lantern Heron"));
    assert_eq!(his.post(&rating, &points).await.status, 404);
}

#[tokio::test]
async fn the_author_of_a_design_hides_comments_and_shows_them_again() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let (path, list) = (format!("{design}/comments"), format!("{design}/hidden-comments"));
    location(&his.post(&path, &[("text", "Rude.")]).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    let id = listed["data"][0]["id"].as_str().unwrap();
    let comment = format!("{path}/{id}");
    let buttons = async |browser: &Browser<'_>, path: &str| {
        let page = browser.page(path).await;
        let buttons = page.all("button").map(|button| button.text.clone());
        let ours = buttons.filter(|text| text.contains("this comment") || text == "Delete");
        ours.collect::<Vec<_>>()
    };
    assert_eq!(buttons(&his, &design).await, [] as [&str; 0]);
    assert_eq!(buttons(&hers, &design).await, ["Hide this comment"]);
    assert!(links_to(&hers.page(&design).await, &list));
    // Somebody else hides nothing. A double click hides the comment once.
    location(&his.post(&format!("{comment}/hide"), &[]).await);
    assert!(hers.page(&design).await.only("main").text.contains("Rude."));
    for _ in 0..2 {
        let hidden = hers.post(&format!("{comment}/hide"), &[]).await;
        assert_eq!(location(&hidden), format!("{design}#comments"));
    }
    assert!(!his.page(&design).await.only("main").text.contains("Rude."));
    // The author, the writer and moderators read it, and find the list; others do not learn that there is anything.
    app.moderator().await;
    app.player("cem").await;
    let moderators = Browser::of(&app, "the moderator").await;
    let others = Browser::of(&app, "cem").await;
    let theirs = moderators.page(&design).await;
    assert!(theirs.all("a").any(|link| link.text == "Hidden comments"));
    let own = his.page(&design).await;
    assert!(own.all("a").any(|link| link.text == "Comments of yours that are hidden here"));
    for (browser, finds) in [(&hers, true), (&his, true), (&moderators, true), (&others, false)] {
        assert_eq!(links_to(&browser.page(&design).await, &list), finds);
    }
    assert!(!links_to(&check(&design, &app.get(&design).answer().await), &list));
    for browser in [&hers, &his, &moderators] {
        assert!(browser.page(&list).await.only("main").text.contains("Rude."));
    }
    assert_eq!(buttons(&hers, &list).await, ["Show this comment again"]);
    assert_eq!(buttons(&his, &list).await, ["Delete"]);
    assert_eq!(his.post(&format!("{comment}/show"), &[]).await.status, 403);
    for _ in 0..2 {
        let shown = hers.post(&format!("{comment}/show"), &[]).await;
        assert_eq!(location(&shown), format!("{design}#comments"));
    }
    for browser in [&his, &moderators] {
        assert!(!links_to(&browser.page(&design).await, &list));
    }
    assert!(his.page(&design).await.only("main").text.contains("Rude."));
    // With a reply, a hidden comment still has its place in the list, which says who hid it.
    location(&hers.post(&path, &[("text", "Be polite."), ("reply_to", id)]).await);
    location(&hers.post(&format!("{comment}/hide"), &[]).await);
    for place in [&design, &format!("{comment}/replies")] {
        let stranger = check(place, &app.get(place).answer().await);
        let main = &stranger.only("main").text;
        assert!(main.contains("Hidden by the author of the design."), "{place}: {main}");
        assert!(main.contains("Be polite.") && !main.contains("Rude."), "{place}: {main}");
        assert_eq!(buttons(&hers, place).await, ["Show this comment again"], "{place}");
        assert_eq!(buttons(&his, place).await, [] as [&str; 0], "{place}");
    }
    location(&hers.post(&format!("{comment}/show"), &[]).await);
    let stranger = check(&design, &app.get(&design).answer().await);
    assert!(stranger.only("main").text.contains("Rude."));
}

#[tokio::test]
async fn changes_are_suggested_and_accepted() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{design}/suggest");
    let form = his.page(&path).await;
    let (key, revision) = (value(&form, "key"), value(&form, "revision"));
    let sent = [
        ("go", "save"),
        ("step", "check"),
        ("key", key),
        ("revision", revision),
        ("kind", "unit"),
        ("name", "Old Heron"),
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "200"),
        ("attributes.defense", "300"),
        ("effects.0.style", "passive"),
        ("effects.0.text", "After this card attacks, return it to your hand."),
        ("effects.1.style", "normal"),
        ("effects.1.text", "Discard one spell to gain 1 point."),
        ("licence", "release-1"),
        ("message", ""),
    ];
    let without = his.post(&path, &sent).await;
    assert_eq!(without.status, 422);
    let page = check(&path, &without);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["message"]);
    assert_eq!(value(&page, "name"), "Old Heron");
    let mut sent = sent.to_vec();
    sent.pop();
    sent.push(("message", "It has seen <b>much</b>."));
    let created = location(&his.post(&path, &sent).await);
    assert_eq!(location(&his.post(&path, &sent).await), created);
    let shown = his.page(&created).await;
    let main = &shown.only("main").text;
    for expected in ["It has seen <b>much</b>.", "Lantern Heron", "Old Heron"] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert_eq!(shown.all("button").filter(|button| button.text == "Take it").count(), 0);
    let listed = hers.page(&format!("{design}/suggestions")).await;
    assert!(links_to(&listed, &created));
    app.player("cleo").await;
    let others = Browser::of(&app, "cleo").await;
    assert_eq!(others.get(&created).await.status, 404);
    let answer = format!("{created}/answer");
    assert_eq!(others.post(&answer, &[("answer", "take"), ("version", "2")]).await.status, 404);
    let form = hers.page(&created).await;
    let version = value(&form, "version").to_owned();
    assert_eq!(hers.post(&answer, &[("answer", "take"), ("version", "99")]).await.status, 412);
    let taken = hers.post(&answer, &[("answer", "take"), ("version", &*version)]).await;
    assert_eq!(location(&taken), design);
    let design = app.get(&format!("/v1{design}")).answer().await.expect(200);
    assert_eq!(
        (&design["name"], &design["contributors"][0]["name"]),
        (&json!("Old Heron"), &json!("ben"))
    );
    let closed = hers.post(&answer, &[("answer", "decline")]).await;
    assert_eq!(closed.status, 409);
    // A double click accepts the suggestion once.
    let again = hers.post(&answer, &[("answer", "take"), ("version", &*version)]).await;
    assert_eq!(location(&again), created.split("/suggestions").next().unwrap());
    // Authors cannot suggest changes to their own designs.
    assert_eq!(hers.get(&path).await.status, 409);
}

/// The author reads which parts of the design were changed both by the suggestion and since.
#[tokio::test]
async fn an_outdated_suggestion_names_what_was_changed() {
    let (app, design) = with_design().await;
    let password = crate::support::PASSWORD;
    let (ada, ben) = (app.log_in("ada", password).await, app.log_in("ben", password).await);
    // Attributes have the names of the game.
    app.sql("UPDATE games SET manifest = replace(manifest, '[kinds.attributes.attack]', E'[kinds.attributes.attack]\nname = \"Strength\"'), revision = revision + 1")
        .await;
    let changed = |name: &str, attack: i64, effect: &str| {
        let mut changed = heron(name);
        changed["attributes"]["attack"] = attack.into();
        changed["effects"] = json!([{ "style": "normal", "text": effect }]);
        changed
    };
    let old = changed("Old Heron", 150, "Draw one card.");
    let suggestion = json!({ "revision": 1, "message": "Like\nthis?", "design": old });
    let place = format!("/v1{design}");
    let suggested = app.post(&format!("{place}/suggestions")).by(&ben).json(&suggestion);
    let path = page_of(&suggested.answer().await.header("location"));
    let young = changed("Young Heron", 250, "Draw two cards.");
    app.put(&place).by(&ada).header("if-match", "*").json(&young).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let message = form.all("p").find(|text| text.text.starts_with("Like")).unwrap();
    assert!(message.has_class("prose"), "its line breaks are shown");
    let sent = [("answer", "take"), ("version", value(&form, "version"))];
    let refused = hers.post(&format!("{path}/answer"), &sent).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check(&path, &refused);
    let main = &page.only("main").text;
    for member in ["Strength", "Effects", "Name"] {
        let fault = format!("{member}: The author has changed this, too.");
        assert!(main.contains(&fault), "{fault}: {main}");
    }
}

/// Changes of a design are not suggested any more once it is a card, or is withdrawn: no link leads to a form that must fail.
#[tokio::test]
async fn the_list_of_suggestions_leads_only_to_forms_that_can_be_sent() {
    let (app, design) = with_design().await;
    let his = Browser::of(&app, "ben").await;
    for (status, is_offered) in [("shared", true), ("official", false), ("withdrawn", false)] {
        app.sql(&format!("UPDATE designs SET status = '{status}'")).await;
        let list = his.page(&format!("{design}/suggestions")).await;
        assert_eq!(links_to(&list, &format!("{design}/suggest")), is_offered, "{status}");
    }
}

/// The author reads why a suggestion is refused that is too much together with the changes since.
#[tokio::test]
async fn a_suggestion_that_makes_the_design_too_large_is_refused_with_the_reason() {
    let (app, design) = with_design().await;
    let password = crate::support::PASSWORD;
    let (ada, ben) = (app.log_in("ada", password).await, app.log_in("ben", password).await);
    let with_more = |code: &str| {
        let mut design = heron("Lantern Heron");
        for number in 0..40_i64 {
            design["attributes"][format!("{code}{number}")] = number.into();
        }
        design
    };
    let place = format!("/v1{design}");
    let suggestion = json!({ "revision": 1, "message": "More.", "design": with_more("his") });
    let suggested = app.post(&format!("{place}/suggestions")).by(&ben).json(&suggestion);
    let path = page_of(&suggested.answer().await.header("location"));
    let own = with_more("own");
    app.put(&place).by(&ada).header("if-match", "*").json(&own).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let sent = [("answer", "take"), ("version", value(&form, "version"))];
    let refused = hers.post(&format!("{path}/answer"), &sent).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check(&path, &refused);
    let main = &page.only("main").text;
    assert!(main.contains("the design would be too large."), "{main}");
}

/// A suggestion for an old revision can be sent again after the page has shown the newest revision.
#[tokio::test]
async fn a_suggestion_for_an_old_revision_can_be_sent_again() {
    let (app, design) = with_design().await;
    let ada = app.log_in("ada", crate::support::PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/suggest");
    let form = his.page(&path).await;
    let (key, revision) = (value(&form, "key"), value(&form, "revision"));
    assert_eq!(revision, "1");
    let place = format!("/v1{design}");
    let tag = app.get(&place).by(&ada).answer().await.header("etag");
    let newer = heron("Elsewhere");
    app.put(&place).by(&ada).header("if-match", tag).json(&newer).answer().await.expect(200);
    let mut sent = vec![
        ("go", "save"),
        ("step", "check"),
        ("key", key),
        ("revision", revision),
        ("kind", "unit"),
        ("name", "Old Heron"),
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "200"),
        ("attributes.defense", "300"),
        ("effects.0.style", "passive"),
        ("effects.0.text", "After this card attacks, return it to your hand."),
        ("licence", "release-1"),
        ("message", "Shorter."),
    ];
    let late = his.post(&path, &sent).await;
    assert_eq!(late.status, 409);
    let both = check(&path, &late);
    let main = &both.only("main").text;
    for expected in ["The design was changed since you began.", "The saved version", "Elsewhere"] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert_eq!((value(&both, "revision"), value(&both, "name")), ("2", "Old Heron"));
    assert_eq!(both.only("textarea").text, "Shorter.");
    for field in &mut sent {
        match field.0 {
            "revision" => field.1 = value(&both, "revision"),
            "key" => field.1 = value(&both, "key"),
            _ => {}
        }
    }
    let created = location(&his.post(&path, &sent).await);
    assert!(his.page(&created).await.only("main").text.contains("Elsewhere"));
}

/// A finished suggestion stays in its form if the design is not public any more.
#[tokio::test]
async fn a_suggestion_for_a_design_that_is_not_public_any_more_is_kept() {
    let (app, design) = with_design().await;
    let ada = app.log_in("ada", crate::support::PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/suggest");
    let form = his.page(&path).await;
    let sent = [
        ("go", "save"),
        ("step", "check"),
        ("key", value(&form, "key")),
        ("revision", value(&form, "revision")),
        ("game", value(&form, "game")),
        ("kind", "unit"),
        ("name", "Old Heron"),
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "200"),
        ("attributes.defense", "300"),
        ("effects.0.style", "passive"),
        ("effects.0.text", "After this card attacks, return it to your hand."),
        ("licence", "release-1"),
        ("message", "Shorter."),
    ];
    let suggested = async |fields: &[(&str, &str)]| {
        let refused = his.post(&path, fields).await;
        assert_eq!(refused.status, 404, "{}", refused.text());
        check(&path, &refused)
    };
    crate::designs::step(&app, &ada, &format!("/v1{design}"), "withdraw").await.expect(200);
    // Withdrawn, the design can still be read; while its author is banned, it cannot.
    for (banned_at, links) in [("NULL", true), ("created_at", false)] {
        app.sql(&format!("UPDATE accounts SET banned_at = {banned_at} WHERE name = 'ada'")).await;
        let page = suggested(&sent).await;
        let main = &page.only("main").text;
        assert!(main.contains("No change can be suggested now"), "{main}");
        assert_eq!(links_to(&page, &design), links);
        assert_eq!((value(&page, "name"), value(&page, "game")), ("Old Heron", "ttcg"));
        assert_eq!(page.only("textarea").text, "Shorter.");
    }
    // There is nothing to keep.
    let page = suggested(&[("go", "save")]).await;
    assert_eq!(page.only("h1").text, "There is nothing here");
}

/// The page shows an open suggestion even if many newer suggestions were answered.
#[tokio::test]
async fn open_suggestions_are_not_hidden_by_answered_ones() {
    let (app, design) = with_design().await;
    app.sql(
        "INSERT INTO suggested_changes (id, design_id, account_id, revision, content, message, state, created_at, closed_at) \
          SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, d.id, a.id, 1, r.content, 'Number ' || n, \
           CASE WHEN n = 1 THEN 'open' ELSE 'declined' END, now(), CASE WHEN n > 1 THEN now() END \
          FROM designs d JOIN design_revisions r ON r.design_id = d.id, accounts a, generate_series(1, 22) n WHERE a.name = 'ben'",
    )
    .await;
    let hers = Browser::of(&app, "ada").await;
    let page = hers.page(&design).await;
    let main = &page.only("main").text;
    assert!(main.contains("Number 1"), "{main}");
    assert!(!main.contains("Number 2") && !main.contains("No suggestion is open."), "{main}");
    assert!(!page.all("a").any(|link| link.text == "All suggestions"));
    app.sql("UPDATE suggested_changes SET state = 'open', closed_at = NULL").await;
    let page = hers.page(&design).await;
    let all = page.all("a").find(|link| link.text == "All suggestions").unwrap();
    assert_eq!(all.get("href"), Some(&*format!("{design}/suggestions")));
}

/// A thread with more replies than the page of the design shows has a page of its own.
#[tokio::test]
async fn all_replies_can_be_read() {
    let (app, design) = with_design().await;
    let ben = app.log_in("ben", crate::support::PASSWORD).await;
    let comments = format!("/v1{design}/comments");
    let add_comment = async |text: &str| {
        let created = app.post(&comments).by(&ben).json(&json!({ "text": text })).answer().await;
        created.expect(201)["id"].as_str().unwrap().to_owned()
    };
    let (long, short) = (add_comment("A long story.").await, add_comment("A short one.").await);
    let answered = |comment: &str, from: u32, to: u32| {
        format!(
            "INSERT INTO design_comments (id, design_id, account_id, reply_to, text, version, created_at) \
             SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, c.design_id, c.account_id, c.id, 'Reply ' || n || '.', 1, now() \
             FROM design_comments c, generate_series({from}, {to}) n WHERE c.id = '{comment}'"
        )
    };
    app.sql(&answered(&long, 1, 51)).await;
    app.sql(&answered(&short, 101, 150)).await;
    let all = format!("{design}/comments/{long}/replies");
    let stranger = check(&design, &app.get(&design).answer().await);
    let main = &stranger.only("main").text;
    for reply in ["Reply 1.", "Reply 50.", "Reply 101.", "Reply 150."] {
        assert!(main.contains(reply), "{reply}");
    }
    assert!(!main.contains("Reply 51."));
    let links: Vec<&str> = stranger
        .all("a")
        .filter(|link| link.text == "All replies")
        .filter_map(|link| link.get("href"))
        .collect();
    assert_eq!(links, [&*all]);
    let first = check(&all, &app.get(&all).answer().await);
    assert!(first.only("main").text.contains("A long story."));
    assert!(first.only("main").text.contains("Reply 50."));
    assert!(!first.only("main").text.contains("Reply 51."));
    assert!(!links_to(&first, &format!("{design}/report?comment={long}")));
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let next = next.get("href").unwrap().to_owned();
    let hers = Browser::of(&app, "ada").await;
    let last = hers.page(&next).await;
    assert!(last.only("main").text.contains("Reply 51."));
    assert!(!last.only("main").text.contains("Reply 50."));
    assert!(links_to(&last, &format!("{design}/report?comment={long}")));
    assert!(!last.all("a").any(|link| link.get("rel") == Some("next")));
    // A reply has no page of replies. After a design is withdrawn, the page is not found.
    let reply = "01900000-0000-7000-8000-000000000001";
    assert_eq!(hers.get(&format!("{design}/comments/{reply}/replies")).await.status, 404);
    app.sql("UPDATE designs SET status = 'withdrawn'").await;
    assert_eq!(app.get(&all).answer().await.status, 404);
}

/// Pages have the buttons also for a player who shows nothing, so that there is no page of the player.
#[tokio::test]
async fn players_are_blocked_and_reported_where_their_names_are() {
    let (app, design) = with_design().await;
    let ben = app.log_in("ben", crate::support::PASSWORD).await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let has_form =
        |page: &Page, action: &str| page.all("form").any(|form| form.get("action") == Some(action));
    assert_eq!(hers.get("/players/ben").await.status, 404);
    assert_eq!(hers.get("/players/ben/report").await.status, 404);
    let comments = format!("{design}/comments");
    location(&his.post(&comments, &[("text", "No.")]).await);
    let suggestion = json!({ "revision": 1, "message": "So?", "design": heron("Meek Heron") });
    let suggest = app.post(&format!("/v1{design}/suggestions")).by(&ben).json(&suggestion);
    let suggestion = page_of(&suggest.answer().await.header("location"));
    for path in [&design, &suggestion] {
        assert!(has_form(&hers.page(path).await, "/players/ben/block"), "{path}");
        assert!(!has_form(&his.page(path).await, "/players/ben/block"), "{path}");
    }

    // The pages of authors and of players have both.
    let items = json!([{ "game": "ttcg", "name": "Kettle Imp" }]);
    let wants = app.put("/v1/me/wants").by(&ben).header("if-match", "\"r0\"");
    let wants = wants.json(&json!({ "items": items, "visibility": "public" }));
    wants.answer().await.expect(200);
    for (reader, owner, page, block) in [
        (&his, &hers, "/designers/ada", "/players/ada/block"),
        (&hers, &his, "/players/ben", "/players/ben/block"),
    ] {
        let (shown, report) = (reader.page(page).await, format!("{page}/report"));
        assert!(has_form(&shown, block) && links_to(&shown, &report), "{page}");
        let own = owner.page(page).await;
        assert!(!has_form(&own, block) && !links_to(&own, &report), "{page}");
        let stranger = check(page, &app.get(page).answer().await);
        assert!(!has_form(&stranger, block) && !links_to(&stranger, &report), "{page}");
        assert_eq!(reader.page(&report).await.only("h1").text, "Report this player");
        let sent = check(&report, &reader.post(&report, &[("reason", "spam")]).await);
        assert!(sent.only("main").text.contains("A moderator will look at it."), "{page}");
        assert!(links_to(&sent, page));
        assert_eq!(owner.post(&report, &[("reason", "spam")]).await.status, 409, "{page}");
    }
    assert_eq!(app.db().number("SELECT count(*) FROM abuse_reports").await, 2);

    let blocked = hers.post("/players/ben/block", &[]).await;
    assert_eq!(location(&blocked), "/my/blocks?done=blocked");
    assert_eq!(his.post(&comments, &[("text", "No!")]).await.status, 403);
}

#[tokio::test]
async fn reports_reach_moderators() {
    let (app, design) = with_design().await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/report");
    let form = his.page(&path).await;
    assert_eq!(form.only("h1").text, "Report this design");
    let refused = his.post(&path, &[("reason", "other"), ("details", "")]).await;
    assert_eq!(refused.status, 422);
    let page = check(&path, &refused);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["details"]);
    assert!(!page.fault_of("details").is_empty());
    let sent =
        his.post(&path, &[("reason", "copyright"), ("details", "From <b>my</b> book.")]).await;
    assert!(check(&path, &sent).only("main").text.contains("A moderator will look at it."));
    let hers = Browser::of(&app, "ada").await;
    assert_eq!(hers.post(&path, &[("reason", "spam")]).await.status, 409);
    assert_eq!(hers.get(&path).await.status, 409, "nobody reports their own design");
    let missing = his.get(&format!("{path}?comment=01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")).await;
    assert_eq!(missing.status, 404, "there is no such comment");

    let moderator = app.moderator().await;
    let theirs = Browser::of(&app, "the moderator").await;
    let waiting = app.get("/v1/abuse-reports").by(&moderator).answer().await.expect(200);
    let report = &waiting["data"][0];
    assert_eq!((&report["reason"], &report["about"]), (&json!("copyright"), &json!("design")));
    assert_eq!(report["details"], "From <b>my</b> book.");
    let decide = format!("/admin/reports/{}", report["id"].as_str().unwrap());
    let form = theirs.page(&decide).await;
    assert!(form.only("main").text.contains("From <b>my</b> book."));
    assert!(links_to(&form, &design));
    let undecided = theirs.post(&decide, &[("note", "Copied.")]).await;
    assert_eq!(undecided.status, 422);
    let page = check(&decide, &undecided);
    assert!(links_to(&page, "#decision"));
    assert!(page.with("id").any(|(field, id)| id == "decision" && field.name == "fieldset"));
    let decided = theirs.post(&decide, &[("decision", "upheld"), ("note", "Copied.")]).await;
    assert_eq!(location(&decided), format!("{decide}?done=decided"));
    assert!(theirs.page(&location(&decided)).await.only("main").text.contains("Copied."));
    assert_eq!(app.get(&design).answer().await.status, 404);
    let own = hers.page(&design).await;
    assert!(own.only("main").text.contains("Taken down by a moderator"));
    let note = own.all("p").find(|text| text.text == "Copied.").unwrap();
    assert!(note.has_class("prose"), "its line breaks are shown");
    assert!(!links_to(&own, &format!("{design}/edit")));
    assert!(!links_to(&own, &format!("{design}/steps/share")));
    // What is taken down already is not reported again.
    assert!(!links_to(&theirs.page(&design).await, &path));
}

/// A design that was withdrawn can still be read by its identifier, and so reported.
#[tokio::test]
async fn a_withdrawn_design_can_be_reported() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    crate::designs::step(&app, &ada, &place, "withdraw").await.expect(200);
    let report = format!("{}/report", page_of(&place));
    let his = Browser::of(&app, "ben").await;
    assert!(links_to(&his.page(&page_of(&place)).await, &report));
    let sent = his.post(&report, &[("reason", "spam")]).await;
    assert!(check(&report, &sent).only("main").text.contains("A moderator will look at it."));
    let hers = Browser::of(&app, "ada").await;
    assert!(!links_to(&hers.page(&page_of(&place)).await, &report));
    let stranger = check(&page_of(&place), &app.get(&page_of(&place)).answer().await);
    assert!(!links_to(&stranger, &report));
}

/// Reports about the same design may be about different revisions, each at first and now. The page of a report shows each revision, or says where it stands.
#[tokio::test]
async fn the_page_of_a_report_says_which_design_other_reports_are_about() {
    let app = start().await;
    let ada = app.player("ada").await;
    let players = [app.player("ben").await, app.player("eve").await, app.player("fay").await];
    let [ben, eve, fay] = &players;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    let about = json!({ "design": place.trim_start_matches("/v1/designs/"), "reason": "abuse" });
    let report = async |by: &Player| {
        let sent = app.post("/v1/abuse-reports").by(by).json(&about).answer().await;
        assert!(sent.status < 300, "{}", sent.status);
    };
    for by in &players {
        report(by).await;
    }
    let meek = heron("Meek Heron");
    let changed = app.put(&place).by(&ada).header("if-match", "*").json(&meek).answer().await;
    changed.expect(200);
    for by in [ben, eve] {
        report(by).await;
    }
    let moderator = app.moderator().await;
    let waiting = app.get("/v1/abuse-reports").by(&moderator).answer().await.expect(200);
    let moderators = Browser::of(&app, "the moderator").await;
    let shown = async |by: &Player| {
        let waiting = waiting["data"].as_array().unwrap();
        let report = waiting.iter().find(|report| report["reporter_id"] == by.id).unwrap();
        let path = format!("/admin/reports/{}", report["id"].as_str().unwrap());
        let page = moderators.page(&path).await;
        let text = page.only("main").text.clone();
        text[text.find("Other reports about the same").unwrap()..].to_owned()
    };
    let first_was = "The first report was about this:";
    // Beside the report of Ben, who repeated it: that of Eve, who did, too, and that of Fay, who did not.
    let beside = shown(ben).await;
    for (sentence, count) in [
        (first_was, 1),
        ("The design as it was reported first, above.", 1),
        ("This report is about the design as it was reported first, above.", 1),
        // No revision is shown twice.
        ("Lantern Heron", 0),
        ("Meek Heron", 0),
    ] {
        assert_eq!(beside.matches(sentence).count(), count, "{sentence}: {beside}");
    }
    // Beside the report of Fay: two that are about another revision now, and were about the same one at first.
    let beside = shown(fay).await;
    for (sentence, count) in
        [(first_was, 2), ("The design as it was reported, above.", 2), ("Meek Heron", 2)]
    {
        assert_eq!(beside.matches(sentence).count(), count, "{sentence}: {beside}");
    }
}

/// The page of a report shows what was reported, and what its author has changed since. It contains no text as HTML.
#[tokio::test]
async fn the_page_of_a_report_shows_what_was_reported() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let picture = crate::designs::pictures::file(
        &crate::designs::pictures::gradient(300, 200),
        image::ImageFormat::Png,
    );
    let artwork = crate::designs::upload(&app, &ada, "image/png", picture).await.expect(201);
    let artwork = artwork["id"].as_str().unwrap();
    let mut design = heron("Lantern Heron");
    for (member, text) in [
        ("flavour", json!("You <b>fool</b>.")),
        ("lore", json!("Nobody *likes* <i>you</i>.")),
        ("credits", json!("<u>Eve</u>")),
        ("artwork", json!({ "id": artwork, "alt": "A <s>heron</s>." })),
    ] {
        design[member] = text;
    }
    let place = shared(&app, &ada, &design).await;
    let about = json!({ "design": place.trim_start_matches("/v1/designs/"), "reason": "abuse" });
    let report = app.post("/v1/abuse-reports").by(&ben).json(&about).answer().await.expect(201);
    let path = format!("/admin/reports/{}", report["id"].as_str().unwrap());
    app.moderator().await;
    let moderators = Browser::of(&app, "the moderator").await;
    let page = moderators.page(&path).await;
    assert!(!page.only("main").text.contains("Changed since"));
    let mut meek = heron("Meek Heron");
    meek["flavour"] = json!("It <em>waits</em>.");
    let changed = app.put(&place).by(&ada).header("if-match", "*").json(&meek).answer().await;
    changed.expect(200);

    let page = moderators.page(&path).await;
    let main = &page.only("main").text;
    for text in [
        "Lantern Heron",
        "The design as it was reported",
        "You <b>fool</b>.",
        "Nobody likes <i>you</i>.",
        "<u>Eve</u>",
        "A <s>heron</s>.",
        "Changed since",
        "Meek Heron",
        "It <em>waits</em>.",
    ] {
        assert!(main.contains(text), "{text}: {main}");
    }
    assert!(page.scripts().is_empty());
    let file = format!("/my/artworks/{artwork}");
    assert!(links_to(&page, &file) && links_to(&page, &page_of(&place)));
    let his = Browser::of(&app, "ben").await;
    assert_eq!((moderators.get(&file).await.status, his.get(&file).await.status), (200, 404));
    assert_eq!(his.get(&path).await.status, 403);

    // After a repeated report, the page shows what was reported first as well.
    app.post("/v1/abuse-reports").by(&ben).json(&about).answer().await.expect(200);
    let page = moderators.page(&path).await;
    let main = &page.only("main").text;
    let position = |text: &str| main.find(text).unwrap_or_else(|| panic!("{text}: {main}"));
    let texts =
        ["It <em>waits</em>.", "When it was reported first", "Lantern Heron", "You <b>fool</b>."];
    assert!(texts.map(position).is_sorted(), "{main}");
    assert!(links_to(&page, &file) && page.scripts().is_empty());

    // A report about the changed design: its page shows what the other one contains, too.
    let eve = app.player("eve").await;
    let second = app.post("/v1/abuse-reports").by(&eve).json(&about).answer().await.expect(201);
    let second = format!("/admin/reports/{}", second["id"].as_str().unwrap());
    let page = moderators.page(&second).await;
    let main = &page.only("main").text;
    for text in ["Other reports about the same", "It <em>waits</em>.", "You <b>fool</b>."] {
        assert!(main.contains(text), "{text}: {main}");
    }
    // An admin decides about the first one only. The form above would replace that decision, which its moderator has not read.
    let read_until = value(&page, "read_until").to_owned();
    let admin = app.admin().await;
    let first = format!("/v1/abuse-reports/{}", report["id"].as_str().unwrap());
    let stored = app.get(&first).by(&admin).answer().await.expect(200);
    let decision =
        json!({ "decision": "dismissed", "note": "Banter.", "read_until": stored["created_at"] });
    let decided = app.post(&format!("{first}/decide")).by(&admin).json(&decision).answer().await;
    decided.expect(200);
    let send = async |until: &str| {
        let form = [("decision", "upheld"), ("note", "Rude."), ("read_until", until)];
        moderators.post(&second, &form).await
    };
    assert_eq!(send(&read_until).await.status, 409);
    let page = moderators.page(&second).await;
    let main = &page.only("main").text;
    assert!(main.contains("Decided last about the same") && main.contains("Banter."), "{main}");
    assert_eq!(send(value(&page, "read_until")).await.status, 303);
}
