// Marking a page: a brush, blocks that take its colour, a gold page when it is saved.
import { api, askedNumber, attempt, byId, mayWrite, onKeys, remember, say, showIn, showParts, t, untilRead, whenTold } from "./app.js";

const root = byId("mark");
const id = root.dataset.id;
const frame = byId("frame");
const KINDS = ["content", "rel_link", "noise"];
const MARKED = { none: "noise", comment: "noise", post: "content" }; // gold has only the kinds of the thesis
const UNKNOWN = "unknown"; // of marks that older versions saved
let kinds = [], origin = UNKNOWN, chosen = askedNumber("block", -1), part = askedNumber("part", 0), isChanged = false;

const brush = () => document.querySelector("#brush input:checked").value;
const marker = () => byId("marker").value.trim();
const paint = () => frame.contentWindow.postMessage({ fills: kinds }, "*");
/** What became of the marks, and what they began from. */
const state = (key, values) => {
  byId("state").textContent = t(key, values);
  byId("origin").textContent = origin === UNKNOWN ? t("origin.unknown") : origin === "blank" ? t("origin.blank") : t("origin.method", { m: t(`method.${origin}`) });
  byId("origin").dataset.origin = origin;
};

byId("marker").value = localStorage.getItem("quarkcrawl-marker") ?? "";

function set(block, kind) {
  if (!(block in kinds)) return;
  kinds[block] = kind;
  isChanged = true;
  state("unsaved");
  paint();
}

function choose(block, isStill = false) {
  if (!(block >= 0 && block < kinds.length)) return;
  chosen = block;
  frame.contentWindow.postMessage({ choose: block, isStill }, "*");
  write();
}
const write = () => remember({ block: chosen < 0 ? "" : chosen, part: part || "" });

let loaded = Promise.resolve();
let nLoads = 0;
const load = attempt(async () => {
  const name = /^[\p{L}\p{N}_-]{1,40}$/u.test(marker()) ? marker() : "nobody";
  const turn = ++nLoads;
  kinds = []; // nothing can be marked, or saved, that the answer would overwrite
  byId("state").textContent = "";
  const found = await api(`/api/marking/${encodeURIComponent(name)}/${id}`);
  if (turn !== nLoads) return; // another marker has come
  kinds = found.kinds;
  origin = found.origin;
  if (chosen >= kinds.length) chosen = -1;
  isChanged = false;
  state(found.is_saved ? "saved.before" : "fresh");
  paint();
});

const propose = attempt(async () => {
  await loaded; // else what was saved before could come later and win
  const method = byId("method").value;
  const found = [];
  let all = 1;
  for (let start = 0; start < all; start += 200) {
    const some = await api(`/api/pages/${id}/blocks?method=${method}&start=${start}&count=200`);
    all = some.n_blocks;
    found.push(...some.blocks.map((one) => MARKED[one.kind] || one.kind));
  }
  kinds = found;
  origin = method;
  isChanged = true;
  state("proposed");
  paint();
});

const save = attempt(async () => {
  if (!marker()) { byId("marker").focus(); say(t("who")); return; }
  localStorage.setItem("quarkcrawl-marker", marker());
  await loaded;
  const found = await api(`/api/marking/${encodeURIComponent(marker())}/${id}`, { method: "PUT", body: { kinds, origin } });
  isChanged = false;
  state("saved", { n: found.n_marks });
  if (found.problems.length) say(found.problems.join(" "));
});

function onKey(key) {
  const kind = KINDS[["1", "2", "3"].indexOf(key)];
  if (key === "j") choose(chosen + 1);
  else if (key === "k") choose(Math.max(0, chosen - 1));
  else if (key === "s" && mayWrite) save();
  else if (key === "n" && root.dataset.following) location.href = `/marking/${root.dataset.following}`;
  else if (kind) {
    document.querySelector(`#brush input[value="${kind}"]`).checked = true;
    if (chosen >= 0) set(chosen, kind);
  } else return false;
  return true;
}

whenTold(frame, ({ quark, key, qkBlock }) => {
  if (quark === "ready") {
    paint();
    if (chosen >= 0) frame.contentWindow.postMessage({ choose: chosen }, "*");
  }
  if (quark === "key") onKey(key);
  if (quark === "click" && qkBlock !== undefined) loaded.then(() => { // not lost while another marker's marks come
    choose(Number(qkBlock), true);
    set(Number(qkBlock), brush());
  });
});
onKeys(onKey);
addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });

let nParts = 1;
function showPart(n) {
  part = n;
  showIn(frame, `/frames/${id}/neutral?part=${part}`);
  showParts(byId("parts"), part, nParts, showPart);
  write();
}

byId("propose").addEventListener("click", propose);
byId("clear").addEventListener("click", () => { kinds = kinds.map(() => "noise"); origin = "blank"; isChanged = true; state("unsaved"); paint(); });
byId("save").addEventListener("click", save);
byId("marker").addEventListener("change", () => { if (!isChanged) loaded = load(); });
attempt(async () => {
  if (root.dataset.large) { state("reading"); await untilRead(id); }
  loaded = load();
  showPart(part);
  nParts = (await api(`/api/pages/${id}/summary`)).n_parts;
  showParts(byId("parts"), part, nParts, showPart);
})();
