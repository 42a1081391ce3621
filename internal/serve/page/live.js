// Keeps a page of `cnibench serve` up to date. The file that `cnibench report
// --html` writes does not have it.
"use strict";
(() => {
  const bar = document.getElementById("live");
  let shown = bar.dataset.version; // of the content on the page
  let wanted = shown;
  let title = document.title;
  let loading = false;
  let events = null;
  let last = null; // status that came
  let again = 0;

  const part = (name) => bar.querySelector(name);
  const set = (element, text) => {
    if (!element) return;
    if (element.textContent !== text) element.textContent = text;
    element.hidden = text === "";
  };

  // show writes how far the campaign is.
  const show = (status) => {
    bar.dataset.state = status.state;
    set(part(".headline"), status.headline);
    set(part(".detail span"), status.detail);
    set(part(".detail code"), status.command);
    part(".detail").hidden = status.detail === "" && status.command === "";
    const progress = part("progress");
    if (progress && status.planned > 0) {
      progress.max = status.planned;
      progress.value = status.done;
    }
    last = status;
    name();
    wanted = status.version;
    load();
  };

  // name puts the progress where it is seen while another page is in front.
  const name = () => {
    const counted = last && last.state === "measuring" && last.planned > 0;
    document.title = counted ? `${last.done}/${last.planned} · ${title}` : title;
  };

  // load fetches the page and puts its content in place of this one's.
  const load = async () => {
    if (loading || shown === wanted) return;
    loading = true;
    try {
      const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      const version = fresh.getElementById("live")?.dataset.version;
      if (version && version !== shown) {
        replace(fresh);
        shown = version;
      }
    } catch {
      // Without an answer the page stays as it is; the next event tries again.
    } finally {
      loading = false;
    }
  };

  // content is what stands on a page besides the bar and what runs.
  const runs = (e) => e.localName === "script" && e.type !== "application/json";
  const content = (page) => [...page.body.children].filter((e) => e !== page.getElementById("live") && !runs(e));

  const replace = (fresh) => {
    const opened = new Map(numbered("details", nameOfDetails).map(([key, e]) => [key, e.open]));
    const filled = new Map(numbered("input, select", nameOfInput).map(([key, e]) => [key, [e.checked, e.value]]));
    const sorted = new Map(numbered("th", nameOfHead).filter(([, e]) => e.ariaSort).map(([key, e]) => [key, e.ariaSort]));
    const focus = document.activeElement?.id;
    const anchor = topmost();
    const x = scrollX, y = scrollY;

    for (const e of document.head.querySelectorAll("style")) e.remove();
    for (const e of fresh.head.querySelectorAll("style")) document.head.append(document.adoptNode(e));
    title = fresh.title;
    name();
    for (const e of content(document)) e.remove();
    const freshBar = fresh.getElementById("live");
    for (const e of content(fresh)) {
      if (freshBar.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING) bar.before(document.adoptNode(e));
      else document.body.append(document.adoptNode(e));
    }

    // What makes the page interactive begins anew on this, and then what the
    // reader had folded, filled in and sorted is done again.
    document.dispatchEvent(new CustomEvent("cnibench:replaced"));
    for (const [key, e] of numbered("details", nameOfDetails)) if (opened.has(key)) e.open = opened.get(key);
    for (const [key, e] of numbered("input, select", nameOfInput)) {
      const [checked, value] = filled.get(key) ?? [e.checked, e.value];
      if (e.checked === checked && e.value === value) continue;
      e.checked = checked;
      e.value = value;
      e.dispatchEvent(new Event("input", { bubbles: true }));
      e.dispatchEvent(new Event("change", { bubbles: true }));
    }
    for (const [key, e] of numbered("th", nameOfHead)) {
      for (let presses = 0; presses < 2 && sorted.has(key) && e.ariaSort !== sorted.get(key); presses++) e.querySelector("button")?.click();
    }
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
    const moved = anchor && document.getElementById(anchor.id);
    if (moved) scrollBy({ top: moved.getBoundingClientRect().top - anchor.top, behavior: "instant" });
    else scrollTo({ left: x, top: y, behavior: "instant" });
  };

  // numbered pairs elements with keys that name the same ones on the new page.
  const numbered = (selector, name) => {
    const seen = new Map();
    return [...document.querySelectorAll(selector)].map((e) => {
      const key = name(e), n = seen.get(key) ?? 0;
      seen.set(key, n + 1);
      return [key + "\n" + n, e];
    });
  };
  const place = (e) => [e.closest("[id]")?.id, e.closest("section")?.querySelector("h2, h3, h4")?.textContent].join("\n");
  const nameOfDetails = (e) => [place(e), e.querySelector("summary")?.textContent].join("\n");
  const nameOfHead = (e) => [place(e), e.textContent].join("\n");
  const nameOfInput = (e) => [e.id, e.name, e.type === "radio" || e.type === "checkbox" ? e.value : ""].join("\n");

  // topmost is the last section that begins above the window, and by how much.
  const topmost = () => {
    let found = null;
    for (const e of document.querySelectorAll("main section[id], main h2[id], main h3[id], main details[id]")) {
      const top = e.getBoundingClientRect().top;
      if (top <= 1) found = { id: e.id, top };
    }
    return found;
  };

  const listen = () => {
    clearTimeout(again);
    events?.close();
    events = new EventSource(bar.dataset.events);
    events.addEventListener("status", (e) => {
      part(".lost").hidden = true;
      show(JSON.parse(e.data));
    });
    events.addEventListener("error", () => {
      part(".lost").hidden = false;
      if (events.readyState === EventSource.CLOSED) again = setTimeout(listen, 5000);
    });
  };
  // A page that nobody looks at asks for nothing.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(again);
      events?.close();
    } else {
      listen();
    }
  });
  if (!document.hidden) listen();
})();
