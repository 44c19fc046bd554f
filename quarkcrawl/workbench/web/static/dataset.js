// A data set while it is made, and then what is in it.
import { api, bars, byId, make, mayWrite, number, say, t } from "./app.js";
import { fill, showLog, showSteps, size, span } from "./jobs.js";

const base = `/api/datasets/${byId("dataset").dataset.name}`;

function showResult(found) {
  byId("result").hidden = !found.report;
  if (!found.report) return;
  const { report } = found;
  const documents = Object.values(report.documents).reduce((all, n) => all + n, 0);
  const figures = [["documents", number(documents)], ["chars", number(report.chars)], ["pages", number(report.pages)], ["masked", number(report.masked)],
    ["removed_chars", number(report.removed_chars)], ...(report.tokens === null ? [] : [["tokens", number(report.tokens)]]),
    ...(Object.keys(report.documents).length > 1 ? Object.entries(report.documents).map(([split, n]) => [`split.${split}`, number(n)]) : [])];
  fill(byId("figures"), figures.map(([name, value]) => make("div", {}, make("dt", {}, t(`dataset.${name}`)), make("dd", { "data-figure": name }, value))));
  fill(byId("left-out"), bars(Object.entries(report.left_out).map(([reason, n]) => [reason, n, t(`rule.${reason}`) === `rule.${reason}` ? null : t(`rule.${reason}`)]), report.pages));
  fill(byId("files"), found.files.map((one) => make("li", {}, make("code", {}, one.path), " ", make("span", { class: "hint" }, size(one.bytes)))));
  byId("card").textContent = found.card;
}

async function look() {
  const found = await api(base);
  byId("state").textContent = t(`job.${found.state}`);
  byId("state").dataset.is = found.state;
  byId("path").textContent = found.path;
  byId("problem").textContent = found.error;
  byId("problem").hidden = !found.error;
  const isRunning = found.state === "running";
  const words = [];
  if (isRunning) words.push(t("dataset.runs", { n: found.steps.filter((one) => one.state === "done").length, all: found.steps.length }));
  if (isRunning && found.started_at) words.push(span(Math.max(0, Date.now() / 1000 - found.started_at)));
  if (found.labelled !== null) words.push(t("dataset.labelled", { n: found.labelled }));
  byId("progress").textContent = words.join(" · ");
  document.querySelector("[data-state=stopped]").disabled = !mayWrite || !isRunning;
  document.querySelector("[data-state=started]").disabled = !mayWrite || isRunning || found.state === "done";
  showSteps(found.steps);
  showResult(found);
  await showLog(`${base}/log`);
  return isRunning;
}

async function follow() {
  let isRunning = true;
  try {
    isRunning = await look();
  } catch (error) {
    say(error.message);
  }
  if (isRunning) setTimeout(follow, 1000);
}
for (const button of document.querySelectorAll("[data-state]")) button.addEventListener("click", async () => {
  try {
    await api(`${base}/state`, { method: "PUT", body: { state: button.dataset.state } });
  } catch (error) {
    say(error.message);
  }
  follow();
});
follow();
