// The list of templates: match a URL, have templates found.
import { api, attempt, byId, make, matched, t } from "./app.js";

byId("match").addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  const found = await api("/api/templates/match", { method: "POST", body: { url: event.target.url.value } });
  byId("matched").replaceChildren(...matched(found), make("p", {}, make("a", { href: `/page/${found.id}` }, t("look"))));
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
