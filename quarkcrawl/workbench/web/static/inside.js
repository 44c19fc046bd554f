// Runs beside frame.js where a page is marked: shows what is marked inside of blocks, tells what the mouse selects, and
// steps through the text of a block piece by piece for the keyboard. Places are counted in characters of a text run.
(() => {
  const BOUNDARY = /[。！？；，、：!?;|·\n\u3000\u00a0]+\s*|[,.:](?!\d)\s+|[,:](?!\d)|\s{2,}/g;
  const tell = (values) => parent.postMessage({ quark: "picked", ...values }, "*");
  const runs = (filter = "") => [...document.querySelectorAll(`qk-run[data-qk-run]${filter}`)];
  const cut = (run) => Number(run.dataset.qkCut ?? 0);

  /** A place inside of a run's text: the node and the offset there, in units of JavaScript, of a number of characters. */
  function place(run, n) {
    let left = n;
    const walker = document.createTreeWalker(run, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode(), last = node;
    for (; node; node = walker.nextNode()) {
      last = node;
      const chars = [...node.data];
      if (left <= chars.length) return [node, chars.slice(0, left).join("").length];
      left -= chars.length;
    }
    return last ? [last, last.data.length] : null;
  }
  function rangeOf(run, start, end) {
    const [a, b] = [place(run, start), place(run, end)];
    if (!a || !b) return null;
    const range = document.createRange();
    range.setStart(...a);
    range.setEnd(...b);
    return range;
  }

  /** Colors of passages; they are painted, the document stays as it is. */
  let byRun = null;
  function paint(passages) {
    if (!globalThis.CSS?.highlights || document.readyState === "loading") return; // the view paints again when it is ready
    for (const name of [...CSS.highlights.keys()]) if (name !== "qk-picked") CSS.highlights.delete(name);
    byRun ??= new Map(runs().map((run) => [Number(run.dataset.qkRun), run]));
    const ranges = {};
    for (const { run, start, end, kind } of passages) {
      const element = byRun.get(run);
      const range = element && rangeOf(element, Math.max(0, start - cut(element)), Math.max(0, end - cut(element)));
      if (range) (ranges[kind] ??= []).push(range);
    }
    for (const [kind, some] of Object.entries(ranges)) CSS.highlights.set(`qk-${kind}`, new Highlight(...some));
  }

  /** What the mouse selected, a stretch a run. */
  function selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return [];
    const range = selection.getRangeAt(0);
    return runs().filter((run) => range.intersectsNode(run)).map((run) => {
      const upto = (node, offset) => {
        const before = document.createRange();
        before.selectNodeContents(run);
        before.setEnd(node, offset);
        return [...before.toString()].length;
      };
      const n = [...run.textContent].length;
      const start = run.contains(range.startContainer) ? upto(range.startContainer, range.startOffset) : 0;
      const end = run.contains(range.endContainer) ? upto(range.endContainer, range.endOffset) : n;
      return span(run, start, end);
    }).filter(({ start, end }) => start < end);
  }
  const span = (run, start, end) => ({ run: Number(run.dataset.qkRun), block: Number(run.dataset.qkBlock), start: start + cut(run), end: end + cut(run) });

  // Browsers begin no selection in a link; here it means nothing else, so we do.
  let downAt = null, from = null, isSelecting = false;
  function caret({ clientX, clientY }) {
    const place = document.caretPositionFromPoint?.(clientX, clientY);
    if (place) return [place.offsetNode, place.offset];
    const range = document.caretRangeFromPoint?.(clientX, clientY);
    return range ? [range.startContainer, range.startOffset] : null;
  }
  function extend(event) {
    const to = from && caret(event);
    if (to) getSelection().setBaseAndExtent(...from, ...to);
  }
  addEventListener("mousedown", (event) => {
    downAt = [event.clientX, event.clientY];
    from = event.target instanceof Element && event.target.closest("a") ? caret(event) : null;
    isSelecting = false;
  }, true);
  addEventListener("mousemove", (event) => { if (event.buttons & 1) extend(event); }, true);
  addEventListener("mouseup", (event) => {
    extend(event);
    from = null;
    const isFar = downAt && Math.hypot(event.clientX - downAt[0], event.clientY - downAt[1]) > 4;
    const spans = isFar ? selected() : [];
    isSelecting = spans.length > 0;
    if (!isSelecting) return;
    getSelection().removeAllRanges();
    tell({ spans, isByMouse: true });
  }, true);
  addEventListener("click", (event) => {
    if (!isSelecting) return;
    isSelecting = false; // it ended a selection and means no block
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // Inside of one block: all its characters in a row, and the stretch from a to b that is picked.
  let inside = [], edges = [], a = 0, b = 0;
  function enter(block) {
    inside = [];
    let n = 0;
    for (const run of runs(`[data-qk-block="${Number(block)}"]`)) {
      const text = [...run.textContent];
      if (text.some((char) => char.trim())) inside.push({ run, first: n, text });
      n = inside.length ? inside.at(-1).first + inside.at(-1).text.length : 0;
    }
    const ends = new Set();
    for (const { first, text } of inside) {
      const whole = text.join("");
      for (const match of whole.matchAll(BOUNDARY)) ends.add(first + [...whole.slice(0, match.index + match[0].length)].length);
      ends.add(first + text.length);
    }
    const all = inside.flatMap(({ text }) => text);
    edges = [0];
    for (const end of [...ends].sort((x, y) => x - y)) if (all.slice(edges.at(-1), end).some((char) => char.trim())) edges.push(end);
    if (edges.length > 1) edges[edges.length - 1] = n; // white space at the end belongs to the last piece
    [a, b] = [0, edges[1] ?? 0];
  }
  const total = () => edges.at(-1) ?? 0;
  const next = (n) => edges.find((edge) => edge > n) ?? total();
  const before = (n) => edges.findLast((edge) => edge < n) ?? 0;
  const STEPS = {
    on: () => { if (b < total()) [a, b] = [b, next(b)]; },
    back: () => { if (a > 0) [a, b] = [before(a), a]; },
    more: () => { b = next(b); },
    less: () => { b = Math.max(before(b), next(a) < b ? next(a) : a + 1); },
    endOn: () => { b = Math.min(total(), b + 1); },
    endBack: () => { b = Math.max(a + 1, b - 1); },
    startOn: () => { a = Math.min(b - 1, a + 1); },
    startBack: () => { a = Math.max(0, a - 1); },
  };
  function show(takes) {
    globalThis.CSS?.highlights?.delete("qk-picked");
    const spans = [], ranges = [];
    let words = "";
    for (const { run, first, text } of inside) {
      const [start, end] = [Math.max(0, a - first), Math.min(text.length, b - first)];
      if (start >= end) continue;
      spans.push(span(run, start, end));
      ranges.push(rangeOf(run, start, end));
      words += text.slice(start, end).join("");
    }
    const shown = ranges.filter(Boolean);
    if (shown.length && globalThis.CSS?.highlights) {
      const highlight = new Highlight(...shown);
      highlight.priority = 9;
      CSS.highlights.set("qk-picked", highlight);
    }
    if (shown.length) {
      const box = shown[0].getBoundingClientRect();
      if (box.top < 0 || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 2);
    }
    tell({ spans, text: words.trim().slice(0, 300), isByMouse: false, takes });
  }

  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    parent.postMessage({ quark: "key", key: key === "y" || event.shiftKey ? "redo" : "undo" }, "*");
  });
  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    const { passages, enters, step, takes } = event.data;
    if (passages) paint(passages);
    if (enters !== undefined) {
      if (enters < 0) {
        [inside, edges] = [[], []];
        globalThis.CSS?.highlights?.delete("qk-picked");
      } else { enter(enters); show(); }
    }
    if (takes) show(takes); // what is picked when the key arrives, however fast somebody types
    if (step && inside.length && STEPS[step]) { STEPS[step](); show(); }
  });
})();
