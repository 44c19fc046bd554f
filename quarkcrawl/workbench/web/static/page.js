// One page, taken apart: frames beside each other, facts of the block under the mouse, results.
import { api, asked, askedNumber, attempt, byId, long, make, matched, named, number, onKeys, remember, restore, showIn, showParts, steps, t, table, untilRead, whenTold } from "./app.js";
import { showCompared } from "./compare.js";
import { findIn } from "./find.js";
import { showLinks } from "./links.js";

const root = byId("page");
const id = root.dataset.id;
const frame = byId("blocks");
const known = new Map(); // facts of blocks, by number
for (const name of ["method", "model", "colours", "first", "second"]) restore(byId(name), name);
let nBlocks = 0, nParts = 1, chosen = askedNumber("block", -1), part = askedNumber("part", 0), wanted = 0;

const method = () => byId("method").value;
const model = () => document.querySelector('#model input:checked').value;
const view = () => document.querySelector('#colours input:checked').value;
let options = asked().get("options") ?? ""; // settings that are not the method's own, as TOML
const reading = (more = {}) => new URLSearchParams({ method: method(), ...(options ? { options } : {}), ...more });
const ask = (what, more = {}) => api(`/api/pages/${id}/${what}?${reading({ model: model(), ...more })}`);

/** A large page is read before anything about it is asked for. */
const ready = async (name) => { if (root.dataset.large) await untilRead(id, name, model(), name === method() ? options : ""); };

function showFrame(n = 0) {
  part = n;
  showIn(frame, `/frames/${id}/${view()}?${reading({ model: model(), part })}`);
  showParts(byId("parts"), part, nParts, showFrame);
  write();
}

/** The view as a link: what is at its first value is left out. */
function write() {
  const start = (name, value, first) => [name, value === first ? "" : value];
  const tab = openTab().id.slice(4);
  remember(Object.fromEntries([
    start("method", method(), "default"), start("model", model(), "page"), start("colours", view(), "content"), start("tab", tab, "text"),
    start("first", tab === "compare" ? byId("first").value : "default", "default"), start("second", tab === "compare" ? byId("second").value : "quark", "quark"),
    start("block", chosen, -1), start("part", part, 0), ["options", options]]));
}

async function showFacts() {
  const found = await ask("summary");
  nBlocks = found.n_blocks;
  if (chosen >= nBlocks) chosen = -1;
  nParts = found.n_parts;
  if (part < nParts) showParts(byId("parts"), part, nParts, showFrame);
  else showFrame(0);
  if (found.title) byId("headline").textContent = found.title;
  const rows = [
    ["published", found.published], ["source", found.source], ["author", found.author],
    ["site_name", found.site_name], ["language", named("language", found.language)],
    ["page_type", `${named("page_type", found.page_type)} (${found.page_type_probability.toFixed(2)})`],
    ["topic", t(found.is_topic ? "topic.yes" : "topic.no", { p: found.topic_probability.toFixed(3) })],
    ["encoding", found.encoding], ["bytes", number(found.body_bytes)], ["blocks", number(found.n_blocks)],
    ["content", number(found.chars.content)], ["posts", found.chars.post ? number(found.chars.post) : ""], ["comments", found.chars.comment ? number(found.chars.comment) : ""],
    ["headline", found.chars.headline ? number(found.chars.headline) : ""], ["byline", found.chars.date + found.chars.byline ? number(found.chars.date + found.chars.byline) : ""],
    ["related", number(found.chars.rel_link)], ["noise", number(found.chars.noise)],
    ["failure", found.failure], ["large", found.is_large ? t("large") : ""],
  ];
  byId("facts").replaceChildren(...rows.filter((row) => row[1]).map(([name, value]) =>
    make("div", {}, make("dt", {}, t(`fact.${name}`)), make("dd", {}, value))));
}

/** What a block is, and what stands in it that has a kind of its own. */
const kinds = (block) => block.kinds.flatMap((kind) => [make("span", { class: `chip kind-${kind}` }, t(`kind.${kind}`)), " "]);

const ROLES = ["headline", "date", "byline"];
function rolesOf(block) {
  const roles = block.kinds.filter((kind) => ROLES.includes(kind)).map((role) => t(`kind.${role}`));
  return roles.length ? [make("p", { class: "why" }, t("why.role", { r: roles.join(", ") }))] : [];
}

