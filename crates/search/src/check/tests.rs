//! What terms mean where games differ.

use super::*;

/// A game with one kind of cards, which has these attributes and checks.
fn game(code: &str, kind: &str) -> Game {
    let manifest = format!(
        "code='{code}'\nname='{code}'\nrules_version='1'\n[[kinds]]\ncode='x'\nname='X'\n{kind}"
    );
    Game::from_toml(&manifest).unwrap()
}

fn read(text: &str, games: &[&Game]) -> Result<Checked, Vec<Fault>> {
    let scope = Scope::new(games.iter().copied());
    let tree = scope.parse(text).unwrap().unwrap();
    check(&tree, &scope, None, Date::new(2026, 11, 25).unwrap())
}

/// The cases of a query that is one test of content.
fn cases(text: &str, games: &[&Game]) -> Vec<Case> {
    let checked = read(text, games).unwrap();
    assert_eq!(checked.warnings, [], "{text}");
    match checked.predicate {
        Predicate::Content { negated: false, cases } => cases,
        predicate => panic!("{text}: {predicate:?}"),
    }
}

fn case(game: &str, test: Test) -> Case {
    Case { games: Some(vec![game.to_owned()]), test }
}

/// Two games; what one has as `element`, the other has as `elements`.
fn elements() -> (Game, Game) {
    let one = "[kinds.attributes]\nelement = { type = 'choice', values = ['fire', 'water'] }";
    let many = "[kinds.attributes]\nelements = { type = 'choices', values = ['fire', 'air'] }";
    (game("one", one), game("many", many))
}

fn choice(attribute: &str, value: &str) -> Test {
    let (attribute, values) = (attribute.to_owned(), vec![value.to_owned()]);
    Test::Choice { attribute, per_printing: false, values }
}

#[test]
fn a_plural_s_counts_in_games_that_have_no_attribute_without_it() {
    let (one, many) = &elements();
    let games = [one, many];
    let has = |attribute: &str| Test::HasAttribute {
        attribute: attribute.to_owned(),
        per_printing: false,
    };
    for text in ["element:fire", "attributes.element=fire"] {
        let of_both =
            [case("one", choice("element", "fire")), case("many", choice("elements", "fire"))];
        assert_eq!(cases(text, &games), of_both, "{text}");
    }
    assert_eq!(cases("element:air", &games), [case("many", choice("elements", "air"))]);
    assert_eq!(cases("element:water", &games), [case("one", choice("element", "water"))]);
    let of_both = [case("one", has("element")), case("many", has("elements"))];
    assert_eq!(cases("has:element", &games), of_both);
    assert!(read("element:earth", &games).is_err() && read("has:elemental", &games).is_err());
    // A list is sorted by one attribute.
    let sort = read("element:fire sort:element", &games).unwrap().sort;
    let values = vec!["fire".to_owned(), "water".to_owned()];
    assert_eq!(sort, Some(SortKey::Choice { attribute: "element".to_owned(), values }));
}

#[test]
fn a_total_is_what_the_game_of_a_card_adds_up() {
    let attributes = "[kinds.attributes]\nattack = { type = 'integer', min = 0 }\n\
                      defense = { type = 'integer', min = 0 }\n";
    let total = |of: &str| format!("{attributes}[[kinds.checks]]\ntotal = {{ of = [{of}] }}");
    let none = game("none", attributes);
    let [both, again] = ["both", "again"].map(|code| game(code, &total("'attack', 'defense'")));
    let single = game("single", &total("'attack'"));
    let above = |sum: &[&str]| Test::Number {
        sum: sum.iter().map(|code| (*code).to_owned()).collect(),
        per_printing: true,
        compared: Comparison::Is(Operator::Greater, 5),
    };
    let of_both = above(&["attack", "defense"]);
    let of_these =
        Case { games: Some(vec!["both".to_owned(), "again".to_owned()]), test: of_both.clone() };
    assert_eq!(cases("total>5", &[&none, &both, &again]), [of_these]);
    let of_all = Case { games: None, test: of_both.clone() };
    assert_eq!(cases("total>5", &[&both, &again]), [of_all]);
    assert_eq!(
        cases("total>5", &[&both, &single]),
        [case("both", of_both), case("single", above(&["attack"]))]
    );
    assert_eq!(read("total>5", &[&none]).unwrap_err()[0].reason, QueryFault::NoTotal);
}

