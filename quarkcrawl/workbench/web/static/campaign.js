// A crawl as it goes: asked once a second. Rates are means over some seconds: what is stored is
// committed in groups, and workers report once a second.
import { api, bars, byId, draw, lang, make, mayWrite, number, reason, say, steps, t, table } from "./app.js";
import { seedForm } from "./addseeds.js";
import { fill, showLog, showSteps, size, span } from "./jobs.js";

const root = byId("campaign");
const base = root.dataset.api;
const isLocal = root.dataset.local !== ""; // it is started and stopped here
const hasCorpus = root.dataset.corpus === "yes";
const seen = []; // [time in s, pages stored, URLs that ended], as of the start of this view
const KEPT_S = 180, MEAN_S = 15, LEAST_S = 3, HOSTS = 30, PATIENCE_MS = 8000;
const before = new Map(); // what each worker had done when it was asked last
let first = Math.max(0, Number(new URLSearchParams(location.search).get("start")) || 0);
let heardAt = null;

const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString(lang);
function when(seconds) {
  const at = new Date(seconds * 1000);
  return at.toDateString() === new Date().toDateString() ? time(seconds) : at.toLocaleString(lang);
}

/** How far the crawl is: by what its workers report; a crawl that reports nothing, by its commits. */
function progress(found, ended) {
  if (!found.workers.some((one) => one.alive)) return [found.stored, ended];
  const sums = seen.length ? seen.at(-1).slice(1) : [0, 0];
  for (const one of found.workers) {
    const name = `${one.worker} ${one.pid}`, last = before.get(name) ?? [one.pages, one.endings];
    sums[0] += Math.max(0, one.pages - last[0]);
    sums[1] += Math.max(0, one.endings - last[1]);
    before.set(name, [one.pages, one.endings]);
  }
  return sums;
}

/** Mean rate over the seconds before a moment; null if too few are known. */
function rate(column, place = seen.length - 1) {
  if (place < 0) return null;
  let from = place;
  while (from > 0 && seen[place][0] - seen[from - 1][0] <= MEAN_S) from -= 1;
  const passed = seen[place][0] - seen[from][0];
  return passed < LEAST_S ? null : Math.max(0, seen[place][column] - seen[from][column]) / passed;
}