/** What somebody may say of a block; what that would change on the site is shown before it counts. */
const teaching = (block, facts) => root.dataset.taught && facts.n_chars ? [make("p", { class: "toolbar teach" }, ["content", "noise"].map((kind) =>
  make("a", { class: "button", href: `/teach?${new URLSearchParams({ page: id, block, kind, method: method() })}` }, t(`teach.is.${kind}`))))] : [];

const FEATURES = ["custom_tag", "noise_word", "punctuation_density", "punctuation", "long_text", "many_links", "anchor_ratio"];

async function factsOf(block) {
  if (!known.has(block)) {
    const start = Math.max(0, block - 10);
    const before = reading({ model: model() }).toString();
    const found = await ask("blocks", { start, count: 40 });
    if (before === reading({ model: model() }).toString()) for (const one of found.blocks) known.set(one.number, one);
  }
  return known.get(block);
}

const showBlock = attempt(async (block) => {
  wanted = block;
  const facts = await factsOf(block);
  if (!facts || wanted !== block) return;
  const rows = [
    ["class", `${facts.tag_class} (${facts.tag})`], ["path", facts.path],
    ["chars", t("chars", { n: facts.n_chars, a: facts.n_anchor_chars, l: facts.n_links })],
    ["posterior", facts.posterior.toFixed(4)], ["similarity", facts.similarity.toFixed(3)],
    ["probability", facts.probability?.toFixed(3)], ["taken", `${(100 * facts.taken).toFixed(0)} %`],
  ];
  byId("facts-of-block").replaceChildren(
    make("h2", {}, t("block", { n: block }), " ", kinds(facts)),
    ...rolesOf(facts),
    make("p", { class: "why" }, t(`why.${facts.why}`, { p: facts.posterior.toFixed(3), s: facts.similarity.toFixed(3), l: facts.probability?.toFixed(2) })),
    make("dl", {}, rows.filter((row) => row[1] !== undefined).flatMap(([name, value]) => [make("dt", {}, t(`fact.${name}`)), make("dd", {}, value)])),
    make("p", {}, FEATURES.map((name) => make("span", { class: `feature ${facts.features.includes(name) ? "has" : ""}`, title: t(`feature.${name}.why`) }, t(`feature.${name}`)))),
    make("p", { class: "hint", lang: "zh" }, facts.text),
    ...teaching(block, facts));
});

function choose(block, isStill = false) {
  if (!(block >= 0 && block < nBlocks)) return;
  chosen = block;
  frame.contentWindow.postMessage({ choose: block, isStill }, "*");
  showBlock(block);
  write();
}

whenTold(frame, ({ quark, key, qkBlock }) => {
  const block = Number(qkBlock);
  if (quark === "over" && Number.isInteger(block)) showBlock(block);
  if (quark === "click" && Number.isInteger(block)) choose(block, true);
  if (quark === "key") onKey(key);
  if (quark === "ready" && chosen >= 0) frame.contentWindow.postMessage({ choose: chosen }, "*");
});
function onKey(key) {
  if (key === "j") choose(chosen + 1);
  else if (key === "k") choose(Math.max(0, chosen - 1));
  else return false;
  return true;
}
onKeys(onKey);
byId("before").addEventListener("click", () => onKey("k"));
byId("after").addEventListener("click", () => onKey("j"));