#[test]
fn a_range_of_a_list_has_the_order_of_the_list_also_if_its_values_are_digits() {
    let game = game(
        "one",
        "[kinds.attributes]\ngrade = { type = 'choice', values = ['3', '2', '1'] }\n\
         rank = { type = 'integer', min = 0 }\n\
         [[rarities]]\ncode = '3'\nname = 'Low'\n[[rarities]]\ncode = '1'\nname = 'High'\n",
    );
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let grades = |values: &[&str]| {
        let (attribute, values) = ("grade".to_owned(), owned(values));
        Test::Choice { attribute, per_printing: false, values }
    };
    for (text, test) in [
        ("grade:3..2", grades(&["3", "2"])),
        ("grade:2..1", grades(&["2", "1"])),
        ("r:3..1", Test::Rarities(owned(&["3", "1"]))),
    ] {
        assert_eq!(cases(text, &[&game]), [Case { games: None, test }], "{text}");
    }
    for (text, instead) in
        [("grade:1..3", "grade:3..1"), ("r:1..3", "r:3..1"), ("rank:10..9", "rank:9..10")]
    {
        let reason = QueryFault::RangeBackwards { instead: instead.to_owned() };
        assert_eq!(read(text, &[&game]).unwrap_err()[0].reason, reason, "{text}");
    }
}

#[test]
fn a_range_is_advised_with_the_sign_of_the_term() {
    let game = game("one", "[kinds.attributes]\nrank = { type = 'integer', min = 0 }");
    for (text, advised) in
        [("rank:1-3", "rank:1..3"), ("rank=1-3", "rank:1..3"), ("rank!=1-3", "rank!=1..3")]
    {
        let fault = QueryFault::NotWhole("1-3".to_owned());
        let (fault, instead) = (Box::new(fault), advised.to_owned());
        let reason = QueryFault::PerhapsRange { fault, instead };
        assert_eq!(read(text, &[&game]).unwrap_err()[0].reason, reason, "{text}");
        assert!(read(advised, &[&game]).is_ok(), "{advised}");
    }
}

#[test]
fn a_code_counts_more_than_names_and_codes_that_are_written_alike() {
    let game = |code: &str, name: &str| {
        let variants = "[[formats.variants]]\ncode='one-1'\nname='A'\ndefault=true\n\
                        [[formats.variants]]\ncode='one1'\nname='B'\n";
        let manifest = format!(
            "code='{code}'\nname='{name}'\nrules_version='1'\n[[zones]]\ncode='main'\nname='Main'\n\
             [[kinds]]\ncode='x'\nname='X'\n\
             [[formats]]\ncode='open-1'\nname='First'\nversion='1'\n{variants}\
             [[formats]]\ncode='open1'\nname='Second'\nversion='1'\n{variants}"
        );
        Game::from_toml(&manifest).unwrap()
    };
    let (named, alike, exact) = (game("aaa", "Odd1"), game("odd-1", "Odd"), game("odd1", "Other"));
    let scope = Scope::new([&named, &alike, &exact]);
    for (text, code) in [("ODD1", "odd1"), ("odd-1", "odd-1"), ("odd 1", "aaa")] {
        assert_eq!(scope.game(text).unwrap().code(), code, "{text}");
    }
    for (text, formats) in [
        ("odd1/OPEN1:one1", &["odd1/open1:one1"][..]),
        ("odd1/open 1:one1", &["odd1/open-1:one1", "odd1/open1:one1"]),
        ("open1:one1", &["aaa/open1:one1", "odd-1/open1:one1", "odd1/open1:one1"]),
    ] {
        let term = legality::FormatTerm::read(text, Date::new(2026, 11, 25).unwrap()).unwrap();
        let found = term.find(&scope).unwrap();
        let names =
            found.iter().flat_map(|(game, format)| legality::deck_format_names(game, format));
        assert_eq!(names.collect::<Vec<_>>(), formats, "{text}");
    }
}

#[test]
fn a_term_that_is_ignored_does_not_limit_the_games() {
    let (one, many) = &elements();
    let checked = read("game:/one/ element:air", &[one, many]).unwrap();
    let cases = vec![case("many", choice("elements", "air"))];
    assert_eq!(checked.predicate, Predicate::Content { negated: false, cases });
    let reasons: Vec<QueryFault> = checked.warnings.into_iter().map(|fault| fault.reason).collect();
    assert_eq!(reasons, [QueryFault::NoRegexFor("game".to_owned())]);
    assert!(read("game:one element:air", &[one, many]).unwrap().warnings.len() == 1);
}
