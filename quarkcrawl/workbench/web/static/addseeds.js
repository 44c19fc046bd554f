// Seeds for a crawl that runs, is paused or was stopped.
import { api, byId, lang, mayWrite, reason, t } from "./app.js";

/** What became of them, in words; a crawl on servers does not tell all of it. */
function told(found) {
  const refused = Object.entries(found.refused ?? {});
  const known = found.offered - found.new - refused.reduce((all, [, n]) => all + n, 0);
  return [t("seeds.added", { n: found.offered, a: found.new }),
    known > 0 ? t("seeds.known", { n: known }) : "", found.duplicates ? t("seeds.duplicates", { n: found.duplicates }) : "",
    found.tried_again ? t("seeds.tried_again", { n: found.tried_again }) : "",
    ...refused.map(([code, n]) => t("seeds.refused", { n, reason: reason(code) ?? code })),
    "refused" in found ? t("seeds.when") : ""].filter((one) => one).join(lang.startsWith("zh") ? "" : " ");
}

/** Sends the form to a campaign; `done` is called when it was taken. */
export function seedForm(base, done) {
  const form = byId("add-seeds"), button = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!mayWrite) return;
    button.disabled = true;
    byId("added").textContent = "";
    byId("refused").hidden = true;
    try {
      const found = await api(`${base}/seeds`, { method: "POST", body: { seeds: form.elements.seeds.value } });
      byId("added").textContent = told(found);
      form.elements.seeds.value = "";
      await done();
    } catch (error) {
      byId("refused").textContent = error.message;
      byId("refused").hidden = false;
    } finally {
      button.disabled = false;
    }
  });
}
