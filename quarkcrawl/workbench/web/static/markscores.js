// Scores of the methods against marks, as tables: means with 95 % intervals, and how these shrank.
import { draw, make, number, t, table } from "./app.js";

const three = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
const cell = (value) => make("td", { class: "n" }, value);
const head = (names) => names.map((name, place) => make("th", { class: place ? "n" : "", scope: "col" }, t(`column.${name}`)));
const methodName = (one) => t(`method.${one.method}`);
const width = (one) => one.high - one.low;

/** The intervals after so many pages: a band from low to high that narrows to the right. */
function band(history, label) {
  const most = Math.max(...history.map((one) => one.n_pages)), least = history[0].n_pages;
  const low = Math.min(...history.map((one) => one.low)), high = Math.max(...history.map((one) => one.high), low + 0.01);
  const x = (one) => (most > least ? (100 * (one.n_pages - least)) / (most - least) : 0).toFixed(1);
  const y = (value) => (26 - (24 * (value - low)) / (high - low)).toFixed(1);
  const upper = history.map((one) => `${x(one)},${y(one.high)}`), lower = history.map((one) => `${x(one)},${y(one.low)}`).reverse();
  return draw("svg", { class: "band", viewBox: "0 0 100 28", preserveAspectRatio: "none", role: "img", "aria-label": label },
    draw("polygon", { points: [...upper, ...lower].join(" ") }));
}

/** Means with intervals, what lies between the methods, how the intervals shrank. */
export function scoreTables(found) {
  const rows = found.methods.map((one) => make("tr", { "data-method": one.method },
    make("th", { scope: "row" }, methodName(one)), cell(number(one.n_scored)), cell(three(one.precision)), cell(three(one.recall)), cell(three(one.f1)),
    make("td", { class: "n interval" }, one.low === null ? "–" : `${three(one.low)}–${three(one.high)}`),
    make("td", { class: "n" }, one.behind && one.method !== found.best ? [`${three(one.behind.mean)} `, make("small", {}, t(one.behind.is_clear ? "clear" : "unclear"))] : "–")));
  const known = found.methods.filter((one) => one.history.length > 1);
  const drawn = found.methods.find((one) => one.drawn);
  return [
    make("div", { class: "scroll", tabindex: 0 }, table(head(["method", "pages", "precision", "recall", "f1", "interval", "behind"]), rows)),
    make("p", { class: "hint", "data-drawn": drawn?.drawn ?? "" }, drawn ? t(`drawn.${drawn.drawn}`, { n: drawn.n_drawn }) : t("drawn.none")),
    ...found.methods.filter((one) => one.own.n_scored).map((one) =>
      make("p", { class: "hint", "data-own": one.method }, t("own", { m: methodName(one), n: one.own.n_scored, f: one.own.f1.toFixed(3) }))),
    found.n_by_disagreement ? make("p", { class: "hint", "data-harder": found.n_by_disagreement }, t("harder", { n: found.n_by_disagreement })) : null,
    known.length ? make("h3", {}, t("shrinking")) : null,
    known.length ? make("ul", { class: "plain bands" }, known.map((one) => {
      const [first, last] = [one.history[0], one.history.at(-1)];
      const words = t("shrank", { m: methodName(one), a: first.n_pages, b: last.n_pages, x: width(first).toFixed(3), y: width(last).toFixed(3) });
      return make("li", { "data-band": one.method }, band(one.history, words), make("span", {}, words));
    })) : null,
    found.kinds.length ? make("h3", {}, t("kinds")) : null,
    found.kinds.length ? table(head(["kind", "marked", "found", "both", "f1"]), found.kinds.map((one) => make("tr", { "data-kind": one.kind },
      make("th", { scope: "row" }, make("span", { class: `chip kind-${one.kind}` }, t(`kind.${one.kind}`))), cell(number(one.marked)), cell(number(one.found)), cell(number(one.both)), cell(three(one.f1))))) : null,
  ].filter(Boolean);
}

/** How wide the intervals are by now, without telling which method is better: who marks need not know. */
export function widths(found) {
  const known = found.methods.filter((one) => one.low !== null);
  if (!known.length) return [make("p", { class: "hint" }, t("drawn.none"))];
  const [least, most] = [Math.min(...known.map(width)), Math.max(...known.map(width))];
  return [make("p", { "data-pages": found.n_pages }, t("widths", { n: found.n_pages, a: least.toFixed(3), b: most.toFixed(3) }))];
}
