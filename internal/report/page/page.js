// Folding, sorting, filtering, and the exact values behind the figures. The
// page says everything but the single values without it.
"use strict";
const start = () => {
  // `cnibench serve` replaces the content as results come in: what listened to
  // the old one stops then, and all begins anew.
  const replaced = new AbortController(), listening = { signal: replaced.signal };
  document.addEventListener("cnibench:replaced", () => { replaced.abort(); start(); }, { once: true });

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };
  const values = JSON.parse(document.getElementById("values").textContent);
  // Each command is said by what it does not share with the one before: how many
  // characters it begins with, how many it ends with, and what is between.
  let before = "";
  const commands = (values.commands ?? []).map(([begin, end, middle]) => {
    before = before.slice(0, begin) + middle + before.slice(before.length - end);
    return before;
  });

  // What is folded opens for whoever follows a link to it, and on a page that is
  // not long for printing.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.localName === "details") e.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal, listening);
  document.addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#"]')) setTimeout(reveal);
  }, listening);
  reveal();
  let folded = [];
  const fold = (list, open) => list.forEach((d) => { d.open = open; });
  addEventListener("beforeprint", () => {
    if (document.documentElement.classList.contains("long")) return; // hundreds of pages
    folded = all("details:not([open])");
    fold(folded, true);
  }, listening);
  addEventListener("afterprint", () => fold(folded, false), listening);

  // The section being read is marked in the contents.
  const links = new Map(all("#contents a").map((a) => [a.hash.slice(1), a]));
  const watcher = new IntersectionObserver((entries) => entries.forEach((e) => {
    const link = links.get(e.target.id);
    if (e.isIntersecting) link?.setAttribute("aria-current", "true");
    else link?.removeAttribute("aria-current");
  }), { rootMargin: "-20% 0px -79% 0px" });
  all("main > section").forEach((s) => watcher.observe(s));

  // Tables sort by the column whose head is pressed; rows without a number
  // there stay last.
  const number = (row, column) => {
    const n = parseFloat(row.cells[column].textContent.replace("−", "-").replace(/(\d),(?=\d{3})/g, "$1"));
    return Number.isNaN(n) ? null : n;
  };
  const compare = (column, sign) => (x, y) => {
    const a = number(x, column), b = number(y, column);
    if (a !== null && b !== null) return sign * (a - b);
    if (a !== null || b !== null) return a === null ? 1 : -1;
    return sign * x.cells[column].textContent.localeCompare(y.cells[column].textContent);
  };
  const sortable = (table) => {
    if (table.dataset.sortable) return;
    table.dataset.sortable = "yes";
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", className: "sort" }, ...head.childNodes);
      button.onclick = () => {
        const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        for (const body of table.tBodies) {
          body.append(...[...body.rows].filter((r) => !r.classList.contains("group")).sort(compare(column, sign)));
        }
      };
      head.append(button);
    });
  };

  // Filters hide by rules of style, whatever else the page shows of a name.
  const hiding = document.head.appendChild(make("style"));
  const status = make("p", { className: "note" });
  status.setAttribute("role", "status");
  const filters = [["variants", "v", values.variants], ["cells", "c", values.cells.map((c) => c.id)]].map(([noun, key, names]) => {
    const input = make("input", { type: "search", id: `filter-${key}`, autocomplete: "off" });
    input.oninput = () => apply();
    return { noun, key, names, input };
  });
  const apply = () => {
    const rules = [], said = [];
    for (const { noun, key, names, input } of filters) {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const out = words.length ? names.filter((n) => !words.some((w) => n.toLowerCase().includes(w))) : [];
      for (const name of out) {
        rules.push(`[data-${key}="${CSS.escape(name)}"]`);
        if (key === "v" && name !== values.base) rules.push(`[data-a="${CSS.escape(name)}"]`);
      }
      if (words.length) said.push(`${names.length - out.length} of ${names.length} ${noun}`);
    }
    hiding.textContent = rules.length ? `${rules.join()} { display: none !important; }` : "";
    status.textContent = said.length ? `Shown: ${said.join(", ")}` : "";
  };
  const tools = document.getElementById("tools");
  for (const { noun, input } of filters) tools.append(make("label", { htmlFor: input.id }, `Filter ${noun}`), input);
  tools.append(status);
  if (document.querySelector("details.cell:not([open])")) {
    for (const [text, open] of [["Unfold all", true], ["Fold all", false]]) {
      tools.append(make("button", { type: "button", onclick: () => fold(all("details.cell"), open) }, text), " ");
    }
  }

  // The values behind a row or a verdict, with what was executed and where its
  // evidence is: shown for what is pointed at or has the focus, kept by a click.
  const box = document.body.appendChild(make("aside", { className: "values", hidden: true }));
  box.setAttribute("aria-label", "Values of single trials");
  let kept = null;
  const pairs = (list = []) => list.flatMap((x, i) => (i % 2 ? [[list[i - 1], x]] : []));
  const show = (key, block) => {
    const [c, m, v] = key.split(".").map(Number);
    const cell = values.cells[c], metric = cell.metrics[m], variant = values.variants[v];
    const attempts = new Map(pairs(cell.attempts?.[v])), ran = new Map(pairs(cell.commands?.[v]));
    const effect = metric.effects[v], scale = metric.ratio ? 100 : 1, unit = metric.ratio ? "%" : metric.unit;
    const rows = (metric.values?.[v] ?? []).map((value, i) => {
      const b = metric.blocks?.[v]?.[i] ?? i + 1;
      const raw = values.raw ? `raw/${b}/${variant}/${cell.id}/${attempts.get(b) ?? 1}` : "";
      return make("li", { className: b === block ? "current" : "" }, `${values.raw ? "block" : "run"} ${b}: `, make("b", {}, `${value} ${metric.unit}`),
        ...(raw ? [make("code", {}, raw)] : []), ...(ran.has(b) ? [make("code", {}, commands[ran.get(b)])] : []));
    });
    const close = make("button", { type: "button", onclick: () => hide() }, "Close");
    box.replaceChildren(close, make("p", {}, make("b", {}, variant), `, ${metric.name}, ${cell.id}`),
      ...(effect.length ? [make("p", {}, `against ${values.base}: ${effect[0] * scale} ${unit}, interval ${effect[1] * scale} to ${effect[2] * scale} ${unit}, n ${effect[3]}`)] : []),
      rows.length ? make("ol", {}, ...rows) : make("p", {}, "The values of single trials are in the JSON report."));
    box.hidden = false;
    box.querySelector(".current")?.scrollIntoView({ block: "nearest" });
  };
  const hide = () => { box.hidden = true; kept = null; };
  const pointed = (event) => {
    const at = event.target.closest?.("[data-k]");
    if (at) return { key: at.dataset.k, block: event.target.localName === "circle" && Number(event.target.textContent.match(/^(?:block|run) (\d+)/)?.[1]) };
    return null;
  };
  const follow = (event) => {
    if (kept || box.contains(event.target)) return;
    const at = pointed(event);
    if (at) show(at.key, at.block);
    else hide();
  };
  document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") follow(event); }, listening);
  document.addEventListener("focusin", follow, listening);
  document.addEventListener("click", (event) => {
    const at = pointed(event);
    if (!at || event.target.closest("a")) return;
    kept = kept === at.key ? null : at.key;
    show(at.key, at.block);
  }, listening);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); }, listening);
  // What is folded gets its buttons when it unfolds: a large page opens sooner.
  const prepare = (root) => {
    const shown = (e) => !e.closest("details:not([open])");
    all("table.sortable", root).filter(shown).forEach(sortable);
    for (const name of all("[data-k] > .name > span, [data-k] > th > span", root).filter(shown)) {
      name.replaceWith(make("button", { type: "button", className: "name" }, ...name.childNodes));
    }
  };
  document.addEventListener("toggle", (event) => { if (event.target.open) prepare(event.target); }, { capture: true, ...listening });
  prepare(document);
};
start();
