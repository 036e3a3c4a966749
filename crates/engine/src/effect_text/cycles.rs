//! Finds the placeholders that lead back to themselves.

use std::collections::BTreeMap;

use super::placeholders::Placeholders;
use super::template::Template;

/// The names on cycles that templates lead to, each with the number of its strongly connected component: the group of names that lead to each other.
/// Names on no cycle are left out.
///
/// Kosaraju's algorithm without recursion, because names may be nested as deeply as there are files.
pub(super) fn cycles<'a>(
    templates: &[Template],
    placeholders: &'a Placeholders,
) -> BTreeMap<&'a str, usize> {
    let known = |template: &Template| -> Vec<&'a str> {
        template
            .placeholders()
            .filter_map(|placeholder| placeholders.entry(placeholder.name()))
            .map(|(name, _)| name)
            .collect()
    };
    // Names in postorder, and the names that each leads to.
    let mut leads: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut done = Vec::new();
    for start in templates.iter().flat_map(known) {
        let mut open: Vec<(&str, usize)> = Vec::new();
        let mut next = Some(start);
        loop {
            if let Some(name) = next.take().filter(|name| !leads.contains_key(name)) {
                let lines =
                    placeholders.lines(name).iter().filter_map(|line| line.value.as_ref().ok());
                let mut targets: Vec<&str> = lines.flat_map(known).collect();
                targets.sort_unstable();
                targets.dedup();
                leads.insert(name, targets);
                open.push((name, 0));
            }
            let Some((name, at)) = open.last_mut() else { break };
            match leads[*name].get(*at) {
                Some(&target) => {
                    *at += 1;
                    next = Some(target);
                }
                None => {
                    done.push(*name);
                    open.pop();
                }
            }
        }
    }
    let mut led_from: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (&name, targets) in &leads {
        for &target in targets {
            led_from.entry(target).or_default().push(name);
        }
    }
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut on_cycle = BTreeMap::new();
    for (group, &start) in done.iter().rev().enumerate() {
        let mut members = Vec::new();
        let mut open = vec![start];
        while let Some(name) = open.pop() {
            if groups.contains_key(name) {
                continue;
            }
            groups.insert(name, group);
            members.push(name);
            open.extend(led_from.get(name).into_iter().flatten());
        }
        let alone = |name: &&str| members.len() == 1 && !leads[*name].contains(name);
        on_cycle.extend(members.iter().filter(|name| !alone(name)).map(|&name| (name, group)));
    }
    on_cycle
}
