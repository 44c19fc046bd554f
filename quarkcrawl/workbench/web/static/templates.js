// The list of templates: match a URL, have templates found.
import { api, attempt, make, t } from "./app.js";

const byId = (name) => document.getElementById(name);

byId("match").addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  const found = await api("/api/templates/match", { method: "POST", body: { url: event.target.url.value } });
  const name = found.template || found.nearest;
  const head = found.template ? t("template.is", { s: found.similarity.toFixed(3) }) : name ? t("template.near", { s: found.nearest_similarity.toFixed(3) }) : t("template.none");
  const rows = Object.entries(found.fields).map(([field, values]) => make("tr", {}, make("th", { scope: "row" }, field), make("td", {}, values.join(" · "))));
  byId("matched").replaceChildren(make("p", {}, head, " ", name ? make("a", { href: `/templates/${name}` }, name) : ""), make("table", {}, make("tbody", {}, rows)),
    make("p", {}, make("a", { href: `/page/${found.id}` }, t("look"))));
}));

const form = byId("train");
async function follow() {
  const found = await api("/api/templates/training");
  byId("training").textContent = `${t(`training.${found.state}`)} ${found.detail}`;
  if (found.state === "running") setTimeout(attempt(follow), 1000);
  else if (found.state === "done") location.reload();
}
form?.addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  await api("/api/templates/train", { method: "POST" });
  await follow();
}));
if (form?.dataset.state === "running") attempt(follow)();
