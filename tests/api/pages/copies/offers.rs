//! Offers of chosen copies, and answers with another offer.

use serde_json::json;

use super::{Browser, NOTHING, actions, check, links, two_players, value};
use crate::pages::browser::{hold_key, release_key};
use crate::pages::html::{Element, Page};
use crate::support::{RequestExt as _, TestApp, text};

/// The copies that can be chosen, each with whether it is chosen.
fn picks<'a>(page: &'a Page, name: &str) -> Vec<(&'a str, bool)> {
    let boxes = page
        .all("input")
        .filter(|field| field.get("type") == Some("checkbox") && field.get("name") == Some(name));
    boxes.map(|field| (field.get("value").unwrap(), field.get("checked").is_some())).collect()
}

/// The chosen copies in hidden fields, which the page does not show.
fn hidden_choices<'a>(page: &'a Page, name: &str) -> Vec<&'a str> {
    let hidden = page
        .all("input")
        .filter(|field| field.get("type") == Some("hidden") && field.get("name") == Some(name));
    hidden.map(|field| field.get("value").unwrap()).collect()
}

#[tokio::test]
async fn an_offer_contains_copies_of_both_players() {
    let (app, cards, ada, ben) = two_players().await;
    // His copy is of another card, which is hidden from her.
    let (mine, theirs) =
        (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[10]).await);
    let hers = Browser::of(&app, "ada").await;
    let confirmation = hers.page(&format!("/trades/new?give={mine}")).await;
    assert_eq!(confirmation.only("h1").text, "New offer");
    assert_eq!(
        hidden_choices(&confirmation, "give"),
        [mine.as_str()],
        "the form carries the chosen copy"
    );

    let form = hers.page(&format!("/trades/new?player=ben&give={mine}")).await;
    assert_eq!(form.only("h1").text, "Offer a trade to ben");
    assert_eq!(picks(&form, "give"), [(mine.as_str(), true)]);
    assert!(picks(&form, "want").is_empty());
    assert!(form.only("main").text.contains("This player shows you no copies here."));
    app.set_trading(&ben, "public").await;
    let form = hers.page(&format!("/trades/new?player=ben&want={theirs}")).await;
    assert_eq!(
        (picks(&form, "give"), picks(&form, "want")),
        (vec![(&*mine, false)], vec![(&*theirs, true)])
    );
    // A card that is hidden from her stays hidden.
    assert!(form.only("main").text.contains("Hidden card"));

    let key = value(&form, "key").to_owned();
    let fields = [
        ("key", key.as_str()),
        ("player", "ben"),
        ("give", &mine),
        ("want", &theirs),
        ("message", "Imp for Smith?"),
        ("hours", "24"),
        ("step", "send"),
    ];
    let sent = hers.post("/trades/new", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
    let again = hers.post("/trades/new", &fields).await;
    assert_eq!(
        again.header("location"),
        sent.header("location"),
        "the second request creates no second offer"
    );
    let trades = app.get("/v1/trades").by(&ben).answer().await.expect(200);
    assert_eq!(trades["data"].as_array().unwrap().len(), 1);
    let trade = &trades["data"][0];
    assert_eq!(sent.header("location"), format!("/trades/{}?done=offered", text(trade, "id")));
    assert_eq!(trade["message"], "Imp for Smith?");
    assert_eq!((trade["give_count"].as_i64(), trade["want_count"].as_i64()), (Some(1), Some(1)));
    let page = hers.page(&sent.header("location")).await;
    assert!(page.only("main").text.contains("The offer is sent."));
}

