//! Nets as text: PNML (ISO/IEC 15909-2, place/transition nets) and DOT.

use std::fmt::Write;

use crate::index::Idx;

use super::net::{Bag, Net, count};

/// Replaces what has a meaning in XML and in DOT's quoted strings.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The targets, for a comment.
fn targets(net: &Net) -> String {
    let bag = |bag: &Bag| {
        let items = bag.iter().map(|(p, n)| match n {
            1 => net.places[*p].clone(),
            n => format!("{n}·{}", net.places[*p]),
        });
        items.collect::<Vec<_>>().join(" + ")
    };
    net.targets.iter().map(bag).collect::<Vec<_>>().join(" | ")
}

/// A document with these nets, each by its name. PNML has no questions: the markings asked for stand in a tool-specific element, and a place
/// that holds any number of tokens in the beginning has a transition that fills it.
pub fn pnml(nets: &[(String, Net)]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n",
    );
    for (n, (name, net)) in nets.iter().enumerate() {
        let _ = writeln!(
            out,
            "<net id=\"n{n}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<name><text>{}</text></name>\n<page id=\"n{n}page\">",
            escaped(name)
        );
        for (id, place) in net.places.iter_ids() {
            let _ = write!(
                out,
                "<place id=\"n{n}{id}\"><name><text>{}</text></name>",
                escaped(place)
            );
            let tokens = count(&net.initial, id);
            if tokens > 0 {
                let _ = write!(
                    out,
                    "<initialMarking><text>{tokens}</text></initialMarking>"
                );
            }
            out.push_str("</place>\n");
        }
        let mut arcs = String::new();
        let mut arc = |source: &str, target: &str, weight: u32| {
            let _ = write!(
                arcs,
                "<arc id=\"n{n}{source}{target}\" source=\"n{n}{source}\" target=\"n{n}{target}\">"
            );
            if weight > 1 {
                let _ = write!(arcs, "<inscription><text>{weight}</text></inscription>");
            }
            arcs.push_str("</arc>\n");
        };
        for (id, t) in net.transitions.iter_ids() {
            let label = net.labels.get(id.index()).map_or("", String::as_str);
            let _ = write!(
                out,
                "<transition id=\"n{n}{id}\"><name><text>{}</text></name>",
                escaped(label)
            );
            if !t.empties.is_empty() {
                let places = t.empties.iter().map(|p| format!("n{n}{p}"));
                let places = places.collect::<Vec<_>>().join(" ");
                let _ = write!(
                    out,
                    "<toolspecific tool=\"irkiss\" version=\"1\"><empties>{places}</empties></toolspecific>"
                );
            }
            out.push_str("</transition>\n");
            for (p, w) in &t.pre {
                arc(&p.to_string(), &id.to_string(), *w);
            }
            for (p, w) in &t.post {
                arc(&id.to_string(), &p.to_string(), *w);
            }
        }
        for p in &net.unbounded {
            let _ = writeln!(
                out,
                "<transition id=\"n{n}fill{p}\"><name><text>any number</text></name></transition>"
            );
            arc(&format!("fill{p}"), &p.to_string(), 1);
        }
        out.push_str(&arcs);
        let _ = writeln!(
            out,
            "</page>\n<toolspecific tool=\"irkiss\" version=\"1\"><targets>{}</targets></toolspecific>\n</net>",
            escaped(&targets(net))
        );
    }
    out.push_str("</pnml>\n");
    out
}

/// A graph for each net: places round, filled where tokens are in the beginning, transitions as boxes.
pub fn dot(nets: &[(String, Net)]) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::new();
    for (name, net) in nets {
        let _ = writeln!(out, "digraph \"{}\" {{", quoted(name));
        let _ = writeln!(out, "  // asked for: {}", targets(net).replace('\n', " "));
        for (id, place) in net.places.iter_ids() {
            let tokens = match net.initially(id) {
                0 => String::new(),
                u32::MAX => " (any number)".to_string(),
                n => format!(" ({n})"),
            };
            let style = if tokens.is_empty() { "solid" } else { "filled" };
            let _ = writeln!(
                out,
                "  {id} [shape=ellipse, style={style}, label=\"{}{tokens}\"];",
                quoted(place)
            );
        }
        for (id, t) in net.transitions.iter_ids() {
            let label = net.labels.get(id.index()).map_or("", String::as_str);
            let _ = writeln!(out, "  {id} [shape=box, label=\"{}\"];", quoted(label));
            let weight = |w: u32| match w {
                1 => String::new(),
                w => format!(" [label={w}]"),
            };
            for p in &t.empties {
                let _ = writeln!(out, "  {p} -> {id} [style=dashed, label=\"empties\"];");
            }
            for (p, w) in &t.pre {
                let _ = writeln!(out, "  {p} -> {id}{};", weight(*w));
            }
            for (p, w) in &t.post {
                let _ = writeln!(out, "  {id} -> {p}{};", weight(*w));
            }
        }
        out.push_str("}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::net::{PlaceId, Transition, bag};
    use super::*;

    fn small() -> Vec<(String, Net)> {
        let mut net = Net::default();
        let a = net.places.push("a<1>".into());
        let b = net.places.push("b \"2\"".into());
        net.initial = bag([a]);
        net.unbounded = vec![b];
        net.transitions.push(Transition {
            pre: bag([a]),
            post: bag([b, b]),
            ..Transition::default()
        });
        net.labels.push("go".into());
        net.targets = vec![bag([PlaceId(1), PlaceId(1)])];
        vec![("x & y".into(), net)]
    }

    #[test]
    fn pnml_has_every_arc_and_escapes_names() {
        let text = pnml(&small());
        assert!(text.contains("<text>x &amp; y</text>"));
        assert!(text.contains("<text>a&lt;1&gt;</text></name><initialMarking><text>1</text>"));
        let arc = "<arc id=\"n0t0p1\" source=\"n0t0\" target=\"n0p1\"><inscription><text>2</text>";
        assert!(text.contains(arc), "{text}");
        assert!(text.contains("source=\"n0fillp1\""));
        assert!(text.contains("<targets>2·b &quot;2&quot;</targets>"));
        assert_eq!(text.matches("<arc ").count(), 3);
    }

    #[test]
    fn dot_has_every_arc_and_escapes_names() {
        let text = dot(&small());
        assert!(text.contains("p0 -> t0;") && text.contains("t0 -> p1 [label=2];"));
        assert!(text.contains(r#"label="b \"2\" (any number)""#), "{text}");
    }
}
