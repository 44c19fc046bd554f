// One template: click a text to name its position, see what the template reads from its pages.
import { api, asked, askedNumber, attempt, byId, long, make, mayWrite, remember, showIn, steps, t, table, whenTold } from "./app.js";

const root = byId("template");
const id = root.dataset.id;
const frame = byId("frame");
const form = byId("name");

if (frame) whenTold(frame, ({ quark, qkPosition, text }) => {
  if (quark === "click" && qkPosition !== undefined) pick(qkPosition, text);
});

let labels = Object.fromEntries([...document.querySelectorAll("[data-name]")].map((one) => [one.dataset.name, one.dataset.at])); // positions by name

/** A position to be named: with the name that it has, never with that of another. */
function pick(position, text = "") {
  form.elements.position.value = position;
  form.elements.name.value = Object.keys(labels).find((name) => labels[name] === position) ?? "";
  byId("text-there").textContent = text;
  frame?.contentWindow.postMessage({ position, isStill: true }, "*");
  form.elements.name.focus();
  form.elements.name.select(); // what is typed takes the place of a name that is there
}

/** Files of the fields can be taken once all pages were read with the names of now. */
function offer(isReady) {
  for (const link of document.querySelectorAll("#export [data-form]")) {
    if (isReady) { link.removeAttribute("aria-disabled"); link.href = `/api/templates/${id}/fields/${link.dataset.form}`; }
    else { link.setAttribute("aria-disabled", "true"); link.removeAttribute("href"); }
  }
}

const give = attempt(async (name, position) => {
  offer(false);
  try {
    const found = await api(`/api/templates/${id}/labels`, { method: "PUT", body: { name, position } });
    form.reset();
    byId("text-there").textContent = "";
    showFields(found.fields);
    if (frame) showIn(frame, frame.src);
  } finally {
    await grid(0);
  }
});

function showFields(fields) {
  labels = fields;
  byId("fields").replaceChildren(...Object.entries(fields).map(([name, position]) => make("li", {}, make("b", {}, name), " ", make("code", {}, position), " ",
    make("button", { type: "button", class: "small", "data-name": name, on: { click: () => give(name, "") } }, t("unname")))));
}

for (const button of document.querySelectorAll("[data-name]")) {
  button.disabled = !mayWrite;
  button.addEventListener("click", () => give(button.dataset.name, ""));
}
for (const button of document.querySelectorAll("[data-position]")) button.addEventListener("click", () => {
  pick(button.dataset.position, button.closest("tr").querySelector(".samples").textContent.trim());
  form.scrollIntoView({ block: "center" });
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  give(form.elements.name.value.trim(), form.elements.position.value.trim());
});

/** All pages of the template: how full each field is, how many values it has, and what it says on each page. */
let turn = 0;
const sort = asked().get("sort") === "outliers" ? "outliers" : "stored";
async function grid(start) {
  const mine = ++turn;
  const found = await api(`/api/templates/${id}/grid?start=${start}&sort=${sort}`);
  if (mine !== turn) return; // another part, or another name, was asked for
  const head = (field) => make("th", { scope: "col", "data-field": field.name }, field.name,
    make("small", {}, t("filled", { n: field.n_filled, all: found.n_rows }), make("br"), t("distinct", { n: field.n_distinct })));
  const hasFields = found.fields.length > 0;
  const rows = found.rows.map((row) => make("tr", {}, make("td", {}, make("a", { class: "page", href: `/page/${row.id}` }, row.title || long(row.url)), make("span", { class: "url" }, row.url.replace(/^https?:\/\//, ""))),
    make("td", { class: "n" }, row.similarity.toFixed(3)), hasFields ? make("td", { class: "unusual" }, row.unusual.map((one) => make("span", { class: "tag" }, t(`unusual.${one.what}`, { f: one.field })))) : null, found.fields.map(({ name }) => make("td", { lang: "zh" }, make("div", { class: "clip" }, (row.fields[name] ?? ["–"]).join(" · "))))));
  byId("grid-state").textContent = found.failure || t(found.is_done ? "grid.done" : "grid.reading", { n: found.n_rows, seen: found.n_looked_at, all: found.n_pages });
  byId("patterns").replaceChildren(...found.patterns.map(({ pattern, n }) => make("li", {}, make("code", {}, long(pattern)), " ", make("small", {}, t("pattern.pages", { n })))));
  byId("grid").replaceChildren(
    make("div", { class: "scroll", tabindex: 0 }, table([make("th", { scope: "col" }, t("column.page")), make("th", { class: "n", scope: "col" }, t("column.similarity")), hasFields ? make("th", { scope: "col" }, t("column.unusual"), make("small", {}, t("unusual", { n: found.n_unusual }))) : null, ...found.fields.map(head)], rows)),
    make("p", { class: "pager" }, steps(found.previous, found.next, (to) => { remember({ row: to || "" }, { isStep: true }); return grid(to); },
      t("rows", { a: rows.length ? start + 1 : 0, b: start + rows.length, n: found.n_rows }))));
  offer(found.is_done && found.fields.length > 0);
  if (!found.is_done && !found.failure) setTimeout(() => { if (mine === turn) attempt(grid)(start); }, 700);
}
addEventListener("popstate", () => attempt(grid)(askedNumber("row", 0)));
attempt(grid)(askedNumber("row", 0));
