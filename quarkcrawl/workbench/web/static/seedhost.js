// Keeping a host whatever a step says, and taking that back.
import { api, attempt, byId } from "./app.js";

const host = byId("keep")?.dataset.host;
byId("keepform")?.addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  await api("/api/seeds/kept", { method: "PUT", body: { host, note: byId("keepform").note.value } });
  location.reload();
}));
byId("unkeep")?.addEventListener("click", attempt(async () => {
  await api(`/api/seeds/kept?${new URLSearchParams({ host })}`, { method: "DELETE" });
  location.reload();
}));