function plot() {
  const points = seen.map((one, place) => [one[0] - seen.at(-1)[0], rate(2, place)]).filter((one) => one[1] !== null);
  const most = Math.max(1, ...points.map((one) => one[1]));
  const x = (ago) => 450 + (ago * 410) / KEPT_S, y = (value) => 96 - (value * 84) / most;
  const line = points.map(([ago, value]) => `${x(ago).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const label = (value, at) => draw("text", { class: "tick", x: 34, y: at + 4, "text-anchor": "end" }, value);
  const svg = draw("svg", { class: "plot", viewBox: "0 0 460 110", role: "img", "aria-label": t("rate", { n: MEAN_S }) },
    draw("line", { class: "axis", x1: 40, x2: 450, y1: 96, y2: 96 }), draw("line", { class: "axis", x1: 40, x2: 450, y1: 12, y2: 12 }),
    label("0", 96), label(most.toFixed(most < 10 ? 1 : 0), 12));
  if (points.length > 1) svg.append(draw("polyline", { class: "run", points: line }));
  byId("rate").replaceChildren(svg, make("p", { class: "hint" }, t("rate", { n: MEAN_S })));
}

function listed(head, rows) {
  const cell = (value) => typeof value === "number" ? number(value) : value ?? "–";
  return table(head.map(([name, isNumber]) => make("th", { class: isNumber ? "n" : "" }, t(`column.${name}`))),
    rows.map((row) => make("tr", {}, row.map((value, place) => make("td", { class: head[place][1] ? "n" : "" }, cell(value))))));
}

/** Where those are listed that did not end as drops. */
const TABLES = { stored: ["/pages"], changed: ["/pages"], duplicate: ["/copies"], redirect: [null], unchanged: [null] };
const query = (path, values = {}) => hasCorpus && path ? `${path}?${new URLSearchParams(values)}` : null;
const link = (text, href) => href ? make("a", { href }, text) : text;
/** Counts by reason code as rows of a bar list, the most frequent first. */
const reasons = (counts, leads = false) => Object.entries(counts).sort((a, b) => b[1] - a[1])
  .map(([code, n]) => [code, n, reason(code), leads ? query(...(TABLES[code] ?? ["/drops", { reason: code }])) : null]);

/** What the crawl does, in words. */
function state(found) {
  const at = found.heard_at === null ? "–" : when(found.heard_at);
  const words = [t(`state.${found.state}`, { n: found.left, at })];
  if (found.state !== found.order && found.order !== "running") words.push(t(`order.${found.order}`));
  byId("state").textContent = words.join(" · ");
  byId("state").dataset.is = found.state;
  byId("heard").textContent = ["finished", "stopped"].includes(found.state) && found.heard_at !== null ? ` · ${t("heard", { at })}` : "";
}

/** What somebody should look at, as the server derives it from what is stored. */
function showAlerts(found) {
  const rows = (found.alerts ?? []).filter((one) => one.kind !== "failed").map((one) => {
    const values = { ...one, at: one.at ? when(one.at) : "–", share: `${(100 * (one.share ?? 0)).toFixed(1)}%`, size: size(one.free_bytes ?? 0), reason: one.reason ? reason(one.reason) ?? one.reason : "",
      hosts: Array.isArray(one.hosts) ? one.hosts.map((of) => `${of.host} (${reason(of.reason) ?? of.reason})`).join(", ") : "" };
    return make("li", { "data-alert": one.kind }, t(`alert.${one.kind}`, values));
  });
  fill(byId("alerts"), rows);
  byId("alerts").hidden = !rows.length;
}

const STARTS_S = 60; // so long a process may take until its crawl reports
/** The process of a campaign that is started here. */
function showJob(job) {
  showSteps(job.steps);
  byId("crawl").hidden = job.crawl === null;
  const failure = job.crawl?.failure || job.error;
  byId("failure").textContent = failure;
  byId("failure").hidden = !failure;
  const isCrawling = job.steps.find((one) => one.name === "crawl")?.state === "running";
  const isAtWork = ["running", "paused", "draining"].includes(job.crawl?.state);
  const isNew = job.is_running && isCrawling && !isAtWork && Date.now() / 1000 - job.started_at < STARTS_S;
  if (job.crawl === null || isNew) {
    byId("state").textContent = t(job.is_running ? "job.starts" : job.started_at ? "job.ended" : "job.new");
    byId("state").dataset.is = job.is_running ? "starting" : job.started_at ? "stopped" : "new";
    byId("heard").textContent = "";
  }
  const enabled = { started: !job.is_running, stopped: job.is_running, paused: isAtWork && job.crawl.order !== "paused",
    running: isAtWork && job.crawl.order !== "running", draining: isAtWork && job.crawl.order !== "draining" };
  for (const button of document.querySelectorAll("[data-state]")) button.disabled = !mayWrite || !enabled[button.dataset.state];
}

function showHosts(found) {
  const rows = found.hosts_listed.map((one) => [link(one.host, query("/pages", { host: one.host })), one.pending, one.leased, one.stored, one.failures, one.delay_s, one.closed ?? ""]);
  byId("hosts").replaceChildren(listed([["host"], ["pending", true], ["leased", true], ["stored", true], ["failures", true], ["delay_s", true], ["closed"]], rows));
  const go = async (to) => {
    first = to;
    history.replaceState(null, "", first ? `?start=${first}` : location.pathname);
    await look();
  };
  const [back, on] = [first ? Math.max(0, first - HOSTS) : null, first + HOSTS < found.hosts ? first + HOSTS : null];
  const focused = document.activeElement?.dataset?.step;
  byId("host-pages").hidden = back === null && on === null;
  byId("host-pages").replaceChildren(...steps(back, on, go, t("rows", { a: Math.min(first + 1, found.hosts), b: first + rows.length, n: found.hosts })).filter((one) => one));
  for (const [place, button] of byId("host-pages").querySelectorAll("button").entries()) {
    button.dataset.step = place;
    button.setAttribute("aria-label", t(place ? "hosts.on" : "hosts.back"));
    if (focused === String(place)) button.focus();
  }
}

function show(found) {
  state(found);
  showAlerts(found);
  byId("failure").textContent = found.failure ?? "";
  byId("failure").hidden = !found.failure;
  for (const button of document.querySelectorAll("[data-state]")) button.setAttribute("aria-pressed", button.dataset.state === found.order);
  const ended = Object.values(found.ended).reduce((all, n) => all + n, 0);
  const isAtWork = found.workers.some((one) => one.alive);
  // As of the newest report: how long the answer took says nothing of the crawl.
  const told = found.workers.filter((one) => one.alive && one.seen_at).map((one) => one.seen_at);
  const last = seen.at(-1)?.[0] ?? 0, at = Math.max(last, ...(told.length ? told : [Date.now() / 1000]));
  const sample = [at, ...progress(found, ended)];
  if (at === last) seen.pop(); // no report since
  seen.push(sample);
  while (at - seen[0][0] > KEPT_S) seen.shift();
  const perSecond = (value) => value === null || !isAtWork ? "–" : value.toFixed(1);
  const figures = [["stored", number(found.stored), query("/pages")], ["rate.now", perSecond(rate(1))], ["rate.mean", perSecond(found.pages_per_s)],
    ["eta", found.eta_s === null ? "–" : t("eta.least", { span: span(found.eta_s) })], ["pending", number(found.pending)], ["leased", number(found.leased)],
    ["hosts_open", `${number(found.hosts_open)} / ${number(found.hosts)}`], ["dropped", number(found.dropped)]];
  byId("figures").replaceChildren(...figures.map(([name, value, href]) => make("div", {}, make("dt", {}, t(`figure.${name}`)), make("dd", { "data-figure": name }, link(value, href)))));
  const slowest = found.slowest_host;
  byId("eta").textContent = found.eta_s === null || !slowest ? "" : t("eta", { host: slowest.host, span: span(slowest.takes_s) });
  byId("funnel").replaceChildren(...bars([[t("figure.seen"), found.seen], [t("figure.ended"), ended], [t("figure.stored"), found.stored]], found.seen));
  byId("ended").replaceChildren(...bars(reasons(found.ended, true)));
  byId("retried-card").hidden = !Object.keys(found.retried).length;
  byId("retried").replaceChildren(...bars(reasons(found.retried)));
  plot();
  byId("workers-part").hidden = !found.workers.length;
  byId("workers").replaceChildren(listed([["worker"], ["alive"], ["pages", true], ["pages_per_s", true], ["leases", true]],
    found.workers.map((one) => [one.worker || "–", one.alive ? t("yes") : t("silent", { at: one.seen_at === null ? "–" : when(one.seen_at) }), one.pages, one.pages_per_s, one.leases])));
  showHosts(found);
  heardAt = Date.now() / 1000;
  byId("when").textContent = t("asof", { at: time(heardAt) });
}

/** The server does not answer, or cannot read the frontier: what is shown is of then, and gray. */
function lost(error) {
  root.classList.toggle("lost", error !== null);
  byId("contact").hidden = error === null;
  if (error === null) return;
  const isAnswer = error.name === "Error"; // what the server said; anything else came on the way to it
  const at = heardAt === null ? "–" : time(heardAt);
  byId("contact").textContent = isAnswer ? t("unreadable", { why: error.message, at }) : t("lost", { at });
}

async function look() {
  try {
    const found = await api(`${base}?hosts=${HOSTS}&start=${first}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const crawl = isLocal ? found.crawl : found;
    if (crawl) show(crawl);
    if (isLocal) {
      showJob(found);
      await showLog(`${base}/log`);
    }
    lost(null);
  } catch (error) {
    lost(error);
  }
}
for (const button of document.querySelectorAll("[data-state]")) button.addEventListener("click", async () => {
  try {
    await api(`${base}/state`, { method: "PUT", body: { state: button.dataset.state } });
  } catch (error) {
    say(error.message);
  }
  await look();
});
seedForm(base, look);
async function go() {
  if (!document.hidden) await look();
  setTimeout(go, 1000);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
go();
