// Runs inside the frame of a stored page, and is the only thing that may. It tells the view outside
// which text is under the mouse, and colors what the view names. It reads nothing else.
(() => {
  const runOf = (event) => (event.target instanceof Element ? event.target.closest("qk-run") : null);
  const tell = (what, run) =>
    parent.postMessage({ quark: what, ...run.dataset, text: run.textContent.slice(0, 300) }, "*");
  let last = null;
  addEventListener("mouseover", (event) => {
    const run = runOf(event);
    if (run && run !== last) {
      last = run;
      over(run.dataset.qkBlock);
      tell("over", run);
    }
  });
  addEventListener("click", (event) => {
    event.preventDefault();
    const run = runOf(event);
    if (run) tell("click", run);
  }, true);
  for (const kind of ["auxclick", "submit", "dragstart"])
    addEventListener(kind, (event) => event.preventDefault(), true);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    parent.postMessage({ quark: "key", key: event.key }, "*");
  });
  const all = (block) => document.querySelectorAll(`qk-run[data-qk-block="${Number(block)}"]`);
  function over(block) {
    for (const run of document.querySelectorAll(".qk-over")) run.classList.remove("qk-over");
    if (block !== undefined) for (const run of all(block)) run.classList.add("qk-over");
  }
  /** Where a character of a run is that has so many before it that are no white space. */
  function placeOf(run, count) {
    const walker = document.createTreeWalker(run, NodeFilter.SHOW_TEXT);
    let last = null, left = count;
    while (walker.nextNode()) {
      last = walker.currentNode;
      let offset = 0;
      for (const char of last.data) {
        if (!/[ \t\n\f\r]/.test(char)) {
          if (!left) return [last, offset];
          left -= 1;
        }
        offset += char.length;
      }
    }
    return last && [last, last.data.length];
  }
  /** Colors the hits, each of one or more pieces of runs, and shows the one whose turn it is. */
  function mark(hits, at) {
    const runs = new Map([...document.querySelectorAll("qk-run[data-qk-run]")].map((run) => [run.dataset.qkRun, run]));
    const ranges = hits.map((pieces) => pieces.flatMap(({ run, start, end }) => {
      const element = runs.get(String(run));
      const from = element && placeOf(element, start), last = element && placeOf(element, end - 1);
      if (!from || !last) return [];
      const range = document.createRange();
      range.setStart(...from);
      range.setEnd(last[0], Math.min(last[0].data.length, last[1] + String.fromCodePoint(last[0].data.codePointAt(last[1]) ?? 0).length));
      return [range];
    }));
    CSS.highlights?.set("qk-hits", new Highlight(...ranges.flat()));
    CSS.highlights?.set("qk-hit", new Highlight(...(ranges[at] ?? [])));
    if (CSS.highlights) CSS.highlights.get("qk-hit").priority = 1;
    const shown = ranges[at]?.[0]?.getBoundingClientRect();
    if (shown) scrollBy(0, shown.top - innerHeight / 2);
    parent.postMessage({ quark: "marked" }, "*");
  }
  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    const { choose, fills, position, isStill, hits, at } = event.data;
    if (choose !== undefined || position !== undefined) {
      for (const run of document.querySelectorAll(".qk-chosen")) run.classList.remove("qk-chosen");
      const wanted = position === undefined ? [...all(choose)]
        : [...document.querySelectorAll("qk-run")].filter((run) => run.dataset.qkPosition === position);
      for (const run of wanted) run.classList.add("qk-chosen");
      if (wanted[0] && !isStill) { // not scrollIntoView: it would move the view outside, too
        const box = wanted[0].getBoundingClientRect();
        scrollBy(0, box.top - Math.max(0, innerHeight - box.height) / 2);
      }
    }
    if (hits) mark(hits, at);
    if (fills) for (const run of document.querySelectorAll("qk-run[data-qk-block]")) {
      const fill = fills[run.dataset.qkBlock];
      if (fill) run.dataset.qkFill = fill;
    }
  });
  addEventListener("DOMContentLoaded", () => parent.postMessage({ quark: "ready" }, "*"));
})();
