//! The text of one model as it grows: what the effects of a call come to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::environment::rules::Effect;

/// Ghost key, at a gate: the object that was registered (`IRKISS_GHOST_HANDLE`).
pub(super) const OBJECT: u32 = 9;

/// Effects as the models have them.
pub(super) fn bits(effects: &[Effect]) -> u32 {
    effects.iter().map(|e| e.bit()).sum()
}

/// The text of one model as it grows.
pub(super) struct Body {
    pub(super) text: String,
    labels: usize,
    /// Whether this is what happens where the call fails: nothing starts.
    pub(super) refuses: bool,
    /// The values that say whether a pointer leads into a global.
    pub(super) inside: BTreeMap<(String, String), String>,
}

impl Body {
    pub(super) fn new(text: String) -> Body {
        Body {
            text,
            labels: 0,
            refuses: false,
            inside: BTreeMap::new(),
        }
    }

    /// What happens where the call fails: a part of a model, with numbers of its own.
    pub(super) fn of_refusal() -> Body {
        Body {
            labels: 1_000_000,
            refuses: true,
            ..Body::new(String::new())
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    /// A call's effects on the object of a handler; the result is whether a start was pending.
    pub(super) fn cancel(&mut self, object: &str, effects: &[Effect]) -> String {
        let k = self.next();
        let bits = bits(effects);
        self.line(&format!(
            "%p{k} = call zeroext i1 @__irkiss_cancel({object}, i32 {bits})"
        ));
        if effects.contains(&Effect::Waits) {
            self.line(&format!("call void @__irkiss_over({object})"));
        }
        if effects.contains(&Effect::Allows) {
            self.line(&format!("call void @__irkiss_allow({object})"));
        }
        format!("%p{k}")
    }

    /// The same on an interrupt action: that of the device, if one is named, or all of the line.
    pub(super) fn interrupt(
        &mut self,
        slot: &str,
        line: &str,
        device: Option<usize>,
        effects: &[Effect],
    ) {
        let bits = bits(effects);
        self.line(&match device {
            Some(d) => {
                format!("call void @__irkiss_free_irq({slot}, i32 {line}, ptr %a{d}, i32 {bits})")
            }
            None => format!("call void @__irkiss_mask_irq({slot}, i32 {line}, i32 {bits})"),
        });
        if device.is_none() && effects.contains(&Effect::Allows) {
            self.line(&format!(
                "call void @__irkiss_unmask_irq({slot}, i32 {line})"
            ));
        }
    }

    /// A number for names of values and labels.
    pub(super) fn next(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }
}
