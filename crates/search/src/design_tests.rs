//! Checks of queries for designs: the fields of designs, and the fields that only cards have.

use cardscape_engine::Date;

use crate::{
    Checked, Comparison, DesignTest, Fault, KnownTest, Operator, Predicate, Scope, check, parse,
};

fn read(text: &str) -> Result<Checked, Vec<Fault>> {
    let tree = parse(text).unwrap().unwrap();
    check(&tree, &Scope::new([]).of_designs(), None, Date::new(2026, 11, 25).unwrap())
}

fn test(text: &str) -> (bool, DesignTest) {
    match read(text).unwrap().predicate {
        Predicate::Known { negated, test: KnownTest::Design(test) } => (negated, test),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_fields_of_designs_are_read() {
    use Operator::{AtLeast, Equal, Greater, Has, Less};
    let rating = |wanted| DesignTest::Rating(wanted);
    for (text, negated, expected) in [
        ("by:Ada", false, DesignTest::Author("Ada".to_owned())),
        ("author=\"ada l\"", false, DesignTest::Author("ada l".to_owned())),
        ("-by:ada", true, DesignTest::Author("ada".to_owned())),
        ("status!=OFFICIAL", true, DesignTest::Status("official".to_owned())),
        ("rating:4", false, rating(Comparison::Is(Has, 400))),
        ("rating=4.5", false, rating(Comparison::Is(Equal, 450))),
        ("rated>=3.25", false, rating(Comparison::Is(AtLeast, 325))),
        ("rating:1..5.00", false, rating(Comparison::Between(100, 500))),
        ("rating:..2.5", false, rating(Comparison::Is(Operator::AtMost, 250))),
        ("comments>0", false, DesignTest::Comments(Comparison::Is(Greater, 0))),
        ("comments<10", false, DesignTest::Comments(Comparison::Is(Less, 10))),
    ] {
        assert_eq!(test(text), (negated, expected), "{text}");
    }
}

#[test]
fn invalid_ratings_are_reported() {
    for text in ["0.99", "5.01", "6", "04", "4.", ".5", "4.123", "4,5", "-4", "4e0", "x"] {
        let faults = read(&format!("rating>={text}")).unwrap_err();
        let expected = format!("{text:?} is no rating: 1 to 5 with at most two decimals");
        assert!(faults[0].message().starts_with(&expected), "{faults:?}");
    }
}

#[test]
fn fields_of_cards_are_refused_for_designs() {
    for text in [
        "set:a",
        "cn:1",
        "year:2026",
        "date>2026-01-01",
        "is:hidden",
        "not:hidden",
        "unlocked>2026-01-01",
        "submissions:..3",
        "legal:a",
        "banned:a",
        "restricted:a",
        "sort:name",
        "order:desc",
        "unique:cards",
    ] {
        let (name, _) = text.split_once([':', '>']).unwrap();
        for text in [text.to_owned(), format!("-{text}"), format!("a or {text}")] {
            let faults = match read(&text) {
                Ok(checked) => checked.warnings,
                Err(faults) => faults,
            };
            let expected = format!("{name} is not for designs: ");
            assert_eq!(faults.len(), 1, "{text}");
            assert!(faults[0].message().starts_with(&expected), "{faults:?}");
        }
    }
    // In a query for cards, the same term is valid.
    let tree = parse("set:a").unwrap().unwrap();
    assert!(check(&tree, &Scope::new([]), None, Date::new(2026, 11, 25).unwrap()).is_ok());
    let tree = parse("rating:4").unwrap().unwrap();
    assert!(check(&tree, &Scope::new([]), None, Date::new(2026, 11, 25).unwrap()).is_err());
}