let comparison = 0; // answers may overtake each other; only that to the last question is shown
// Sheets below the frames; each asks when it is opened, and again when the method changes.
const sheets = {
  async text(sheet) {
    const found = await ask("text");
    const links = found.related_links.length ? [make("h2", {}, t("related")), make("ul", { class: "plain" },
      found.related_links.map((one) => make("li", {}, one.text || long(one.url), make("span", { class: "url" }, long(one.url)))))] : [];
    sheet.replaceChildren(make("div", {}, found.text || t("nothing")), ...links);
    if (found.is_cut) sheet.append(make("p", { class: "hint" }, t("cut")));
  },
  async items(sheet) {
    const found = await api(`/api/pages/${id}/items?${reading()}`);
    const count = make("p", { class: "hint" }, t("items", { n: found.n_items }));
    sheet.replaceChildren(count, ...found.items.map(itemOf));
  },
  async source(sheet) { await showSource(sheet, -1); },
  async compare() {
    const mine = ++comparison;
    const query = reading({ first: byId("first").value, second: byId("second").value, model: model() });
    const ours = [...byId("method").options].map((one) => one.value);
    for (const name of ["first", "second"]) await ready(ours.includes(byId(name).value) ? byId(name).value : "default");
    const found = await api(`/api/pages/${id}/compare?${query}`);
    if (mine !== comparison) return;
    showCompared(byId("compared"), byId("next-difference"), found, ...["first", "second"].map((name) => byId(name).selectedOptions[0].text));
  },
  async table(sheet) { await showTable(sheet, 0); },
  async template(sheet) {
    const found = await api(`/api/pages/${id}/template`);
    if (!found.n_templates) { sheet.replaceChildren(make("p", { class: "none" }, t("template.none"))); return; }
    const [head, fields] = matched(found);
    const made = make("dl", { class: "facts-list", id: "made-by" }, Object.entries(found.made_by).map(([name, value]) => make("div", {}, make("dt", {}, t(`made.${name}`)), make("dd", {}, value))));
    sheet.replaceChildren(head, made, Object.keys(found.fields).length ? fields : make("p", { class: "hint" }, t("template.unlabelled")));
  },
  async links(sheet) { await showLinks(sheet, id); },
  async history() {},
};

function itemOf(item) {
  if (item.kind === "paragraph") return make(item.heading ? "h3" : "p", { class: "item", lang: "zh" }, item.text);
  if (item.kind === "table") return make("div", { class: "item" }, item.caption ? make("p", {}, item.caption) : null,
    make("div", { class: "scroll" }, table([], item.rows.map((row) => make("tr", {}, row.map((cell) =>
      make(cell.is_header ? "th" : "td", { rowspan: cell.row_span, colspan: cell.col_span }, cell.text)))))));
  const size = item.width_px ? ` ${item.width_px} × ${item.height_px ?? "?"}` : "";
  return make("div", { class: "item picture" }, t("picture"), size, make("span", { class: "url" }, long(item.src)), item.caption || item.alt || "");
}

const WINDOW = 20000;
async function showSource(sheet, start) {
  let found = await ask("source", { start: Math.max(0, start), count: WINDOW });
  if (start < 0 && found.first_span > WINDOW / 2) found = await ask("source", { start: found.first_span - 500, count: WINDOW });
  const box = make("div", { class: "source", tabindex: 0 });
  let done = found.start;
  for (const [from, to] of found.spans) {
    box.append(found.text.slice(done - found.start, from - found.start), make("mark", {}, found.text.slice(from - found.start, to - found.start)));
    done = to;
  }
  box.append(found.text.slice(done - found.start));
  const end = found.start + found.text.length;
  const [back, on] = [found.start ? Math.max(0, found.start - WINDOW) : null, end < found.n_chars ? end : null];
  sheet.replaceChildren(make("p", { class: "hint" }, t("source", { a: found.start, b: end, n: found.n_chars, s: found.n_spans })), box,
    make("p", { class: "pager" }, steps(back, on, (to) => showSource(sheet, to))));
  box.querySelector("mark")?.scrollIntoView({ block: "nearest" });
}

async function showTable(sheet, start) {
  const found = await ask("blocks", { start, count: 50 });
  const head = ["number", "kind", "path", "chars", "posterior", "similarity", "text"];
  const rows = found.blocks.map((one) => make("tr", {},
    make("td", {}, make("button", { type: "button", class: "small", on: { click: () => { choose(one.number); frame.scrollIntoView({ block: "center" }); } } }, String(one.number))),
    make("td", {}, kinds(one)), make("td", { class: "address" }, one.path),
    make("td", { class: "n" }, number(one.n_chars)), make("td", { class: "n" }, one.posterior.toFixed(3)),
    make("td", { class: "n" }, one.similarity.toFixed(3)), make("td", { lang: "zh" }, one.text.slice(0, 60))));
  const [back, on] = [start ? Math.max(0, start - 50) : null, start + 50 < found.n_blocks ? start + 50 : null];
  const where = t("rows", { a: found.n_blocks ? start + 1 : 0, b: start + rows.length, n: found.n_blocks });
  sheet.replaceChildren(make("div", { class: "scroll" }, table(head.map((name) => make("th", {}, t(`column.${name}`))), rows)),
    make("p", { class: "pager" }, steps(back, on, (to) => showTable(sheet, to), where)));
}

