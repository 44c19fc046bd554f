// A rule before it is accepted: what it changes on the pages of its site, page by page; accept, undo.
import { api, attempt, byId, long, make, mayWrite, number, remember, say, t } from "./app.js";

const root = byId("teach");
const place = JSON.parse(root.dataset.place);
const query = new URLSearchParams({ ...place, page: root.dataset.url });
let shown = "", round = 0;

byId("json").href = `/api/rules/effect?${query}`;
remember({ ...place, url: root.dataset.page ? null : root.dataset.url, block: null }); // the address holds the rule itself, whatever would be proposed later

const chars = (row) => make("span", { class: "amounts" },
  row.removed ? make("del", {}, `−${number(row.removed)}`) : null, " ", row.added ? make("ins", {}, `+${number(row.added)}`) : null);

function card(row) {
  const lines = (name, texts) => texts.map((text) => make("li", {}, make(name, {}, text)));
  return make("li", { class: "card", "data-id": row.id },
    make("h3", {}, make("a", { href: `/page/${row.id}?method=${place.method}` }, row.title || long(row.url))), make("p", { class: "url" }, long(row.url)),
    make("p", {}, chars(row), " ", make("span", { class: "hint" }, t("teach.of", { n: row.before }))),
    make("ul", { class: "plain", lang: "zh" }, lines("del", row.gone), lines("ins", row.come)),
    make("p", {}, make("button", { type: "button", class: "small", on: { click: attempt(() => compare(row.id, row.url)) } }, t("teach.compare"))));
}

async function compare(id, url) {
  const found = await api(`/api/pages/${id}/taught?${query}`);
  const side = (stretches, name, mark) => stretches.map(([who, text]) => who === name ? make(mark, {}, text) : text);
  const [before, after] = byId("compared").querySelectorAll(".text");
  before.replaceChildren(...side(found.before, "gone", "del"));
  after.replaceChildren(...side(found.after, "come", "ins"));
  byId("compared-url").replaceChildren(long(url));
  byId("compared").hidden = false;
  byId("compared-title").focus();
  remember({ show: id });
}

function draw(found) {
  const { pages, chars: sums } = found;
  byId("progress").textContent = found.failure ? t("teach.broken", { why: found.failure })
    : found.is_done ? t("teach.done", { n: found.n_pages }) : t("teach.progress", { n: found.n_done, all: found.n_pages });
  byId("totals").replaceChildren(t(found.n_pages ? "teach.totals" : "teach.nowhere", { n: pages.changed, all: found.n_done, removed: sums.removed, added: sums.added, chars: sums.before }),
    ...["kept", "unreadable", "large", "failed"].filter((name) => pages[name]).map((name) => make("span", { class: "aside" }, " ", t(`teach.${name}`, { n: pages[name] }))));
  byId("accept").disabled = !mayWrite;
  byId("accept").hidden = found.is_accepted;
  byId("undo").hidden = !found.is_accepted;
  byId("undo").disabled = !mayWrite;
  byId("accepted").hidden = !found.is_accepted;
  byId("not-yet").hidden = found.is_accepted;
  const ids = found.rows.map((row) => row.id).join();
  if (ids !== shown || !ids) byId("gallery").replaceChildren(...found.rows.map(card));
  if (!ids && found.is_done) byId("gallery").replaceChildren(make("li", { class: "none" }, t("teach.none")));
  shown = ids;
}

async function follow() {
  const mine = round += 1;
  for (;;) {
    const found = await api(`/api/rules/effect?${query}`);
    if (mine !== round) return;
    draw(found);
    if (found.is_done || found.failure) return;
    await new Promise((go) => setTimeout(go, 400));
  }
}

if (!mayWrite) byId("accept").title = t("readonly");
byId("accept").addEventListener("click", attempt(async () => {
  const { host, kind, select, own, page_only } = place;
  const body = { host, kind, select, own: own === "yes", page: root.dataset.url, page_only: page_only === "yes" };
  await api("/api/rules", { method: "POST", body });
  say(t("teach.accepted"));
  await follow();
  byId("undo").focus();
}));
byId("undo").addEventListener("click", attempt(async () => {
  await api(`/api/rules/${root.dataset.key}`, { method: "DELETE" });
  say(t("teach.undone"));
  await follow();
  byId("accept").focus();
}));

await attempt(follow)();
if (root.dataset.show) await attempt(compare)(root.dataset.show, "");
