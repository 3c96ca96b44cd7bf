"use strict";
(() => {
  const root = document.documentElement, form = document.getElementById("filters");
  document.getElementById("theme").onclick = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  };
  const open = () => {
    const stays = form && getComputedStyle(form).position === "sticky";
    root.style.setProperty("--head", (stays ? form.offsetHeight : 0) + "px");
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (at && at.tagName === "DETAILS") { at.hidden = false; at.open = true; at.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  if (form) {
    const items = [...document.querySelectorAll("#list > details")];
    const parts = items.map(i => {
      const inner = [...i.querySelectorAll(".finding")];
      return {item: i, inner, texts: inner.map(() => null), text: null};
    });
    // Typed, not chosen: a part of a name will do.
    const loose = form.elements.entry.tagName === "INPUT";
    const low = e => e.textContent.toLowerCase();
    const fits = (e, f) =>
      f.severity.has(e.dataset.severity) && (!f.class || e.dataset.class === f.class) &&
      (!f.entry || e.dataset.entries.split("\n").some(n => loose ? n.includes(f.entry) : n === f.entry)) &&
      (e.dataset.state === "told" || f.state.has(e.dataset.state));
    const filter = () => {
      const data = new FormData(form);
      const f = {severity: new Set(data.getAll("severity")), state: new Set(data.getAll("state")),
        kind: new Set(data.getAll("kind")), class: data.get("class"), entry: data.get("entry"),
        words: (data.get("text") || "").toLowerCase().split(/\s+/).filter(w => w)};
      const all = t => f.words.every(w => t.includes(w));
      const narrow = f.class || f.entry || form.querySelectorAll("[name=severity]:not(:checked), [name=state]:not(:checked)").length;
      let shown = 0, found = 0;
      for (const p of parts) {
        let show;
        if (p.item.classList.contains("bug")) {
          show = fits(p.item, f) && (!f.words.length || all(p.text ??= low(p.item) + p.item.id));
        } else {
          const name = f.words.length ? (p.text ??= low(p.item.querySelector("summary")) + low(p.item.querySelector(".body"))) : "";
          let inner = 0;
          p.inner.forEach((e, n) => {
            const own = fits(e, f) && (!f.words.length || all((p.texts[n] ??= low(e)) + low(p.item.querySelector("summary"))));
            e.hidden = !own;
            inner += own;
          });
          found += inner;
          show = f.kind.has(p.item.dataset.kind) && (inner > 0 || (!p.inner.length && !narrow && all(name)));
        }
        p.item.hidden = !show;
        shown += show;
      }
      const of = " of " + parts.length;
      document.getElementById("shown").value = shown + of + (form.querySelector("[name=kind]") ? " modules, " + found + " findings" : "");
    };
    let wait;
    form.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 80); });
    form.addEventListener("submit", e => e.preventDefault());
    filter();
  }
  open();
  // On paper there is nothing to click: what the filters leave is told in full.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open]):not(.every)")].filter(d => !d.closest("[hidden]"));
    if (closed.length < 400) closed.forEach(d => d.open = true); else closed = [];
  });
  addEventListener("afterprint", () => closed.forEach(d => d.open = false));
})();
