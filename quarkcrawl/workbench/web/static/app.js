// What all views share: words, the API, small helpers, the switch between light and dark.
const catalogue = JSON.parse(document.getElementById("words").textContent);
const token = document.querySelector('meta[name="quarkcrawl-token"]')?.content ?? "";

export const mayWrite = token !== "";
export const lang = document.documentElement.lang;
export const byId = (name) => document.getElementById(name);
/** What a reason code means, see `Words.reason` of the server. */
export const reason = (code) => code.startsWith("http_") ? (catalogue["reason.http"] ?? "").replace("{status}", code.slice(5)) : catalogue[`reason.${code}`];

export function t(key, values = {}) {
  const text = catalogue[`js.${key}`] ?? key;
  return text
    .replace(/\{(\w+)\|([^|{}]*)\|([^|{}]*)\}/g, (_, name, one, more) => shown(values[name]) === "1" ? one : more)
    .replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

/** The word for a value of a column, or the value where there is none. */
export const named = (column, value) => catalogue[`${column}.${value}`] ?? value;

export function number(value) {
  return Number(value).toLocaleString(lang);
}

function shown(value) {
  return typeof value === "number" ? number(value) : String(value ?? "");
}

/** Makes elements with attributes and children; text is text, never HTML. */
const maker = (create) => (name, attributes = {}, ...children) => {
  const element = create(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [kind, handler] of Object.entries(value)) element.addEventListener(kind, handler);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};
export const make = maker((name) => document.createElement(name));
export const draw = maker((name) => document.createElementNS("http://www.w3.org/2000/svg", name));

/** A table: cells of its head, rows of its body. */
export const table = (head, rows) =>
  make("table", {}, head.length ? make("thead", {}, make("tr", {}, head)) : null, make("tbody", {}, rows));

/** A long address with its middle out of sight, as the filter of this name writes it on the server. */
export function long(text) {
  if (text.length <= 96) return text;
  const [head, middle, tail] = [text.slice(0, 64), text.slice(64, -32), text.slice(-32)];
  return make("span", { class: "long", title: text }, head, make("span", { class: "middle" }, middle), tail);
}

/** Which template a page has, or is near to, and what its names give. */
export function matched(found) {
  const name = found.template || found.nearest;
  const head = found.template ? t("template.is", { s: found.similarity.toFixed(3) }) : name ? t("template.near", { s: found.nearest_similarity.toFixed(3) }) : t("template.none");
  const fields = Object.entries(found.fields).map(([field, values]) => make("tr", {}, make("th", { scope: "row" }, field), make("td", {}, values.join(" · "))));
  return [make("p", {}, head, " ", name ? make("a", { href: `/templates/${name}` }, name) : ""), table([], fields)];
}

/** Rows of a bar list: [label, count, what it means, where it leads]. */
export function bars(rows, total) {
  const most = Math.max(1, ...rows.map((row) => row[1]));
  const sum = total ?? rows.reduce((all, row) => all + row[1], 0);
  if (!rows.length) return [make("li", { class: "none" }, t("nothing"))];
  return rows.map(([label, n, meaning, href]) => make("li", {},
    make(href ? "a" : "span", { title: label, href }, label),
    draw("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { width: (100 * n) / most, height: 8 })),
    make("b", {}, number(n)), make("i", {}, sum ? `${((100 * n) / sum).toFixed(1)}%` : ""),
    meaning ? make("small", {}, meaning) : null));
}

export async function api(path, { method = "GET", body, type, signal } = {}) {
  const headers = {};
  if (method !== "GET") headers["X-Quarkcrawl-Token"] = token;
  let data = body;
  if (body !== undefined && type === undefined) {
    headers["Content-Type"] = "application/json";
    data = JSON.stringify(body);
  } else if (type) headers["Content-Type"] = type;
  const asked = () => fetch(path, { method, headers, body: data, credentials: "same-origin", signal });
  let reply = await asked();
  while (reply.status === 503 && reply.headers.has("Retry-After")) { // something is being read
    await new Promise((go) => setTimeout(go, 500));
    reply = await asked();
  }
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.detail ?? found.title ?? reply.statusText);
  return found;
}

/** Wait until a large page has been read as far as a method needs it. */
export async function untilRead(id, method = "default", model = "page", options = "") {
  const query = new URLSearchParams({ method, model, options });
  while (!(await api(`/api/pages/${id}/reading?${query}`)).is_read) await new Promise((go) => setTimeout(go, 200));
}

let hush = 0;
export function say(text) {
  const said = byId("said");
  said.textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => { said.textContent = ""; }, 5000);
}

