// Words in the page that is shown: marked, counted, one after the other by button and key.
import { api, asked, askedNumber, attempt, byId, onKeys, remember, t, whenTold } from "./app.js";

/** `frame` shows the page in parts; `shownPart` tells which, `showPart` shows another one. */
export function findIn({ id, frame, shownPart, showPart }) {
  const form = byId("find"), input = byId("find-words");
  let hits = [], nHits = 0, at = -1, search = 0;

  /** Mark what the part that is shown has, and go to the hit whose turn it is. */
  function send() {
    const part = shownPart();
    form.setAttribute("aria-busy", "true"); // until the frame says that they are marked
    const here = hits.map((hit, place) => ({ ...hit, place })).filter((hit) => hit.part === part);
    frame.contentWindow.postMessage({ hits: here.map((hit) => hit.pieces), at: here.findIndex((hit) => hit.place === at) }, "*");
  }

  function show() {
    const words = input.value.trim();
    byId("find-count").textContent = !words ? "" : !nHits ? t("find.none") : t("find.count", { n: at + 1, all: nHits });
    for (const name of ["find-before", "find-after"]) byId(name).disabled = hits.length < 2;
    remember({ find: words, hit: at > 0 ? at : "" });
    if (hits[at] && hits[at].part !== shownPart()) showPart(hits[at].part); // it says when it is ready
    else send();
  }

  const find = attempt(async (first = 0) => {
    const words = input.value.trim(), turn = ++search;
    form.setAttribute("aria-busy", "true");
    try {
      const found = words ? await api(`/api/pages/${id}/find?${new URLSearchParams({ find: words })}`) : { hits: [], n_hits: 0 };
      if (turn !== search) return; // other words were asked for meanwhile
      hits = found.hits;
      nHits = found.n_hits;
      at = hits.length ? Math.min(first, hits.length - 1) : -1;
    } catch (error) {
      form.removeAttribute("aria-busy");
      throw error;
    }
    show();
  });

  function step(by) {
    if (!hits.length) return false;
    at = (at + by + hits.length) % hits.length;
    show();
    return true;
  }
  const onKey = (key) => (key === "n" ? step(1) : key === "p" ? step(-1) : false);

  onKeys(onKey);
  whenTold(frame, ({ quark, key }) => {
    if (quark === "key") onKey(key);
    if (quark === "ready" && input.value.trim()) send();
    if (quark === "marked") form.removeAttribute("aria-busy");
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); find(); });
  input.addEventListener("search", () => { if (!input.value) find(); }); // its cross was pressed
  byId("find-before").addEventListener("click", () => step(-1));
  byId("find-after").addEventListener("click", () => step(1));
  if (asked().get("find")) {
    input.value = asked().get("find");
    find(askedNumber("hit", 0));
  }
}
