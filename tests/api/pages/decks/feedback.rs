//! What readers do on the page of a deck: like, watch, follow, copy, comment, report.

use serde_json::json;

use super::{Browser, start, store};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::{Answer, PASSWORD, RequestExt as _, TestApp, text};

const LIST: &str = "2 Kettle Imp\n1 Bellows Smith {rare}\n";

/// Starts a service with a deck of ada, and with the player ben. Returns the path of the page of the deck.
async fn with_deck(visibility: &str) -> (TestApp, String) {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    let deck = store(&app, &ada, "Embers", visibility, LIST).await;
    (app, deck)
}

/// The target of an answer that must be a redirect.
#[track_caller]
fn location(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location")
}

/// The value of the first `<input>` with that name.
#[track_caller]
fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let field = page.all("input").find(|field| field.get("name") == Some(name));
    field.and_then(|field| field.get("value")).unwrap_or_else(|| panic!("no field {name}"))
}

fn links_to(page: &Page, path: &str) -> bool {
    page.all("a").any(|link| link.get("href") == Some(path))
}

fn has_button(page: &Page, label: &str) -> bool {
    page.all("button").any(|button| button.text == label)
}

/// The addresses of all forms about a deck that everybody can read.
fn forms(deck: &str) -> Vec<String> {
    let some = "00000000-0000-7000-8000-000000000001";
    ["like", "watch", "follow", "copy", "comments", "report", "edit/file"]
        .map(str::to_owned)
        .into_iter()
        .chain(["", "/delete", "/hide", "/show"].map(|end| format!("comments/{some}{end}")))
        .map(|form| format!("{deck}/{form}"))
        .collect()
}

#[tokio::test]
async fn forms_need_a_session_and_forms_of_other_sites_are_refused() {
    let (app, deck) = with_deck("public").await;
    let shown = check(&deck, &app.get(&deck).answer().await);
    assert!(shown.all("form").all(|form| form.get("method") != Some("post")));
    for label in ["Log in to like, watch or copy it", "Log in to comment on it"] {
        let link = shown.all("a").find(|link| link.text == label).unwrap();
        assert!(link.get("href").unwrap().starts_with("/login?to=%2Fdecks%2F"), "{label}");
    }
    for form in forms(&deck) {
        let sent = |site| app.post(&form).header("sec-fetch-site", site).form(&[("on", "true")]);
        assert_eq!(sent("cross-site").answer().await.status, 403, "{form}");
        assert_eq!(sent("same-origin").answer().await.status, 401, "{form}");
    }
    for page in ["copy", "report", "hidden-comments"] {
        let to = location(&app.get(&format!("{deck}/{page}")).answer().await);
        assert!(to.starts_with("/login?to="), "{page}: {to}");
    }
}

