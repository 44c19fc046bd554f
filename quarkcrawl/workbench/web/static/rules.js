// The accepted rules: each can be taken back.
import { api, attempt, mayWrite, say, t } from "./app.js";

for (const button of document.querySelectorAll("[data-undo]")) {
  button.disabled = !mayWrite;
  button.addEventListener("click", attempt(async () => {
    await api(`/api/rules/${button.dataset.undo}`, { method: "DELETE" });
    button.closest("tr").remove();
    say(t("teach.undone"));
  }));
}