/** Run something that may fail, and tell why it did. */
export function attempt(work) {
  return async (...values) => {
    try {
      return await work(...values);
    } catch (error) {
      say(error.message);
      return undefined;
    }
  };
}

let isByMouse = false;
addEventListener("pointerdown", () => { isByMouse = true; }, true);
addEventListener("keydown", (event) => { if (event.key === "Tab") isByMouse = false; }, true);

/** Whether a key press belongs to a form field and not to us. Radios and boxes take no letters; a list takes them from
    who came to it by keyboard, not from who has just clicked on it. */
function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const field = event.target.closest("input, textarea, select");
  return field && (field.tagName === "SELECT" ? !isByMouse : !/^(radio|checkbox|button)$/.test(field.type));
}

/** Keys that do something in this view, wherever the focus is; `work` says whether it knew the key. */
export const onKeys = (work) => addEventListener("keydown", (event) => { if (!isTyping(event) && work(event.key)) event.preventDefault(); });

/** What the address says about the view; `remember` writes it. */
export const asked = () => new URLSearchParams(location.search);

/** The same of a number from 0 on. */
export function askedNumber(name, otherwise) {
  const value = Number(asked().get(name) ?? NaN);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
}

/** Write into the address what the view shows ("" and null: as it opens), so that a link to it opens it again. The step
    back still leads to the view before; with `isStep` it leads to what this view showed before. */
export function remember(values, { isStep = false } = {}) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values))
    if (value === "" || value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  if (url.href !== location.href) history[isStep ? "pushState" : "replaceState"](null, "", url);
  for (const link of document.querySelectorAll(".tools a[lang]")) {
    url.searchParams.set("lang", link.lang.slice(0, 2));
    link.href = url.search;
  }
}

/** Put a list, or the radios of a group, where the address says; without a word of it, where they begin. */
export function restore(control, name) {
  const value = asked().get(name);
  const choices = control.options ? [...control.options] : [...control.querySelectorAll("input")];
  const first = choices.find((one) => one.defaultSelected || one.defaultChecked) ?? choices[0];
  const chosen = choices.find((one) => one.value === value && !one.disabled) ?? first;
  if (chosen) chosen[control.options ? "selected" : "checked"] = true;
}

/** Show a document in a frame. It takes the place of the one before: setting `src` would be a step of its own for Back. */
export const showIn = (frame, path) => frame.contentWindow.location.replace(new URL(path, location.href));

/** What a frame of ours tells: which text is under the mouse, which was clicked, which key pressed. */
export const whenTold = (frame, work) => addEventListener("message", (event) => {
  if (event.source === frame.contentWindow && typeof event.data?.quark === "string") work(event.data);
});

/** Buttons for a step back and a step on; null where there is none. */
export function steps(back, on, go, where) {
  const step = (sign, to) => make("button", { type: "button", disabled: to === null, on: { click: attempt(() => go(to)) } }, sign);
  return [step("←", back), where ? make("span", { class: "where" }, where) : null, step("→", on)];
}

/** The parts of a large page. */
export function showParts(nav, part, count, go) {
  nav.hidden = count < 2;
  nav.replaceChildren(...steps(part ? part - 1 : null, part + 1 < count ? part + 1 : null, go, t("part", { n: part + 1, all: count })));
}

byId("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  document.cookie = `quarkcrawl_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
});
if (!mayWrite) {
  for (const button of document.querySelectorAll("form:not(.search) button, #save, [data-state]"))
    if (!button.matches("[role=tab]")) { button.disabled = true; button.title = t("readonly"); }
}

document.querySelector(".tabs:not(.inner) [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
