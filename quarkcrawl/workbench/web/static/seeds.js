// The filter of a selection: its form, and the job while it runs.
import { api, byId, mayWrite, say, t } from "./app.js";
import { showLog, span } from "./jobs.js";

const base = "/api/seeds/filter";
const job = byId("job"), form = byId("form");

function fail(error) {
  byId("problem").textContent = error?.message ?? "";
  byId("problem").hidden = !error;
  if (error) byId("problem").scrollIntoView({ block: "nearest" });
}

async function look() {
  const found = await api(base);
  const isRunning = found.state === "running";
  job.hidden = found.state === "waiting";
  byId("state").textContent = t(`step.${found.state}`);
  byId("state").dataset.is = found.state;
  byId("progress").textContent = found.elapsed_s === null ? "" : span(found.elapsed_s);
  byId("failed").textContent = found.error;
  byId("failed").hidden = !found.error;
  byId("stop").disabled = !mayWrite || !isRunning;
  form.querySelector("button.main").disabled = !mayWrite || isRunning;
  if (found.state !== "waiting") await showLog(`${base}/log`);
  return found;
}

/** Until the job has ended; then the numbers above are those of another result, and are loaded. */
async function follow() {
  try {
    const found = await look();
    if (found.state !== "running") {
      if (found.version !== form.dataset.version) location.reload();
      return;
    }
  } catch (error) {
    say(error.message);
  }
  setTimeout(follow, 1000);
}

function asked() {
  const { elements } = form;
  const lists = elements.spam_list.value.split("\n").map((line) => line.trim()).filter((line) => line);
  return { min_pages: Number(elements.min_pages.value), aliases: elements.aliases.value, outliers: elements.outliers.value,
    drop_undecided: elements.drop_undecided.checked, unchecked: elements.unchecked.checked, spam_list: lists,
    skip: [...form.querySelectorAll("[name=step]")].filter((one) => !one.checked).map((one) => one.value),
    replaces: elements.replace?.checked ? form.dataset.version : "" };
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!mayWrite) return;
  const button = form.querySelector("button.main");
  button.disabled = true;
  try {
    fail(null);
    await api(base, { method: "POST", body: asked() });
    job.hidden = false;
    job.scrollIntoView({ block: "nearest" });
    follow();
  } catch (error) {
    fail(error);
    button.disabled = false;
  }
});
byId("stop")?.addEventListener("click", async () => {
  try {
    await api(`${base}/state`, { method: "PUT", body: { state: "stopped" } });
  } catch (error) {
    say(error.message);
  }
});

/** A link to the form opens it, also one on this page. */
function openForm() {
  if (location.hash === "#filter" && form) byId("filter").open = true;
}
window.addEventListener("hashchange", openForm);
openForm();
if (job && job.dataset.state !== "waiting") follow();
