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
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut postorder = Vec::new();
    for start in templates.iter().flat_map(known) {
        let mut stack: Vec<(&str, usize)> = Vec::new();
        let mut next = Some(start);
        loop {
            if let Some(name) = next.take().filter(|name| !edges.contains_key(name)) {
                let lines =
                    placeholders.lines(name).iter().filter_map(|line| line.value.as_ref().ok());
                let mut targets: Vec<&str> = lines.flat_map(known).collect();
                targets.sort_unstable();
                targets.dedup();
                edges.insert(name, targets);
                stack.push((name, 0));
            }
            let Some((name, at)) = stack.last_mut() else { break };
            match edges[*name].get(*at) {
                Some(&target) => {
                    *at += 1;
                    next = Some(target);
                }
                None => {
                    postorder.push(*name);
                    stack.pop();
                }
            }
        }
    }
    let mut reverse_edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (&name, targets) in &edges {
        for &target in targets {
            reverse_edges.entry(target).or_default().push(name);
        }
    }
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut on_cycle = BTreeMap::new();
    for (group, &start) in postorder.iter().rev().enumerate() {
        let mut members = Vec::new();
        let mut stack = vec![start];
        while let Some(name) = stack.pop() {
            if groups.contains_key(name) {
                continue;
            }
            groups.insert(name, group);
            members.push(name);
            stack.extend(reverse_edges.get(name).into_iter().flatten());
        }
        let alone = |name: &&str| members.len() == 1 && !edges[*name].contains(name);
        on_cycle.extend(members.iter().filter(|name| !alone(name)).map(|&name| (name, group)));
    }
    on_cycle
}
