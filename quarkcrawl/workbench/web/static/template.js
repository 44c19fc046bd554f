// One template: click a text to name its position, see what the template reads from its pages.
import { api, attempt, byId, long, make, mayWrite, steps, t, table, whenTold } from "./app.js";

const root = byId("template");
const id = root.dataset.id;
const frame = byId("frame");
const form = byId("name");

if (frame) whenTold(frame, ({ quark, qkPosition, text }) => {
  if (quark === "click" && qkPosition !== undefined) pick(qkPosition, text);
});

function pick(position, text = "") {
  form.elements.position.value = position;
  byId("text-there").textContent = text;
  frame?.contentWindow.postMessage({ position }, "*");
  form.elements.name.focus();
}

const give = attempt(async (name, position) => {
  const found = await api(`/api/templates/${id}/labels`, { method: "PUT", body: { name, position } });
  showFields(found.fields);
  if (frame) frame.src = frame.src; // eslint-disable-line no-self-assign
  await preview(0);
});

function showFields(fields) {
  byId("fields").replaceChildren(...Object.entries(fields).map(([name, position]) => make("li", {}, make("b", {}, name), " ", make("code", {}, position), " ",
    make("button", { type: "button", class: "small", "data-name": name, on: { click: () => give(name, "") } }, t("unname")))));
}

for (const button of document.querySelectorAll("[data-name]")) {
  button.disabled = !mayWrite;
  button.addEventListener("click", () => give(button.dataset.name, ""));
}
for (const button of document.querySelectorAll("[data-position]")) button.addEventListener("click", () => {
  pick(button.dataset.position);
  form.scrollIntoView({ block: "center" });
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  give(form.elements.name.value.trim(), form.elements.position.value.trim());
});

async function preview(start) {
  const found = await api(`/api/templates/${id}/preview?start=${start}`);
  const names = [...new Set(found.rows.flatMap((row) => Object.keys(row.fields)))];
  const rows = found.rows.map((row) => make("tr", {}, make("td", {}, make("a", { class: "page", href: `/page/${row.id}` }, row.title || long(row.url)), make("span", { class: "url" }, long(row.url.replace(/^https?:\/\//, "")))),
    make("td", { class: "n" }, row.similarity.toFixed(3)), names.map((name) => make("td", { lang: "zh" }, (row.fields[name] ?? ["–"]).join(" · ")))));
  byId("preview").replaceChildren(
    make("p", { class: "hint" }, t("preview", { n: found.rows.length, all: found.n_looked_at })),
    make("div", { class: "scroll", tabindex: 0 }, table([make("th", {}, t("column.page")), make("th", { class: "n" }, t("column.similarity")), ...names.map((name) => make("th", {}, name))], rows)),
    make("p", { class: "pager" }, steps(found.previous, found.next, preview)));
}
attempt(preview)(0);
