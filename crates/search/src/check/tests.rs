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
fn a_term_that_is_ignored_does_not_limit_the_games() {
    let (one, many) = &elements();
    let checked = read("game:/one/ element:air", &[one, many]).unwrap();
    let cases = vec![case("many", choice("elements", "air"))];
    assert_eq!(checked.predicate, Predicate::Content { negated: false, cases });
    let reasons: Vec<QueryFault> = checked.warnings.into_iter().map(|fault| fault.reason).collect();
    assert_eq!(reasons, [QueryFault::NoRegexFor("game".to_owned())]);
    assert!(read("game:one element:air", &[one, many]).unwrap().warnings.len() == 1);
}
