// The form of a campaign: a new one, or the files of one that is there.
import { api, attempt, byId, make, mayWrite, t } from "./app.js";

const form = byId("form");
const name = form.dataset.name;
let version = form.dataset.version;

function fail(error) {
  byId("problem").textContent = error?.message ?? "";
  byId("problem").hidden = !error;
  if (error) byId("problem").scrollIntoView({ block: "nearest" });
}

/** The settings that have fields of their own, and then the others, a line each. */
function settings() {
  const own = ["levels", "delay_s", "max_host_pages", "contact"].map((key) => [key, form.elements[key].value.trim()]);
  return [...own.filter(([, value]) => value).map(([key, value]) => `${key} = ${value}`), form.elements.settings.value].join("\n");
}

const texts = () => name
  ? { name, seeds: form.elements.seeds.value, toml: form.elements.toml.value }
  : { name: form.elements.name.value.trim(), seeds: form.elements.seeds.value, toml: form.elements.toml.value.trim(),
      settings: settings(), dataset: form.elements.with_dataset.checked };

async function check() {
  const found = await api("/api/campaigns/check", { method: "POST", body: texts() });
  byId("checked").replaceChildren(make("p", {}, t("check.seeds", { n: found.seeds })), make("pre", { class: "command", tabindex: 0 }, found.commands.join("\n")),
    ...(name ? [] : [make("pre", { class: "command", tabindex: 0 }, found.toml)]));
}

async function save(then) {
  if (name) {
    const body = { toml: form.elements.toml.value, seeds: form.elements.seeds.value, version };
    version = (await api(`/api/campaigns/${name}/files`, { method: "PUT", body })).version;
    location.assign(`/campaigns/${name}`);
    return;
  }
  const made = await api("/api/campaigns", { method: "POST", body: texts() });
  if (then === "start") await attempt(api)(`/api/campaigns/${made.name}/state`, { method: "PUT", body: { state: "started" } });
  location.assign(`/campaigns/${made.name}`);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!mayWrite) return;
  const buttons = form.querySelectorAll("button");
  const then = event.submitter?.dataset.then ?? "";
  for (const button of buttons) button.disabled = true;
  try {
    fail(null);
    byId("checked").replaceChildren();
    await (then === "check" ? check() : save(then));
  } catch (error) {
    fail(error);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});
