// A crawl as it goes: asked once a second; rates are differences of what was said before.
import { api, attempt, bars, byId, draw, lang, make, number, reason, t, table } from "./app.js";

const seen = []; // [time in s, stored, ended]
const KEPT = 180;

function rate(column) {
  if (seen.length < 2) return null;
  const [first, last] = [seen[Math.max(0, seen.length - 11)], seen.at(-1)];
  return (last[column] - first[column]) / Math.max(0.001, last[0] - first[0]);
}

function plot() {
  const points = seen.slice(1).map((one, place) => Math.max(0, (one[2] - seen[place][2]) / Math.max(0.001, one[0] - seen[place][0])));
  const most = Math.max(1, ...points);
  const x = (place) => 40 + (place * 410) / (KEPT - 1), y = (value) => 96 - (value * 84) / most;
  const line = points.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const label = (value, at) => draw("text", { class: "tick", x: 34, y: at + 4, "text-anchor": "end" }, value);
  const svg = draw("svg", { class: "plot", viewBox: "0 0 460 110", role: "img", "aria-label": t("rate") },
    draw("line", { class: "axis", x1: 40, x2: 450, y1: 96, y2: 96 }), draw("line", { class: "axis", x1: 40, x2: 450, y1: 12, y2: 12 }),
    label("0", 96), label(most.toFixed(most < 10 ? 1 : 0), 12));
  if (points.length > 1) svg.append(draw("polyline", { class: "run", points: line }));
  byId("rate").replaceChildren(svg, make("p", { class: "hint" }, t("rate")));
}

function listed(head, rows) {
  return table(head.map(([name, isNumber]) => make("th", { class: isNumber ? "n" : "" }, t(`column.${name}`))),
    rows.map((row) => make("tr", {}, row.map((value, place) => make("td", { class: head[place][1] ? "n" : "" }, typeof value === "number" ? number(value) : value ?? "–")))));
}

/** Counts by reason code as rows of a bar list, the most frequent first. */
const reasons = (counts) => Object.entries(counts).sort((a, b) => b[1] - a[1]).map(([code, n]) => [code, n, reason(code)]);

function show(found) {
  byId("state").textContent = t(`state.${found.state}`);
  for (const button of document.querySelectorAll("[data-state]")) button.setAttribute("aria-pressed", button.dataset.state === found.state);
  const ended = Object.values(found.ended).reduce((all, n) => all + n, 0);
  seen.push([Date.now() / 1000, found.stored, ended]);
  if (seen.length > KEPT) seen.shift();
  const perSecond = found.pages_per_s ?? rate(1);
  const figures = [["stored", number(found.stored)], ["rate.stored", perSecond === null ? "–" : perSecond.toFixed(1)], ["pending", number(found.pending)], ["leased", number(found.leased)],
    ["hosts_open", `${number(found.hosts_open)} / ${number(found.hosts)}`], ["dropped", number(found.dropped)]];
  byId("figures").replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, t(`figure.${name}`)), make("dd", { "data-figure": name }, value))));
  byId("funnel").replaceChildren(...bars([[t("figure.seen"), found.seen], [t("figure.ended"), ended], [t("figure.stored"), found.stored]], found.seen));
  byId("ended").replaceChildren(...bars(reasons(found.ended)));
  byId("retried-card").hidden = !Object.keys(found.retried).length;
  byId("retried").replaceChildren(...bars(reasons(found.retried)));
  plot();
  byId("workers-part").hidden = !found.workers.length;
  byId("workers").replaceChildren(listed([["worker"], ["alive"], ["pages", true], ["pages_per_s", true], ["leases", true]],
    found.workers.map((one) => [one.worker, t(one.alive ? "yes" : "no"), one.pages, one.pages_per_s, one.leases])));
  byId("hosts").replaceChildren(listed([["host"], ["pending", true], ["leased", true], ["stored", true], ["failures", true], ["delay_s", true], ["closed"]],
    found.hosts_listed.map((one) => [one.host, one.pending, one.leased, one.stored, one.failures, one.delay_s, one.closed ?? ""])));
  byId("when").textContent = new Date().toLocaleTimeString(lang);
}

const look = attempt(async () => show(await api("/api/campaign?hosts=30")));
for (const button of document.querySelectorAll("[data-state]")) button.addEventListener("click", attempt(async () => {
  await api("/api/campaign/state", { method: "PUT", body: { state: button.dataset.state } });
  await look();
}));
async function go() {
  if (!document.hidden) await look();
  setTimeout(go, 1000);
}
go();