#[tokio::test]
async fn a_deck_is_liked_watched_and_its_author_followed_by_buttons() {
    let (app, deck) = with_deck("public").await;
    let ben = app.log_in("ben", PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let press = async |action: &str, on: &str| {
        location(&his.post(&format!("{deck}/{action}"), &[("on", on)]).await)
    };
    let shown = his.page(&deck).await;
    for label in ["Like", "Watch", "Follow ada"] {
        assert!(has_button(&shown, label), "{label}");
    }
    assert!(shown.all("dt").any(|label| label.text == "Author"));
    assert!(shown.all("h2").any(|heading| heading.text == "Comments"));
    // A second click changes nothing.
    for _ in 0..2 {
        for action in ["like", "watch", "follow"] {
            assert_eq!(press(action, "true").await, deck);
        }
    }
    let shown = his.page(&deck).await;
    for label in ["Like no more", "Watch no more", "Follow ada no more"] {
        assert!(has_button(&shown, label), "{label}");
    }
    assert!(shown.only("main").text.contains("Likes 1"));
    let stored = app.get(&format!("/v1{deck}")).by(&ben).answer().await.expect(200);
    assert_eq!((&stored["likes"], &stored["liked"]), (&json!(1), &json!(true)));
    app.get(&format!("/v1{deck}/watch")).by(&ben).answer().await.expect(200);
    let followed = app.get("/v1/me/followed-authors").by(&ben).answer().await.expect(200);
    assert_eq!(followed["data"][0]["name"], "ada");
    for _ in 0..2 {
        for action in ["like", "watch", "follow"] {
            assert_eq!(press(action, "false").await, deck);
        }
    }
    let stored = app.get(&format!("/v1{deck}")).by(&ben).answer().await.expect(200);
    assert_eq!((&stored["likes"], &stored["liked"]), (&json!(0), &json!(false)));
    app.get(&format!("/v1{deck}/watch")).by(&ben).answer().await.problem(404, "not_found");
    let followed = app.get("/v1/me/followed-authors").by(&ben).answer().await.expect(200);
    assert_eq!(followed["data"], json!([]));
}

/// A comment may be deleted, or the deck made private, while somebody writes an answer: the page keeps what was written.
#[tokio::test]
async fn what_was_written_is_kept_if_its_target_is_not_there_any_more() {
    let (app, deck) = with_deck("public").await;
    let ada = app.log_in("ada", PASSWORD).await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{deck}/comments");
    location(&his.post(&path, &[("text", "Too slow.")]).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    let comment = listed["data"][0]["id"].as_str().unwrap();
    location(&his.post(&format!("{path}/{comment}/delete"), &[]).await);
    let reply = [("text", "It has *time*."), ("reply_to", comment)];
    let refused = hers.post(&path, &reply).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    let page = check(&path, &refused);
    assert!(page.only("main").text.contains("This was your reply."));
    let form = page.all("textarea").find(|area| area.get("id") == Some("text")).unwrap();
    assert_eq!(form.text, "It has *time*.");

    let private = json!({ "visibility": "private" });
    let change = app.patch(&format!("/v1{deck}")).by(&ada).header("if-match", "*").json(&private);
    change.answer().await.expect(200);
    // The owner still sees the deck, and others do not.
    for (browser, heading) in [(&hers, "Embers"), (&his, "There is nothing here")] {
        let refused = browser.post(&path, &reply[..1]).await;
        assert_eq!(refused.status, 404, "{}", refused.text());
        let page = check(&path, &refused);
        assert_eq!(page.only("h1").text, heading);
        let typed = page.all("textarea").find(|area| area.text == "It has *time*.").unwrap();
        assert_eq!(typed.get("readonly"), Some(""));
    }
}

/// Every form that meets a limit says when to send it again, as the API does.
#[tokio::test]
async fn feedback_beyond_the_daily_limit_says_when_to_send_it_again() {
    let (app, deck) = with_deck("public").await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let his = Browser::of(&app, "ben").await;
    let send = async |form: &str, on: &str| {
        let key = value(&his.page(&deck).await, "key").to_owned();
        let path = format!("{deck}/{form}");
        match form {
            "comments" => his.post(&path, &[("text", "Too slow."), ("key", &*key)]).await,
            _ => his.post(&path, &[("on", on)]).await,
        }
    };
    let forms = ["like", "follow", "comments"];
    for form in forms {
        location(&send(form, "true").await);
    }
    for form in ["like", "follow"] {
        location(&send(form, "false").await);
    }
    app.sql("UPDATE daily_counts SET count = 10000").await;
    for form in forms {
        let refused = send(form, "true").await;
        assert_eq!(refused.status, 429, "{form}: {}", refused.text());
        let wait: u32 = refused.header("retry-after").parse().unwrap();
        assert!(wait <= 24 * 60 * 60, "{form}: {wait}");
        check(form, &refused);
    }
}

#[tokio::test]
async fn owners_watch_and_copy_their_decks_but_do_not_like_them() {
    let (app, deck) = with_deck("public").await;
    let hers = Browser::of(&app, "ada").await;
    let shown = hers.page(&deck).await;
    assert!(has_button(&shown, "Watch") && links_to(&shown, &format!("{deck}/copy")));
    assert!(!has_button(&shown, "Like") && !has_button(&shown, "Follow ada"));
    assert!(!links_to(&shown, &format!("{deck}/report")));
    for (action, expected) in [
        ("like", "Nobody can like a deck of their own."),
        ("follow", "Nobody can follow themselves."),
    ] {
        let path = format!("{deck}/{action}");
        let refused = hers.post(&path, &[("on", "true")]).await;
        assert!((400..500).contains(&refused.status), "{action}: {}", refused.status);
        let page = check(&path, &refused);
        assert!(page.only("main").text.contains(expected), "{action}");
        assert!(links_to(&page, &format!("{deck}/edit")), "the page of the deck is shown");
    }
    assert_eq!(location(&hers.post(&format!("{deck}/watch"), &[("on", "true")]).await), deck);
    assert!(has_button(&hers.page(&deck).await, "Watch no more"));
}

/// For others, a private deck answers as if it did not exist, to each form.
#[tokio::test]
async fn private_decks_of_others_are_not_found() {
    let (app, deck) = with_deck("private").await;
    let his = Browser::of(&app, "ben").await;
    let fields =
        [("on", "true"), ("name", "Mine"), ("text", "Hm."), ("reason", "spam"), ("revision", "1")];
    for form in forms(&deck) {
        // After these forms, the reader is led to the deck, whether there is a comment or not.
        if ["/delete", "/hide", "/show"].iter().any(|end| form.ends_with(end)) {
            assert_eq!(location(&his.post(&form, &fields).await), format!("{deck}#comments"));
        } else {
            assert_eq!(his.post(&form, &fields).await.status, 404, "{form}");
        }
    }
    for page in ["copy", "report", "hidden-comments"] {
        assert_eq!(his.get(&format!("{deck}/{page}")).await.status, 404, "{page}");
    }
    // The owner sees no comments, because there can be none.
    let hers = Browser::of(&app, "ada").await;
    let own = hers.page(&deck).await;
    assert!(own.all("h2").all(|heading| heading.text != "Comments"));
    assert!(!links_to(&own, &format!("{deck}/hidden-comments")));
    assert!(has_button(&own, "Watch"));
}

/// A deck that is shared by its address does not name its author: nobody can follow or report the author through it.
#[tokio::test]
async fn the_author_of_an_unlisted_deck_stays_unknown() {
    let (app, deck) = with_deck("unlisted").await;
    let his = Browser::of(&app, "ben").await;
    let shown = his.page(&deck).await;
    assert!(has_button(&shown, "Like") && has_button(&shown, "Watch"));
    assert!(shown.all("dt").all(|label| label.text != "Author"));
    assert!(shown.all("button").all(|button| !button.text.starts_with("Follow")));
    assert_eq!(his.post(&format!("{deck}/follow"), &[("on", "true")]).await.status, 404);
    // The deck can be reported.
    let report = format!("{deck}/report");
    assert!(links_to(&shown, &report));
    assert_eq!(value(&his.page(&report).await, "about"), "deck");
    let ada = app.db().value("SELECT id::text FROM accounts WHERE name = 'ada'").await;
    assert!(!links_to(&shown, &format!("{report}?author={ada}")));
    assert_eq!(his.get(&format!("{report}?author={ada}")).await.status, 404);
    let fields = [("author", &*ada), ("reason", "spam")];
    assert_eq!(his.post(&report, &fields).await.status, 404);
    assert_eq!(location(&his.post(&format!("{deck}/like"), &[("on", "true")]).await), deck);
}

#[tokio::test]
async fn a_deck_is_copied_once_under_a_name() {
    let (app, deck) = with_deck("public").await;
    let ben = app.log_in("ben", PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{deck}/copy");
    let form = his.page(&path).await;
    assert_eq!((&*form.only("h1").text, value(&form, "name")), ("Copy “Embers”", "Embers"));
    let key = value(&form, "key").to_owned();
    let without = his.post(&path, &[("name", " "), ("key", &*key)]).await;
    assert_eq!(without.status, 422);
    let page = check(&path, &without);
    assert!(!page.fault_of("name").is_empty());
    let key = value(&page, "key").to_owned();
    let fields = [("name", "My <b>embers</b>"), ("key", &*key)];
    let made = location(&his.post(&path, &fields).await);
    assert_ne!(made, deck);
    // A double click makes one copy.
    assert_eq!(location(&his.post(&path, &fields).await), made);
    let listed = app.get("/v1/decks").by(&ben).answer().await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    let copied = &listed["data"][0];
    assert_eq!(
        (&copied["name"], &copied["visibility"]),
        (&json!("My <b>embers</b>"), &json!("private"))
    );
    assert_eq!(format!("/decks/{}", copied["cloned_from"]["deck_id"].as_str().unwrap()), deck);
    let shown = his.page(&made).await;
    assert_eq!(shown.only("h1").text, "My <b>embers</b>");
    assert!(shown.only("main").text.contains("Kettle Imp"));
    // The deck was made private meanwhile: the error page has the name.
    let ada = app.log_in("ada", PASSWORD).await;
    let private = json!({ "visibility": "private" });
    let change = app.patch(&format!("/v1{deck}")).by(&ada).header("if-match", "*").json(&private);
    change.answer().await.expect(200);
    let refused = his.post(&path, &[("name", "Embers, faster")]).await;
    assert_eq!(refused.status, 404);
    let page = check(&path, &refused);
    let typed = page.all("textarea").find(|area| area.text == "Embers, faster").unwrap();
    assert_eq!(typed.get("readonly"), Some(""));
}

#[tokio::test]
async fn comments_are_written_answered_changed_and_deleted() {
    let (app, deck) = with_deck("public").await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{deck}/comments");
    let key = value(&his.page(&deck).await, "key").to_owned();
    let fields = [("text", "Too *slow*. <b>no</b>"), ("key", &*key)];
    for _ in 0..2 {
        // A double click creates one comment.
        assert_eq!(location(&his.post(&path, &fields).await), format!("{deck}#comments"));
    }
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    let comment = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let shown = hers.page(&deck).await;
    assert!(shown.all("em").any(|emphasis| emphasis.text == "slow"));
    assert!(shown.only("main").text.contains("<b>no</b>"));
    assert!(links_to(&shown, &format!("{deck}/report?comment={comment}")));
    let stranger = check(&deck, &app.get(&deck).answer().await);
    assert!(stranger.only("main").text.contains("<b>no</b>"));
    assert!(!links_to(&stranger, &format!("{deck}/report?comment={comment}")));

    let empty = hers.post(&path, &[("text", " ")]).await;
    assert_eq!(empty.status, 422);
    let page = check(&path, &empty);
    assert_eq!(page.only("h1").text, "Embers");
    assert!(!page.fault_of("text").is_empty());
    location(&hers.post(&path, &[("text", "It is a test."), ("reply_to", &*comment)]).await);
    assert!(his.page(&deck).await.only("main").text.contains("It is a test."));
    let replies = format!("{path}/{comment}/replies");
    let all = his.page(&replies).await;
    assert!(all.only("main").text.contains("It is a test.") && links_to(&all, &deck));

    let edit = format!("{path}/{comment}");
    assert_eq!(hers.get(&edit).await.status, 404);
    assert_eq!(hers.post(&edit, &[("text", "x"), ("revision", "1")]).await.status, 404);
    let revision = value(&his.page(&edit).await, "revision").to_owned();
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    for text in ["A bit slow.", " A bit slow.\r\n"] {
        location(&his.post(&edit, &[("text", text), ("revision", &*revision)]).await);
    }
    let stale = his.post(&edit, &[("text", "Later."), ("revision", &*revision)]).await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    assert_eq!(both.only("textarea").text, "Later.");
    assert!(both.only("main").text.contains("A bit slow."));
    assert_eq!(hers.post(&format!("{edit}/delete"), &[]).await.status, 404);
    for _ in 0..2 {
        let deleted = his.post(&format!("{edit}/delete"), &[]).await;
        assert_eq!(location(&deleted), format!("{deck}#comments"));
    }
    assert!(hers.page(&deck).await.only("main").text.contains("Deleted by its author."));
}

#[tokio::test]
async fn the_owner_of_a_deck_hides_comments_and_shows_them_again() {
    let (app, deck) = with_deck("unlisted").await;
    let cem = app.player("cem").await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let theirs = Browser::of(&app, "cem").await;
    let (path, list) = (format!("{deck}/comments"), format!("{deck}/hidden-comments"));
    location(&his.post(&path, &[("text", "Rude.")]).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    let id = listed["data"][0]["id"].as_str().unwrap();
    let comment = format!("{path}/{id}");
    let buttons = async |browser: &Browser<'_>, path: &str| {
        let page = browser.page(path).await;
        let buttons = page.all("button").map(|button| button.text.clone());
        buttons.filter(|text| text.contains("this comment")).collect::<Vec<_>>()
    };
    assert_eq!(buttons(&hers, &deck).await, ["Hide this comment"]);
    assert!(links_to(&hers.page(&deck).await, &list));
    for browser in [&his, &theirs] {
        assert_eq!(buttons(browser, &deck).await, [] as [&str; 0]);
        assert!(!links_to(&browser.page(&deck).await, &list));
        // Only the owner hides the comment.
        location(&browser.post(&format!("{comment}/hide"), &[]).await);
    }
    assert_eq!(buttons(&hers, &deck).await, ["Hide this comment"]);
    let about =
        json!({ "deck": deck.trim_start_matches("/decks/"), "comment": id, "reason": "spam" });
    let report = app.post("/v1/abuse-reports").by(&cem).json(&about).answer().await.expect(201);
    let report = format!("/admin/reports/{}", report["id"].as_str().unwrap());
    // A double click hides the comment once.
    for _ in 0..2 {
        let hidden = hers.post(&format!("{comment}/hide"), &[]).await;
        assert_eq!(location(&hidden), format!("{deck}#comments"));
    }
    assert!(!his.page(&deck).await.only("main").text.contains("Rude."));
    // The owner and the writer read it, nobody else, apart from moderators.
    app.moderator().await;
    let moderators = Browser::of(&app, "the moderator").await;
    for (browser, finds) in [(&hers, true), (&his, true), (&moderators, true), (&theirs, false)] {
        assert_eq!(links_to(&browser.page(&deck).await, &list), finds);
    }
    // The page of a report says that the owner hid the comment, and that a dismissal does not show it.
    let page = moderators.page(&report).await;
    let main = &page.only("main").text;
    for said in ["has hidden this comment.", "Dismissed: it stays hidden until the owner shows it."]
    {
        assert!(main.contains(said), "{said}: {main}");
    }
    for (browser, reads) in [(&hers, true), (&his, true), (&theirs, false)] {
        assert_eq!(browser.page(&list).await.only("main").text.contains("Rude."), reads);
    }
    assert_eq!(buttons(&hers, &list).await, ["Show this comment again"]);
    assert!(has_button(&his.page(&list).await, "Delete"));
    for browser in [&his, &theirs] {
        assert_eq!(buttons(browser, &list).await, [] as [&str; 0]);
        assert_eq!(browser.post(&format!("{comment}/show"), &[]).await.status, 403);
    }
    for _ in 0..2 {
        let shown = hers.post(&format!("{comment}/show"), &[]).await;
        assert_eq!(location(&shown), format!("{deck}#comments"));
    }
    assert!(his.page(&deck).await.only("main").text.contains("Rude."));
    // With a reply, a hidden comment still has its place in the list, which says who hid it.
    location(&hers.post(&path, &[("text", "Be polite."), ("reply_to", id)]).await);
    location(&hers.post(&format!("{comment}/hide"), &[]).await);
    for place in [&deck, &format!("{comment}/replies")] {
        let stranger = check(place, &app.get(place).answer().await);
        let main = &stranger.only("main").text;
        assert!(main.contains("Hidden by the owner of the deck."), "{place}: {main}");
        assert!(main.contains("Be polite.") && !main.contains("Rude."), "{place}: {main}");
        assert_eq!(buttons(&hers, place).await, ["Show this comment again"], "{place}");
        assert_eq!(buttons(&his, place).await, [] as [&str; 0], "{place}");
    }
    location(&hers.post(&format!("{comment}/show"), &[]).await);
    let stranger = check(&deck, &app.get(&deck).answer().await);
    assert!(stranger.only("main").text.contains("Rude."));
    let page = moderators.page(&report).await;
    assert!(page.only("main").text.contains("Dismissed: it stays as it is."));
}

#[tokio::test]
async fn comments_are_paginated_below_a_deck() {
    let (app, deck) = with_deck("public").await;
    app.sql(
        "INSERT INTO design_comments (id, deck_id, account_id, text, version, created_at) \
         SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, d.id, a.id, 'Comment ' || n || '.', 1, now() \
         FROM decks d, accounts a, generate_series(1, 21) n WHERE a.name = 'ben'",
    )
    .await;
    let first = check(&deck, &app.get(&deck).answer().await);
    let main = &first.only("main").text;
    assert!(main.contains("Comment 21.") && !main.contains("Comment 1."), "{main}");
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let next = next.get("href").unwrap().to_owned();
    assert!(next.ends_with("#comments"), "{next}");
    let next = next.trim_end_matches("#comments");
    let last = check(next, &app.get(next).answer().await);
    let main = &last.only("main").text;
    assert!(main.contains("Comment 1.") && !main.contains("Comment 21."), "{main}");
    assert_eq!(app.get(&format!("{deck}?comments=x")).answer().await.status, 400);
}

#[tokio::test]
async fn decks_comments_and_authors_are_reported() {
    let (app, deck) = with_deck("public").await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    location(&his.post(&format!("{deck}/comments"), &[("text", "Buy boots.")]).await);
    let listed = app.get(&format!("/v1{deck}/comments")).answer().await.expect(200);
    let comment = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("{deck}/report");
    let form = hers.page(&format!("{path}?comment={comment}")).await;
    assert_eq!(
        (&*form.only("h1").text, value(&form, "comment")),
        ("Report this comment", &*comment)
    );
    let fields = [("comment", &*comment), ("reason", "other"), ("details", "")];
    let refused = hers.post(&path, &fields).await;
    assert_eq!(refused.status, 422);
    let page = check(&path, &refused);
    assert!(!page.fault_of("details").is_empty());
    assert_eq!(value(&page, "comment"), comment);
    let sent = hers.post(&path, &[("comment", &*comment), ("reason", "spam")]).await;
    let done = check(&path, &sent);
    assert!(done.only("main").text.contains("A moderator will look at it."));
    assert!(links_to(&done, &deck));
    assert_eq!(
        his.post(&path, &[("comment", &*comment), ("reason", "spam")]).await.status,
        409,
        "nobody reports a comment of their own"
    );

    let own = hers.get(&path).await;
    assert_eq!(own.status, 409, "nobody reports their own deck");
    assert!(!own.text().contains("Report this deck"));
    let shown = his.page(&deck).await;
    assert!(links_to(&shown, &path));
    assert_eq!(his.page(&path).await.only("h1").text, "Report this deck");
    let ada = app.get(&format!("/v1{deck}")).answer().await.expect(200)["account_id"].clone();
    let ada = ada.as_str().unwrap();
    let of_author = format!("{path}?author={ada}");
    assert!(links_to(&shown, &of_author));
    let form = his.page(&of_author).await;
    assert_eq!((&*form.only("h1").text, value(&form, "author")), ("Report its author", ada));
    let other = his.get(&format!("{path}?author={comment}")).await;
    assert_eq!(other.status, 404, "only the author of the deck");
    let details = [("reason", "abuse"), ("details", "Its name.")];
    let missing = his.get(&format!("{path}?comment={ada}")).await;
    assert_eq!(missing.status, 404, "there is no such comment");
    let own = his.get(&format!("{path}?comment={comment}")).await;
    assert_eq!(own.status, 409, "nobody reports a comment of their own");
    let unknown = his.post(&path, &[details[0], details[1], ("about", "cards")]).await;
    assert_eq!(unknown.status, 404);
    // The form of an older program, without a part, was about the author: the form about the deck is shown instead.
    let unstated = his.post(&path, &details).await;
    assert_eq!(unstated.status, 422);
    let form = check(&path, &unstated);
    assert!(form.only("main").text.contains("does not say what it is about"));
    assert_eq!((&*form.only("h1").text, value(&form, "about")), ("Report this deck", "deck"));
    for part in [("about", "deck"), ("author", ada)] {
        let sent = his.post(&path, &[details[0], details[1], part]).await;
        assert!(check(&path, &sent).only("main").text.contains("A moderator will look at it."));
    }
    let moderator = app.moderator().await;
    let waiting = app.get("/v1/abuse-reports").by(&moderator).answer().await.expect(200);
    let about: Vec<_> =
        waiting["data"].as_array().unwrap().iter().map(|one| &one["about"]).collect();
    assert_eq!(about, ["comment", "deck", "account"]);
    assert_eq!(waiting["data"][2]["accused"], "ada");

    // The owner of a deck that is taken down reads why, and cannot publish it again.
    let decide = format!("/v1/abuse-reports/{}/decide", text(&waiting["data"][1], "id"));
    let body = json!({ "decision": "upheld", "note": "Its name is an insult." });
    app.post(&decide).by(&moderator).json(&body).answer().await.expect(200);
    assert_eq!(his.get(&deck).await.status, 404);
    assert!(!links_to(&his.page("/my/events").await, &deck));
    let main = hers.page(&deck).await.only("main").text.clone();
    assert!(main.contains("Taken down by a moderator"), "{main}");
    assert!(main.contains("Its name is an insult."), "{main}");
    assert!(hers.page("/my/decks").await.only("main").text.contains("Taken down by a moderator"));
    let edit = format!("{deck}/edit");
    let form = hers.page(&edit).await;
    let offers = |text: &str| form.all("option").any(|option| option.text == text);
    assert!(offers("Only me") && !offers("Everybody who has its address"));
    let revision = value(&form, "revision");
    let fields = [
        ("name", "Embers"),
        ("format", "ttcg/standard"),
        ("visibility", "public"),
        ("list", LIST),
        ("revision", revision),
    ];
    let refused = hers.post(&edit, &fields).await;
    assert_eq!(refused.status, 409);
    assert!(!check(&edit, &refused).fault_of("visibility").is_empty());
    // Moderators cannot open it.
    let moderators = Browser::of(&app, "the moderator").await;
    let report = format!("/admin/reports/{}", text(&waiting["data"][1], "id"));
    let page = moderators.page(&report).await;
    assert!(page.only("main").text.contains("a moderator has taken it down"));
    assert!(!links_to(&page, &deck));
    // The end of the takedown changes what the form shows.
    let body = json!({ "decision": "dismissed", "note": "It is no insult." });
    app.post(&decide).by(&moderator).json(&body).answer().await.expect(200);
    let stale = hers.post(&edit, &[fields[0], fields[1], fields[3], fields[4]]).await;
    assert_eq!(stale.status, 412);
    assert!(links_to(&his.page("/my/events").await, &deck));
}

/// The page of a report shows the comment that was reported, and its text now.
#[tokio::test]
async fn the_page_of_a_report_shows_the_reported_comment() {
    let (app, deck) = with_deck("public").await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{deck}/comments");
    location(&his.post(&path, &[("text", "You <b>fool</b>.")]).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    let comment = listed["data"][0]["id"].as_str().unwrap();
    let fields = [("comment", comment), ("reason", "abuse")];
    assert_eq!(hers.post(&format!("{deck}/report"), &fields).await.status, 200);
    let moderator = app.moderator().await;
    let moderators = Browser::of(&app, "the moderator").await;
    let waiting = app.get("/v1/abuse-reports").by(&moderator).answer().await.expect(200);
    let report = format!("/admin/reports/{}", text(&waiting["data"][0], "id"));
    let page = moderators.page(&report).await;
    assert!(!page.only("main").text.contains("Changed since"));

    let ben = app.log_in("ben", PASSWORD).await;
    let edit = app.put(&format!("/v1{path}/{comment}")).by(&ben).header("if-match", "*");
    edit.json(&json!({ "text": "Nice <i>deck</i>." })).answer().await.expect(200);
    let page = moderators.page(&report).await;
    let main = &page.only("main").text;
    let place = |text: &str| main.find(text).unwrap_or_else(|| panic!("{text}: {main}"));
    let texts = ["Reported text", "You <b>fool</b>.", "Changed since", "Nice <i>deck</i>."];
    assert!(texts.map(place).is_sorted(), "{main}");

    // Reported again, it shows both texts that were reported.
    assert_eq!(hers.post(&format!("{deck}/report"), &fields).await.status, 200);
    let page = moderators.page(&report).await;
    let main = &page.only("main").text;
    let place = |text: &str| main.find(text).unwrap_or_else(|| panic!("{text}: {main}"));
    let texts =
        ["Reported text", "Nice <i>deck</i>.", "When it was reported first", "You <b>fool</b>."];
    assert!(texts.map(place).is_sorted(), "{main}");
}
