// What the views of processes that were started here have in common: steps, log, lengths of time.
import { api, byId, make, mayWrite, number, t, table } from "./app.js";

/** A length of time in words. */
export function span(seconds) {
  if (seconds < 120) return t("span.s", { n: Math.round(seconds) });
  if (seconds < 7200) return t("span.min", { n: Math.round(seconds / 60) });
  return seconds < 172800 ? t("span.h", { n: (seconds / 3600).toFixed(1) }) : t("span.days", { n: (seconds / 86400).toFixed(1) });
}

/** A size as people read it, as the filter of this name writes it on the server. */
export function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let [value, place] = [bytes, 0];
  while (value >= 1024 && place < units.length - 1) [value, place] = [value / 1024, place + 1];
  return place ? `${value.toFixed(1)} ${units[place]}` : `${number(value)} B`;
}

/** Write into an element only if that says something new: who listens, or has marked text, is not disturbed. */
export function fill(element, children) {
  const made = make("div", {}, children);
  if (made.innerHTML !== element.innerHTML) element.replaceChildren(...made.childNodes);
}

const STEPS = ["step", "state", "seconds", "command"];
/** The steps of a campaign with what each is at. */
export const showSteps = (steps) => fill(byId("steps"), table(
  STEPS.map((name) => make("th", { scope: "col", class: name === "seconds" ? "n" : "" }, t(`column.${name}`))),
  steps.map((one) => make("tr", { "data-step": one.name, "data-is": one.state }, make("td", {}, one.name), make("td", {}, t(`step.${one.state}`)),
    make("td", { class: "n" }, one.elapsed_s === null ? "–" : span(one.elapsed_s)), make("td", {}, make("code", {}, one.command))))));

/** The last lines of a log, for whoever has the token; at its end unless somebody reads further up. */
export async function showLog(path) {
  const place = byId("log");
  if (!mayWrite) {
    place.textContent = t("log.private");
    return;
  }
  const text = (await api(path, { signal: AbortSignal.timeout(8000) })).lines.join("\n") || t("log.none");
  if (text === place.textContent) return;
  const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 24;
  place.textContent = text;
  if (isAtEnd) place.scrollTop = place.scrollHeight;
}
