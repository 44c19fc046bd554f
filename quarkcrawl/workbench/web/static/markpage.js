// Marking a page: a brush, blocks and parts of blocks that take its color, a gold page when it is saved.
import { api, asked, askedNumber, attempt, byId, mayWrite, onKeys, remember, say, showIn, showParts, t, untilRead, whenTold } from "./app.js";
import { widths } from "./markscores.js";

const root = byId("mark");
const id = root.dataset.id;
const frame = byId("frame");
const KINDS = ["content", "rel_link", "noise", "headline", "date", "byline", "post", "comment"]; // as the keys 1, 2, 3 …
const UNKNOWN = "unknown"; // of marks that older versions saved
const MOST_STEPS = 300;
const NAME = /^[\p{L}\p{N}_-]{1,40}$/u;
const order = asked().get("order") === "disagreement" ? "disagreement" : "blind";
const peers = asked().get("peers") ?? "";
const ordered = new URLSearchParams(peers ? { order, peers } : { order });

let kinds = [], passages = [], origin = UNKNOWN; // what is marked
let past = [], future = [], version = 0, newest = 0, saved = 0; // steps to be undone and done again
let chosen = askedNumber("block", -1), part = askedNumber("part", 0);
let isInside = false;
let taking = null, taken = () => {}; // until the frame has told what is picked, further keys wait
let note = { is_skipped: false, is_flagged: false, note: "" };
let isLeaving = false;

const isChanged = () => version !== saved;
const brush = () => document.querySelector("#brush input:checked").value;
const marker = () => byId("marker").value.trim();
const named = () => (NAME.test(marker()) ? encodeURIComponent(marker()) : "nobody");
const tellFrame = (message) => frame.contentWindow.postMessage(message, "*");
function paint() {
  tellFrame({ fills: kinds, passages });
  byId("state").dataset.version = version;
  byId("undo").disabled = !past.length;
  byId("redo").disabled = !future.length;
}
/** What became of the marks, and what they began from. */
const state = (key, values) => {
  byId("state").textContent = t(key, values);
  byId("origin").textContent = origin === UNKNOWN ? t("origin.unknown") : origin === "blank" ? t("origin.blank") : t("origin.method", { m: t(`method.${origin}`) });
  byId("origin").dataset.origin = origin;
};

byId("marker").value = localStorage.getItem("quarkcrawl-marker") ?? "";

const snapshot = () => ({ kinds: [...kinds], passages: [...passages], origin, version });
/** Change what is marked, so that it can be undone. */
function change(work, key = "unsaved") {
  past.push(snapshot());
  if (past.length > MOST_STEPS) past.shift();
  future = [];
  work();
  version = ++newest;
  state(key);
  paint();
}
function travel(from, to, key) {
  if (!from.length) return;
  to.push(snapshot());
  ({ kinds, passages, origin, version } = from.pop());
  state(isChanged() ? key : "saved.as");
  paint();
}
const undo = () => travel(past, future, "undone");
const redo = () => travel(future, past, "redone");

function setBlock(block, kind) {
  if (!(block in kinds) || (kinds[block] === kind && !passages.some((one) => one.block === block))) return;
  change(() => {
    kinds[block] = kind;
    passages = passages.filter((one) => one.block !== block);
  });
}

/** Mark stretches of text; what they cover of other passages is cut away. */
function setSpans(spans, kind) {
  if (!kinds.length || !spans.length) return;
  change(() => {
    for (const { run, block, start, end } of spans) {
      passages = passages.flatMap((one) => one.run !== run || one.end <= start || one.start >= end ? [one]
        : [{ ...one, end: Math.min(one.end, start) }, { ...one, start: Math.max(one.start, end) }].filter((left) => left.start < left.end));
      passages.push({ run, start, end, kind, block });
    }
  });
}

function choose(block, isStill = false) {
  if (!(block >= 0 && block < kinds.length)) return;
  if (isInside) leave();
  chosen = block;
  tellFrame({ choose: block, isStill });
  write();
}
const write = () => remember({ block: chosen < 0 ? "" : chosen, part: part || "" });

function enter() {
  if (chosen < 0) { choose(0); if (chosen < 0) return; }
  isInside = true;
  tellFrame({ enters: chosen });
}
function leave() {
  isInside = false;
  byId("picked").textContent = "";
  tellFrame({ enters: -1 });
}

let loaded = Promise.resolve();
let nLoads = 0;
const load = attempt(async () => {
  const turn = ++nLoads;
  kinds = []; // nothing can be marked, or saved, that the answer would overwrite
  byId("state").textContent = "";
  const found = await api(`/api/marking/${named()}/${id}`);
  if (turn !== nLoads) return; // another marker has come
  ({ kinds, passages, origin } = found);
  note = { is_skipped: found.is_skipped, is_flagged: found.is_flagged, note: found.note };
  [past, future, version, newest, saved] = [[], [], 0, 0, 0];
  if (chosen >= kinds.length) chosen = -1;
  state(found.is_saved ? "saved.before" : "fresh");
  showNote();
  paint();
});

const propose = attempt(async () => {
  await loaded; // else what was saved before could come later and win
  const method = byId("method").value;
  const found = await api(`/api/pages/${id}/proposal?method=${method}`);
  change(() => { ({ kinds, passages } = found); origin = method; }, "proposed");
});

function hasMarker() {
  if (!NAME.test(marker())) { byId("marker").focus(); say(t("who")); return false; }
  localStorage.setItem("quarkcrawl-marker", marker());
  return true;
}

