// Progress of marking: scores of the methods against the marks, agreement, samples.
import { api, attempt, byId, make, number, remember, restore, t, table } from "./app.js";

const LISTS = { "score-marker": "marker", "agree-first": "first", "agree-second": "second" };
for (const [name, word] of Object.entries(LISTS)) if (byId(name)) {
  restore(byId(name), word);
  byId(name).addEventListener("change", () => remember({ [word]: byId(name).value }));
}

const showScores = attempt(async () => {
  const marker = byId("score-marker")?.value;
  if (!marker) return;
  const found = await api(`/api/marking/${marker}/scores`);
  if (byId("score-marker").value !== marker) return;
  const cell = (value) => make("td", { class: "n" }, value === null ? "–" : value.toFixed(3));
  byId("score-table").replaceChildren(table(["method", "pages", "precision", "recall", "f1"].map((name, place) => make("th", { class: place ? "n" : "" }, t(`column.${name}`))),
    found.methods.map((one) => make("tr", { "data-method": one.method }, make("th", { scope: "row" }, t(`method.${one.method}`)), make("td", { class: "n" }, number(one.n_scored)), cell(one.precision), cell(one.recall), cell(one.f1)))),
    ...found.methods.filter((one) => one.own.n_scored).map((one) =>
      make("p", { class: "hint", "data-own": one.method }, t("own", { m: t(`method.${one.method}`), n: one.own.n_scored, f: one.own.f1.toFixed(3) }))));
  if (found.methods.some((one) => one.n_waiting + one.own.n_waiting)) setTimeout(showScores, 50);
});

const showAgreement = attempt(async () => {
  if (!byId("agree-first")) return;
  const chosen = () => `${new URLSearchParams({ first: byId("agree-first").value, second: byId("agree-second").value })}`;
  const query = chosen();
  const found = await api(`/api/marking/agreement?${query}`);
  if (chosen() !== query) return;
  byId("agree-table").replaceChildren(
    make("p", {}, t("agreement", { p: found.n_pages, c: found.n_chars })),
    make("p", {}, make("b", { id: "kappa" }, found.kappa.toFixed(3)), " ", t("kappa"), " · ", make("b", {}, `${(100 * found.agreement).toFixed(1)} %`), " ", t("same")),
    table([], found.pairs.slice(0, 9).map((one) => make("tr", {},
      make("td", {}, make("span", { class: `chip kind-${one.first}` }, t(`kind.${one.first}`))), make("td", {}, make("span", { class: `chip kind-${one.second}` }, t(`kind.${one.second}`))), make("td", { class: "n" }, number(one.chars))))));
});

byId("score-marker")?.addEventListener("change", showScores);
for (const name of ["agree-first", "agree-second"]) byId(name)?.addEventListener("change", showAgreement);
byId("draw").addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  const form = event.target;
  await api("/api/marking/sample", { method: "POST", body: { size: Number(form.size.value), seed: Number(form.seed.value), topic: form.topic.checked } });
  location.reload();
}));
showScores();
showAgreement();
