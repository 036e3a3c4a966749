//! Prints the table of comparisons.

use std::fmt;

use crate::Medians;
use crate::compare::Comparison;

/// One line for each comparison.
#[derive(Default)]
pub(crate) struct Table(Vec<Line>);

struct Line {
    name: &'static str,
    yardstick: &'static str,
    /// The lowest acceptable ratio; 0: no goal.
    goal: f64,
    found: Comparison,
}

impl Table {
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        yardstick: &'static str,
        goal: f64,
        found: Comparison,
    ) {
        self.0.push(Line { name, yardstick, goal, found });
    }

    /// Median latency of a request in seconds, by line.
    pub(crate) fn medians(&self) -> Medians {
        self.0.iter().map(|line| (line.name, line.found.median().as_secs_f64())).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<40} {:<30} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10}",
            "", "yardstick", "ratio", "goal", "/s", "its /s", "p99 ms", "its p99"
        )?;
        for Line { name, yardstick, goal, found } in &self.0 {
            let ratio = found.ratio().map_or("none".to_owned(), |ratio| format!("{ratio:.2}"));
            let goal = if *goal > 0.0 { format!("{goal:.1}") } else { String::new() };
            let ((rate, its_rate), (p99, its_p99)) = (found.rates(), found.p99());
            let its_rate = its_rate.map_or(String::new(), |rate| format!("{rate:.0}"));
            let millis = |time: std::time::Duration| format!("{:.2}", time.as_secs_f64() * 1000.0);
            let its_p99 = its_p99.map_or(String::new(), millis);
            writeln!(
                f,
                "{name:<40} {yardstick:<30} {ratio:>6} {goal:>6} {rate:>10.0} {its_rate:>10} {:>10} {its_p99:>10}",
                millis(p99)
            )?;
        }
        Ok(())
    }
}

/// Prints how much longer requests take in the larger catalogue.
pub(crate) fn growth(small: &Medians, large: &Medians) {
    for (name, before) in small {
        if let Some((_, after)) = large.iter().find(|(other, _)| other == name) {
            println!(
                "{name:<40} {:>8.2} ms {:>8.2} ms   {:>5.2} ×",
                before * 1000.0,
                after * 1000.0,
                after / before
            );
        }
    }
}
