// Progress of marking: what comes next, scores of the methods against the marks, agreement, samples.
import { api, asked, attempt, byId, make, mayWrite, number, onKeys, remember, restore, t, table } from "./app.js";
import { scoreTables } from "./markscores.js";

const LISTS = { "score-marker": "marker", "agree-first": "first", "agree-second": "second" };
const REFRESH_MS = 4000;
for (const [name, word] of Object.entries(LISTS)) if (byId(name)) {
  restore(byId(name), word);
  byId(name).addEventListener("change", () => remember({ [word]: byId(name).value }));
}

/** Scores as they are by now; they come anew while somebody marks in another window. */
let shown = "", turn = 0;
const showScores = attempt(async () => {
  const marker = byId("score-marker")?.value;
  if (!marker) return;
  const mine = ++turn;
  const found = document.hidden && shown ? null : await api(`/api/marking/${encodeURIComponent(marker)}/scores`);
  if (mine !== turn) return; // another marker was chosen
  const text = JSON.stringify([marker, found]);
  if (found && text !== shown) {
    shown = text;
    byId("score-table").replaceChildren(...scoreTables(found));
  }
  setTimeout(() => { if (mine === turn) showScores(); }, found?.methods.some((one) => one.n_waiting + one.own.n_waiting) ? 50 : REFRESH_MS);
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
      make("td", {}, make("span", { class: `chip kind-${one.first}` }, t(`kind.${one.first}`))), make("td", {}, make("span", { class: `chip kind-${one.second}` }, t(`kind.${one.second}`))), make("td", { class: "n" }, number(one.chars))))),
    table(["kind", "first", "second", "both", "f1"].map((name, place) => make("th", { class: place ? "n" : "", scope: "col" }, t(`column.${name}`))),
      found.kinds.map((one) => make("tr", { "data-agreed": one.kind }, make("th", { scope: "row" }, make("span", { class: `chip kind-${one.kind}` }, t(`kind.${one.kind}`))),
        ...[number(one.first), number(one.second), number(one.both), one.f1.toFixed(3)].map((value) => make("td", { class: "n" }, value))))));
});

const order = asked().get("order") === "disagreement" ? "disagreement" : "blind";
const peers = asked().get("peers") ?? "";
const ordered = new URLSearchParams(peers ? { order, peers } : { order });
const goOn = attempt(async () => {
  const marker = localStorage.getItem("quarkcrawl-marker") || "nobody";
  const found = await api(`/api/marking/${encodeURIComponent(marker)}/queue?${ordered}`);
  if (found.next) location.href = `/marking/${found.next}?${ordered}`;
  else byId("queue").textContent = t("queue.empty");
});
byId("go")?.addEventListener("click", goOn);
if (byId("go")) byId("go").disabled = false; // a press before this line would be lost
onKeys((key) => { if (key !== "n" || !byId("go")) return false; goOn(); return true; });

/** Compare the methods on the pages of the sample; the list is in order when all were compared. */
const compare = attempt(async () => {
  const found = await api(`/api/marking/disagreement?${new URLSearchParams({ peers })}`, { method: "POST" });
  byId("queue").textContent = t("queue.compared", { n: found.n_compared, all: found.n_pages });
  if (found.n_compared < found.n_pages) setTimeout(compare, 50);
  else location.reload();
});
if (byId("queue")?.dataset.left > 0 && order === "disagreement" && mayWrite) compare();

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