/** Keep the marks; whether that was done. */
const save = attempt(async () => {
  if (!hasMarker()) return false;
  await loaded;
  const what = version;
  const body = { kinds, passages, origin, order: asked().has("order") ? order : "" };
  const found = await api(`/api/marking/${named()}/${id}`, { method: "PUT", body });
  saved = what;
  if (note.is_skipped) { note.is_skipped = false; showNote(); }
  if (!isChanged()) state("saved", { n: found.n_marks });
  if (found.problems.length) say(found.problems.join(" "));
  if (byId("sure").open) showWidths();
  return true;
});

/** The next page that this person has left. */
const goOn = attempt(async () => {
  const found = await api(`/api/marking/${named()}/queue?${ordered}&after=${id}`);
  if (!found.next) { say(t("queue.empty")); return; }
  isLeaving = true;
  location.href = `/marking/${found.next}?${ordered}`;
});
const saveAndGoOn = attempt(async () => {
  if (mayWrite && isChanged() && !(await save())) return;
  await goOn();
});
const skip = attempt(async () => {
  if (!mayWrite || !hasMarker()) return;
  await loaded;
  note = await api(`/api/marking/${named()}/${id}/note`, { method: "PUT", body: { ...note, is_skipped: true } });
  isLeaving = true; // what was marked here is given up
  const found = await api(`/api/marking/${named()}/queue?${ordered}&after=${id}`);
  if (found.next) location.href = `/marking/${found.next}?${ordered}`;
  else { isLeaving = false; showNote(); say(t("queue.empty")); }
});
const keepNote = attempt(async (values) => {
  if (!mayWrite || !hasMarker()) return;
  await loaded;
  note = await api(`/api/marking/${named()}/${id}/note`, { method: "PUT", body: { ...note, ...values } });
  showNote();
});
const flag = async () => {
  await keepNote({ is_flagged: !note.is_flagged });
  if (note.is_flagged) byId("note").focus();
};
function showNote() {
  byId("flag").setAttribute("aria-pressed", note.is_flagged);
  byId("noted").hidden = !note.is_flagged;
  byId("note").value = note.note;
  byId("skipped").hidden = !note.is_skipped;
}

const showWidths = attempt(async () => {
  const found = await api(`/api/marking/${named()}/scores`);
  byId("widths").replaceChildren(...widths(found));
  if (found.methods.some((one) => one.n_waiting)) setTimeout(showWidths, 50);
});

const INSIDE = { j: "on", k: "back", J: "more", K: "less", ".": "endOn", ",": "endBack", ">": "startOn", "<": "startBack" };
function onKey(key) {
  if (taking) { taking.then(() => onKey(key)); return true; }
  const kind = KINDS[Number(key) - 1];
  if (key === "undo") undo();
  else if (key === "redo") redo();
  else if (isInside && INSIDE[key]) tellFrame({ step: INSIDE[key] });
  else if (key === "j") choose(chosen + 1);
  else if (key === "k") choose(Math.max(0, chosen - 1));
  else if (key === "i") enter();
  else if (isInside && (key === "o" || key === "Escape")) leave();
  else if (key === "s" && mayWrite) save();
  else if (key === "n") saveAndGoOn();
  else if (key === "x" && mayWrite) skip();
  else if (key === "f" && mayWrite) flag();
  else if (/^[1-8]$/.test(key)) {
    document.querySelector(`#brush input[value="${kind}"]`).checked = true;
    if (isInside) {
      taking = new Promise((done) => { taken = done; });
      tellFrame({ takes: kind });
    }
    else if (chosen >= 0) setBlock(chosen, kind);
  } else return false;
  return true;
}

whenTold(frame, ({ quark, key, qkBlock, spans, text, isByMouse, takes }) => {
  if (quark === "ready") {
    isInside = false;
    taking = null;
    taken();
    paint();
    if (chosen >= 0) tellFrame({ choose: chosen });
  }
  if (quark === "key") onKey(key);
  if (quark === "picked") loaded.then(() => {
    if (isByMouse) setSpans(spans, brush());
    else if (takes) {
      setSpans(spans, takes);
      taking = null;
      taken();
    } else byId("picked").textContent = isInside ? t("picked", { text }) : "";
  });
  if (quark === "click" && qkBlock !== undefined) loaded.then(() => { // not lost while another marker's marks come
    choose(Number(qkBlock), true);
    setBlock(Number(qkBlock), brush());
  });
});
onKeys(onKey);
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest("input:not([type=radio]), textarea")) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  onKey(key === "y" || event.shiftKey ? "redo" : "undo");
});
addEventListener("beforeunload", (event) => { if (isChanged() && !isLeaving) event.preventDefault(); });
addEventListener("pageshow", () => { isLeaving = false; });

let nParts = 1;
function showPart(n) {
  part = n;
  showIn(frame, `/frames/${id}/neutral?part=${part}`);
  showParts(byId("parts"), part, nParts, showPart);
  write();
}

byId("propose").addEventListener("click", propose);
byId("clear").addEventListener("click", () => change(() => { kinds = kinds.map(() => "noise"); passages = []; origin = "blank"; }));
byId("undo").addEventListener("click", undo);
byId("redo").addEventListener("click", redo);
byId("save").addEventListener("click", save);
byId("next").addEventListener("click", saveAndGoOn);
byId("skip").addEventListener("click", skip);
byId("flag").addEventListener("click", flag);
byId("note").addEventListener("change", () => keepNote({ note: byId("note").value.trim() }));
byId("sure").addEventListener("toggle", () => { if (byId("sure").open) showWidths(); });
byId("marker").addEventListener("change", () => { if (!isChanged()) loaded = load(); });
for (const name of ["skip", "flag"]) byId(name).disabled = !mayWrite;
attempt(async () => {
  if (root.dataset.large) { state("reading"); await untilRead(id); }
  loaded = load();
  showPart(part);
  nParts = (await api(`/api/pages/${id}/summary`)).n_parts;
  showParts(byId("parts"), part, nParts, showPart);
})();
