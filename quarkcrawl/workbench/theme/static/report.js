// A report that was saved or sent: search the sample, look at its pages. It asks nobody for anything.
const data = JSON.parse(document.getElementById("sample").textContent);
const byId = (name) => document.getElementById(name);
const { pages, sheets, words } = data;
const searched = pages.map((page) => [page.title, page.url, page.text].join("\n").toLowerCase());
const STEP = 10;
let shown = STEP;
let opened = -1;

const say = (key, values = {}) => (words[key] ?? key)
  .replace(/\{(\w+)\|([^|{}]*)\|([^|{}]*)\}/g, (_, name, one, more) => String(values[name]) === "1" ? one : more)
  .replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The words that are looked for. */
const asked = () => byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);

/** A piece of a text around the first word, with all words marked. */
function snippet(text, wanted) {
  const place = wanted.length ? text.toLowerCase().indexOf(wanted[0]) : 0;
  const start = Math.max(0, place - 40);
  const piece = text.slice(start, start + 160);
  const line = make("p", { class: "snippet" }, start ? "…" : "");
  const lower = piece.toLowerCase();
  let at = 0;
  while (at < piece.length) {
    let [next, length] = [piece.length, 0];
    for (const word of wanted) {
      const found = lower.indexOf(word, at);
      if (found >= 0 && found < next) [next, length] = [found, word.length];
    }
    line.append(piece.slice(at, next));
    if (length) line.append(make("mark", {}, piece.slice(next, next + length)));
    at = next + Math.max(length, 1);
  }
  return line;
}

function list() {
  const wanted = asked();
  const hits = pages.map((_, number) => number).filter((number) => wanted.every((word) => searched[number].includes(word)));
  byId("hits").textContent = say("hits", { n: hits.length, all: pages.length });
  byId("pages").replaceChildren(...hits.slice(0, shown).map((number) => {
    const page = pages[number];
    const link = make("a", { class: "page", href: `#page=${number}` }, page.title || page.url);
    if (number === opened) link.setAttribute("aria-current", "true");
    return make("li", {}, make("div", { class: "result-title" }, link), make("span", { class: "url" }, page.url), snippet(page.text, wanted));
  }));
  byId("more").hidden = hits.length <= shown;
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function show() {
  const page = pages[opened];
  byId("viewer").hidden = !page;
  if (!page) return;
  byId("headline").textContent = page.title || page.url;
  byId("address").textContent = page.url;
  byId("chars").textContent = say("chars", { n: page.chars });
  const way = document.querySelector("input[name=way]:checked").value;
  const isText = way === "text" || page.copy === null;
  byId("why").textContent = page.copy === null ? say(`why.${page.why}`) : "";
  byId("legend").hidden = way !== "kinds" || isText;
  byId("text").hidden = !isText;
  byId("frame").hidden = isText;
  byId("text").textContent = page.text;
  if (isText) return;
  const number = opened;
  const [first, last] = await Promise.all(page.copy.map(unpacked));
  if (number !== opened) return;
  byId("frame").title = page.title || page.url;
  byId("frame").srcdoc = first + sheets[way] + last;
}

/** What stands behind # in the address: a page, words. */
function follow() {
  const query = new URLSearchParams(location.hash.slice(1));
  const number = query.get("page") === null ? -1 : Number(query.get("page"));
  const before = opened;
  opened = Number.isInteger(number) && number < pages.length ? number : -1;
  if (query.get("q") !== null) byId("find").value = query.get("q");
  list();
  show().then(() => { if (opened >= 0 && opened !== before) byId("viewer").focus(); });
}

byId("search").addEventListener("submit", (event) => { event.preventDefault(); });
byId("find").addEventListener("input", () => { shown = STEP; list(); });
byId("more").addEventListener("click", () => { shown += STEP; list(); });
byId("close").addEventListener("click", () => { location.hash = ""; byId("find").focus(); });
for (const one of document.querySelectorAll("input[name=way]")) one.addEventListener("change", show);
addEventListener("hashchange", follow);
byId("interactive").hidden = false;
follow();
