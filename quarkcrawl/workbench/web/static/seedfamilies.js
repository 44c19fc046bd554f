// What a person decides about proposed spam families.
import { api, attempt, byId, mayWrite, t } from "./app.js";

for (const button of document.querySelectorAll("#families button")) {
  const row = button.closest("tr");
  if (!mayWrite) { button.disabled = true; button.title = t("readonly"); }
  button.addEventListener("click", attempt(async () => {
    const { word } = button.dataset;
    await api("/api/seeds/decisions", { method: "PUT", body: { domain: row.dataset.domain, decision: word } });
    for (const one of row.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === button));
    byId("changed").hidden = false;
  }));
}