const tabs = [...root.querySelectorAll('[role="tab"]')];
const openTab = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
const fill = attempt(async () => {
  const name = openTab().id.slice(4);
  const sheet = byId(`sheet-${name}`);
  sheet.setAttribute("aria-busy", "true");
  try { await sheets[name](sheet); } catch (error) {
    (name === "compare" ? byId("compared") : sheet).replaceChildren(make("p", { class: "none" }, error.message));
  } finally { sheet.removeAttribute("aria-busy"); }
});
function open(tab) {
  show(tab);
  write();
  fill();
}
function show(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", one === tab);
    one.tabIndex = one === tab ? 0 : -1;
    byId(one.getAttribute("aria-controls")).hidden = one !== tab;
  }
}
show(tabs.find((tab) => tab.id === `tab-${asked().get("tab")}`) ?? tabs[0]);
for (const [place, tab] of tabs.entries()) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    next.focus();
    open(next);
  });
}

/** The page cannot be read: why stands where its facts would, and what needs no page is still there. */
async function gone(error) {
  byId("facts").replaceChildren(make("div", {}, make("dt", {}, t("gone")), make("dd", { id: "gone" }, make("span", { role: "alert" }, error.message))));
  showPanes((await fetch(`/frames/${id}/original`, { method: "HEAD" }).catch(() => ({}))).ok); // a method may fail alone
}
function showPanes(may) {
  for (const part of root.querySelectorAll(".panes, .steps")) part.hidden = !may;
}

const again = async () => {
  known.clear();
  try {
    await ready(method());
    if (!byId("original").src) byId("original").src = `/frames/${id}/original`;
    const linked = part; // of an address: shown once it is known that there is such a part
    if (!linked) showFrame(0);
    fill();
    await showFacts();
    if (linked && part === linked) showFrame(part);
    showPanes(true);
    choose(chosen);
  } catch (error) { await gone(error); }
};
findIn({ id, frame, shownPart: () => part, showPart: showFrame });

/** Settings of the method that can be changed, and what the address has changed of them. */
let own = "";
const showOptions = attempt(async () => {
  const found = (await api("/api/methods")).methods.find((one) => one.name === method());
  own = found?.options ?? "";
  byId("method-options").hidden = !own;
  byId("options-changed").hidden = !options;
  byId("options").value = options ? merged(own, options) : own;
  if (options) byId("method-options").open = true;
});
/** Lines by their table: "[blocks]" of what stands below it. */
const tablesOf = (text) => text.split("\n").reduce((found, line) => {
  if (/^\[\w+\]\s*$/.test(line)) found.push([line.trim(), []]);
  else if (line.trim()) found.at(-1)[1].push(line);
  return found;
}, [["", []]]);
const written = (tables) => tables.filter(([head, lines]) => lines.length).map(([head, lines]) => [head, ...lines].filter(Boolean).join("\n")).join("\n\n");
const changed = (text) => {
  const before = new Map(tablesOf(own));
  return written(tablesOf(text).map(([head, lines]) => [head, lines.filter((line) => !before.get(head)?.includes(line))]));
};
const nameOf = (line) => line.split("=")[0].trim();
function merged(base, more) {
  const given = new Map(tablesOf(more));
  const tables = tablesOf(base).map(([head, lines]) => {
    const others = given.get(head) ?? [];
    given.delete(head);
    return [head, [...lines.filter((line) => !others.some((one) => nameOf(one) === nameOf(line))), ...others]];
  });
  return written([...tables, ...given]) + "\n";
}
const setOptions = (text) => {
  options = text;
  byId("options-changed").hidden = !options;
  write();
  again();
};
byId("apply-options").addEventListener("click", () => setOptions(changed(byId("options").value)));
byId("reset-options").addEventListener("click", () => { byId("options").value = own; setOptions(""); });
byId("method").addEventListener("change", () => { options = ""; showOptions(); });
showOptions();
for (const name of ["method", "model"]) byId(name).addEventListener("change", again);
byId("colours").addEventListener("change", () => showFrame(part));
for (const name of ["first", "second"]) byId(name).addEventListener("change", () => { write(); fill(); });
again();