#[tokio::test]
async fn faults_of_an_offer_are_reported_and_the_choices_are_kept() {
    let (app, cards, ada, ben) = two_players().await;
    let (mine, theirs) = (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    let hers = Browser::of(&app, "ada").await;
    let long = "x".repeat(501);
    for (fields, at, message) in [
        (vec![("player", "ben")], "", "An offer gives or asks for at least one copy."),
        (
            vec![("player", "ben"), ("want", &*theirs)],
            "want",
            "One of the copies is none that this player shows you.",
        ),
        (vec![("player", "ben"), ("give", &*theirs)], "give", "One of the copies is not yours."),
        (vec![("player", "ada"), ("give", &*mine)], "player", "This is your own name."),
        (vec![("player", "nobody"), ("give", &*mine)], "player", "There is no player of this name"),
        (vec![("player", "x"), ("give", &*mine)], "player", "There is no player of this name"),
        (vec![("player", "ben"), ("give", &*mine), ("message", &*long)], "message", "500"),
        (vec![("player", "ben"), ("give", &*mine), ("hours", "9000")], "hours", "1 to 2,160."),
    ] {
        let fields = [&fields[..], &[("step", "send"), ("key", "k")]].concat();
        let refused = hers.post("/trades/new", &fields).await;
        assert_eq!(refused.status, 422, "{fields:?}: {}", refused.text());
        let page = check("refused", &refused);
        let fault = page.all("div").find(|block| block.get("id") == Some("faults")).unwrap();
        assert!(fault.text.contains(message), "{fault:?}");
        if !at.is_empty() {
            let link = format!("#{at}");
            assert!(page.all("a").any(|link_to| link_to.get("href") == Some(&link)), "{at}");
            assert!(page.with("id").any(|(_, id)| id == at), "{at}");
        }
        if ["give", "want"].contains(&at) {
            assert!(page.fault_of_group(at).contains(message), "{at}");
        }
        if fields.contains(&("give", &*mine)) {
            let is_kept = hidden_choices(&page, "give").contains(&&*mine)
                || picks(&page, "give").contains(&(&*mine, true));
            assert!(is_kept, "{fields:?}");
        }
        if fields.contains(&("player", "ben")) {
            assert_ne!(value(&page, "key"), "k", "the form has a new idempotency key");
        }
        if at == "player" {
            // The field keeps the name, so that the player can correct it.
            let field = page.all("input").find(|field| field.get("id") == Some("player")).unwrap();
            assert_eq!(field.get("value"), Some(fields[0].1));
            assert_eq!(field.get("aria-invalid"), Some("true"));
        }
    }
    // No offer was created.
    let trades = app.get("/v1/trades").by(&ada).answer().await.expect(200);
    assert_eq!(trades["data"].as_array().unwrap().len(), 0);
}

/// The name of the player is corrected in the complete form, also if the correction cannot be a name.
#[tokio::test]
async fn a_message_is_kept_while_the_name_of_the_player_is_corrected() {
    let (app, cards, ada, _ben) = two_players().await;
    let mine = app.register(&ada, &cards[0]).await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/trades/new?player=nobody9").await;
    let mut key = value(&form, "key").to_owned();
    for (player, step, status) in [
        ("nobody9", "send", 422),
        ("ab", "send", 422),
        ("ab", "narrow", 400),
        ("", "send", 422),
        ("", "narrow", 400),
    ] {
        let fields = [
            ("key", &*key),
            ("player", player),
            ("give", &mine),
            ("message", "Imp for Smith?"),
            ("hours", "24"),
            ("step", step),
        ];
        let refused = hers.post("/trades/new", &fields).await;
        assert_eq!(refused.status, status, "{player} {step}: {}", refused.text());
        let page = check("refused", &refused);
        assert_eq!(value(&page, "player"), player);
        assert!(!page.fault_of("player").is_empty(), "{player} {step}");
        assert_eq!(page.only("textarea").text, "Imp for Smith?", "{player} {step}");
        let is_chosen = |option: &&Element| option.get("selected").is_some();
        let hours = page.all("option").filter(is_chosen).find_map(|one| one.get("value"));
        assert_eq!(hours, Some("24"), "{player} {step}");
        assert_eq!(picks(&page, "give"), [(&*mine, true)], "{player} {step}");
        key = value(&page, "key").to_owned();
    }
    let fields = [
        ("key", &*key),
        ("player", "ben"),
        ("give", &mine),
        ("message", "Imp for Smith?"),
        ("step", "send"),
    ];
    let sent = hers.post("/trades/new", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
}

/// The form suggests players whose lists match, and players of earlier trades. It suggests no other players.
#[tokio::test]
async fn players_are_suggested_for_an_offer() {
    let (app, cards, ada, ben) = two_players().await;
    let (cleo, dorothea) = (app.player("cleo").await, app.player("dorothea").await);
    let mine = app.register(&ada, &cards[0]).await;
    app.set_trading(&dorothea, "public").await;
    let hers = Browser::of(&app, "ada").await;
    let nobody = hers.page("/trades/new").await;
    assert!(nobody.all("option").next().is_none());
    assert!(!links(&nobody).iter().any(|link| link.starts_with("/trades/new?")));
    app.offer(&ada, &ben, &[&mine], &[]).await.expect(201);
    for (player, list, visibility) in [(&ada, "wants", "private"), (&cleo, "haves", "public")] {
        let items = json!([{ "game": "ttcg", "set": "dusk", "number": "001", "quantity": 1 }]);
        let body = json!({ "visibility": visibility, "items": items });
        let put = app.put(&format!("/v1/me/{list}")).by(player).header("if-match", "\"r0\"");
        put.json(&body).answer().await.expect(200);
    }
    let form = hers.page(&format!("/trades/new?give={mine}")).await;
    let named: Vec<_> = form.all("option").map(|option| option.get("value").unwrap()).collect();
    assert_eq!(named, ["cleo", "ben"]);
    let list = form.only("datalist").get("id");
    assert!(
        form.all("input")
            .any(|field| field.get("name") == Some("player") && field.get("list") == list)
    );
    for name in ["ben", "cleo"] {
        let path = format!("/trades/new?player={name}&give={mine}");
        assert!(links(&form).contains(&path.as_str()), "the link carries the chosen copy: {path}");
    }
    assert!(!form.only("html").text.contains("dorothea"));
    // After a wrong name, the form makes the same suggestions.
    let fields = [("player", "nobody"), ("give", &*mine), ("step", "send")];
    let wrong = check("wrong", &hers.post("/trades/new", &fields).await);
    assert_eq!(wrong.all("option").filter(|one| one.get("value") == Some("ben")).count(), 1);
}

/// Long lists have a field with which the script hides the copies that do not match.
#[tokio::test]
async fn long_lists_of_copies_have_a_filter() {
    let (app, _, ada, _) = two_players().await;
    app.import_set("base", 13, false).await;
    for number in 1..=13 {
        app.give_copy(&ada.id, "ttcg", "base", &format!("{number:03}")).await;
    }
    let form = Browser::of(&app, "ada").await.page("/trades/new?player=ben").await;
    assert_eq!(form.scripts(), ["pick.js"]);
    let [field] = form.with("data-filters").collect::<Vec<_>>()[..] else {
        panic!("expected one filter, because the other list is empty")
    };
    assert_eq!((field.0.get("id"), field.0.get("name")), (Some("give_filter"), None));
    let id = |id: &str| form.with("id").find(|(_, known)| *known == id).unwrap().0;
    assert_eq!(id(field.1).name, "ul");
    let state = id("give_filter_state");
    assert_eq!((state.get("role"), &*state.text), (Some("status"), ""));
    for number in ["{chosen}", "{shown}", "{all}"] {
        assert!(state.get("data-says").unwrap().contains(number));
    }
    // Without script, the page does not show the filter.
    assert!(form.all("div").any(|part| part.has_class("scripted") && !part.text.is_empty()));
}

/// The form keeps chosen copies when the player looks at another part of a long list.
#[tokio::test]
async fn chosen_copies_stay_chosen_in_other_parts_of_the_lists() {
    let (app, cards, ada, _) = two_players().await;
    app.import_set("base", 1, false).await;
    let base = app.print("base", 2).await;
    let (hidden, open) = (app.register(&ada, &cards[0]).await, app.register(&ada, &base[0]).await);
    let hers = Browser::of(&app, "ada").await;
    let look = hers
        .post(
            "/trades/new",
            &[("player", "ben"), ("give", &*hidden), ("set", "base"), ("step", "narrow")],
        )
        .await;
    assert_eq!(look.status, 200);
    let page = check("narrow", &look);
    assert_eq!(
        (picks(&page, "give"), hidden_choices(&page, "give")),
        (vec![(&*hidden, true), (&*open, false)], Vec::new()),
        "chosen copies come before the others"
    );
    let fields = [
        ("player", "ben"),
        ("give", NOTHING),
        ("give", &*open),
        ("set", "base"),
        ("step", "narrow"),
    ];
    let page = check("gone", &hers.post("/trades/new", &fields).await);
    assert_eq!(picks(&page, "give"), [(&*open, true)]);
    assert!(hidden_choices(&page, "give").is_empty());
    assert!(
        page.only("main").text.contains("1 copy that you had chosen cannot be traded any more")
    );
    let wrong =
        hers.post("/trades/new", &[("player", "ben"), ("set", "baze"), ("step", "narrow")]).await;
    assert_eq!(wrong.status, 400);
    assert!(check("wrong", &wrong).all("a").any(|link| link.get("href") == Some("#set")));
    let trades = app.get("/v1/trades").by(&ada).answer().await.expect(200);
    assert_eq!(trades["data"].as_array().unwrap().len(), 0, "narrowing the list sends no offer");
}

#[tokio::test]
async fn an_offer_is_answered_with_another_offer() {
    let (app, cards, ada, ben) = two_players().await;
    let (hers_copy, his_copy) =
        (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    app.set_trading(&ben, "public").await;
    let trade = app.offer(&ada, &ben, &[&hers_copy], &[&his_copy]).await.expect(201);
    let path = format!("/trades/{}", text(&trade, "id"));
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    // The player who made the offer cannot answer it.
    let turned = hers.get(&format!("{path}/counter")).await;
    assert_eq!((turned.status, turned.header("location")), (303, path.clone()));
    let form = his.page(&format!("{path}/counter")).await;
    assert_eq!(form.only("h1").text, "Answer the offer of ada");
    // She does not show her copies, but the answer can ask for the copies that she offers.
    assert_eq!(
        (picks(&form, "give"), picks(&form, "want")),
        (vec![(&*his_copy, true)], vec![(&*hers_copy, true)])
    );
    let fields =
        [("key", value(&form, "key")), ("want", &hers_copy), ("hours", "336"), ("step", "send")];
    let sent = his.post(&format!("{path}/counter"), &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
    assert_eq!(
        his.post(&format!("{path}/counter"), &fields).await.header("location"),
        sent.header("location")
    );
    let first = his.page(&path).await;
    assert!(first.only("main").text.contains("Answered with another offer"));
    let answer = sent.header("location").replace("?done=offered", "");
    assert!(links(&first).contains(&answer.as_str()));
    let stored = app.get(&format!("/v1{answer}")).by(&ada).answer().await.expect(200);
    assert_eq!((stored["from"].as_str(), stored["to"].as_str()), (Some("ben"), Some("ada")));
    assert_eq!(stored["want"][0]["id"], hers_copy);
    assert_eq!(stored["give"].as_array().unwrap().len(), 0);
}

/// A double click, and then another request with the form of the answer, create one offer.
#[tokio::test]
async fn an_offer_that_is_sent_again_while_it_runs_is_created_once() {
    let (app, cards, ada, _) = two_players().await;
    let mine = app.register(&ada, &cards[0]).await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/trades/new?player=ben").await;
    let key = value(&form, "key");
    let fields =
        [("key", key), ("player", "ben"), ("give", &*mine), ("hours", "336"), ("step", "send")];
    let running = hold_key(&app, "ada", key).await;
    let refused = hers.post("/trades/new", &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check("running", &refused);
    assert!(page.only("main").text.contains("The offer is being sent at the moment."));
    assert_eq!(value(&page, "key"), key, "the form keeps the idempotency key");
    release_key(&running).await;
    let first = hers.post("/trades/new", &fields).await;
    assert_eq!(first.status, 303, "{}", first.text());
    let again = [&[("key", value(&page, "key"))], &fields[1..]].concat();
    let again = hers.post("/trades/new", &again).await;
    assert_eq!(again.header("location"), first.header("location"));
    let trades = app.get("/v1/trades").by(&ada).answer().await.expect(200);
    assert_eq!(trades["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn frozen_copies_are_not_chosen_in_an_answer() {
    let (app, cards, ada, ben) = two_players().await;
    let hers_copy = app.register(&ada, &cards[0]).await;
    let (frozen, other) =
        (app.register(&ben, &cards[1]).await, app.register(&ben, &cards[2]).await);
    app.set_trading(&ben, "public").await;
    let trade = app.offer(&ada, &ben, &[&hers_copy], &[&frozen, &other]).await.expect(201);
    let moderator = app.moderator().await;
    app.moderate(&moderator, &frozen, "freeze").await.expect(200);
    let his = Browser::of(&app, "ben").await;
    let path = format!("/trades/{}/counter", text(&trade, "id"));
    let form = his.page(&path).await;
    assert_eq!(
        (picks(&form, "give"), picks(&form, "want")),
        (vec![(&*other, true)], vec![(&*hers_copy, true)])
    );
    let anew = his.page(&format!("{path}?anew=1")).await;
    assert_eq!(
        (picks(&anew, "give"), picks(&anew, "want")),
        (vec![(&*other, false)], vec![(&*hers_copy, false)])
    );
    // A frozen copy that was chosen stays visible, so that the player can remove it from the offer.
    let fields = [("key", "k"), ("give", &*frozen), ("give", &*other), ("hours", "336")];
    let refused = his.post(&path, &[&fields[..], &[("step", "send")]].concat()).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    let page = check("frozen", &refused);
    assert!(page.only("main").text.contains("A moderator has frozen one of the copies."));
    let chosen = picks(&page, "give");
    assert!(chosen.contains(&(&*frozen, true)) && chosen.contains(&(&*other, true)), "{chosen:?}");
    let corrected = [("key", value(&page, "key")), fields[2], fields[3], ("step", "send")];
    let sent = his.post(&path, &corrected).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
}

#[tokio::test]
async fn a_late_answer_shows_the_state_of_the_offer() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let trade = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("/trades/{trade}");
    let fields = [("key", "k"), ("want", &*copy), ("hours", "336"), ("step", "send")];
    let own = hers.post(&format!("{path}/counter"), &[("give", &*copy), ("step", "send")]).await;
    assert_eq!(own.status, 409, "{}", own.text());
    let own = check("own", &own);
    assert_eq!(own.only("h1").text, "Your offer to ben");
    assert!(own.only("main").text.contains("Only the other player can do this."));
    app.on_trade(&ada, &trade, "cancel").await.expect(200);
    let late = his.post(&format!("{path}/counter"), &fields).await;
    assert_eq!(late.status, 409, "{}", late.text());
    let late = check("late", &late);
    assert_eq!(late.only("h1").text, "Offer from ada");
    assert!(late.only("main").text.contains("The offer is not open any more."));
    assert_eq!(actions(&late), ["/players/ada/block"]);
    let look = his.post(&format!("{path}/counter"), &[("step", "narrow")]).await;
    assert_eq!((look.status, look.header("location")), (303, path.clone()));
    // What was typed and chosen is not lost, whichever button is pressed.
    let again = format!("/trades/new?player=ada&hours=336&want={copy}");
    for step in ["send", "narrow"] {
        let fields = [("message", "Two for one?"), fields[1], fields[2], ("step", step)];
        let late = his.post(&format!("{path}/counter"), &fields).await;
        assert_eq!(late.status, 409, "{}", late.text());
        let late = check("late", &late);
        assert!(late.only("main").text.contains("The offer is not open any more."), "{step}");
        assert_eq!(late.only("textarea").text, "Two for one?");
        assert!(links(&late).contains(&again.as_str()), "{:?}", links(&late));
    }
    assert_eq!(his.page(&again).await.only("h1").text, "Offer a trade to ada");
}

#[tokio::test]
async fn an_offer_beyond_the_daily_limit_says_when_to_send_it_again() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (hers_copy, his_copy) =
        (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    app.offer(&ada, &ben, &[&hers_copy], &[]).await.expect(201);
    let his = text(&app.offer(&ben, &ada, &[&his_copy], &[]).await.expect(201), "id");
    app.sql("UPDATE daily_counts SET count = 50").await;
    let hers = Browser::of(&app, "ada").await;
    let fields = [("player", "ben"), ("give", &*hers_copy), ("hours", "336"), ("step", "send")];
    for path in ["/trades/new".to_owned(), format!("/trades/{his}/counter")] {
        let refused = hers.post(&path, &fields).await;
        assert_eq!(refused.status, 429, "{path}: {}", refused.text());
        let wait: u32 = refused.header("retry-after").parse().unwrap();
        assert!(wait <= 24 * 60 * 60, "{path}: {wait}");
        let page = check(&path, &refused);
        assert!(page.only("main").text.contains("as many offers today as you may"), "{path}");
    }
}
