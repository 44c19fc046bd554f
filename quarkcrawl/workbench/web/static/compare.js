/* Two methods side by side: what they share stands at one height and is folded, differences beside each other. */
import { make, t } from "./app.js";

const SHORT = 40; // a shorter piece that both have does not end a difference
const EDGE = 30; // of a longer one so much is shown at both ends

/** Rows of two cells: a piece that both have, or what only one or the other has. */
function rowsOf(stretches) {
  const rows = [];
  for (const { who, text } of stretches) {
    if (who === "common" && text.trim().length >= SHORT) { rows.push({ common: text }); continue; }
    if (!rows.length || rows.at(-1).common) rows.push({ first: [], second: [] });
    for (const side of who === "common" ? ["first", "second"] : [who]) rows.at(-1)[side].push({ who, text });
  }
  return rows;
}

function folded(text) {
  const chars = [...text.trim()];
  if (chars.length <= 4 * EDGE) return [text];
  return [chars.slice(0, EDGE).join(""), make("details", {}, make("summary", {}, t("compare.folded", { n: chars.length - 2 * EDGE })),
    chars.slice(EDGE, -EDGE).join("")), chars.slice(-EDGE).join("")];
}

const cell = (pieces) => make("section", { class: "card text", lang: "zh" }, pieces.map(({ who, text }) =>
  who === "common" ? text : make(who === "first" ? "del" : "ins", {}, text)));

/** Fills a place with a comparison; the button goes from difference to difference, round and round. */
export function showCompared(place, button, found, first, second) {
  const rows = rowsOf(found.stretches).map((row) =>
    row.common ? [make("section", { class: "card text same", lang: "zh" }, folded(row.common))] : [cell(row.first), cell(row.second)]);
  const differences = rows.filter((row) => row.length === 2);
  const said = make("span", { class: "hint", role: "status" });
  let at = -1;
  button.disabled = !differences.length;
  button.onclick = () => {
    for (const one of differences[at] ?? []) one.classList.remove("here");
    at = (at + 1) % differences.length;
    for (const one of differences[at]) one.classList.add("here");
    differences[at][0].scrollIntoView({ block: "center" });
    said.textContent = t("compare.difference", { n: at + 1, all: differences.length });
  };
  place.replaceChildren(
    make("p", { class: "hint" }, t("agree", { f: found.f1.toFixed(3), a: found.n_first, b: found.n_second, c: found.n_common }),
      found.is_cut ? ` ${t("compare.cut", { n: found.text_first.length })}` : ""),
    make("ul", { class: "legend" }, make("li", {}, make("del", {}, t("only", { m: first }))), make("li", {}, make("ins", {}, t("only", { m: second })))),
    make("p", {}, said),
    make("div", { class: "columns aligned" }, rows.flat()));
}
