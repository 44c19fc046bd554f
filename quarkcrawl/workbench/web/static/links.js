// Links to a page and on it, with their anchors and the pages at their other end.
import { api, attempt, long, make, number, steps, t, table } from "./app.js";

/** Both lists of a page in a sheet. */
export async function showLinks(sheet, id) {
  const lists = ["in", "out"].map((direction) => make("section", { "data-direction": direction }));
  sheet.replaceChildren(make("div", { class: "columns" }, lists));
  for (const list of lists.toReversed()) await show(list, id, list.dataset.direction, 1); // what is there at once first
}

async function show(list, id, direction, page) {
  list.dataset.page = page;
  let found;
  do {
    found = await api(`/api/pages/${id}/links?${new URLSearchParams({ direction, page })}`);
    if (!list.isConnected || list.dataset.page !== String(page)) return; // something else is shown meanwhile
    draw(list, id, direction, found);
  } while (!found.is_done);
}

function draw(list, id, direction, found) {
  const go = (to) => show(list, id, direction, to);
  const count = found.is_done ? number(found.total) : t("links.sofar", { n: found.total, done: found.searched, all: found.of });
  if (found.is_done) list.removeAttribute("aria-busy");
  else list.setAttribute("aria-busy", "true");
  list.replaceChildren(
    make("h2", {}, t(`links.${direction}`), " ", make("small", {}, count)),
    found.damaged ? make("p", { class: "notice bad" }, t("links.damaged", { n: found.damaged })) : "",
    found.rows.length ? make("div", { class: "scroll", tabindex: 0 }, table(
      [make("th", { scope: "col" }, t("links.anchor")), make("th", { scope: "col" }, t("column.page"))],
      found.rows.map((row) => make("tr", {}, make("td", {}, row.text || "–", row.nofollow ? [" ", make("span", { class: "tag" }, "nofollow")] : ""),
        make("td", {}, pageOf(row)))))) : make("p", { class: "none" }, found.is_done ? t("nothing") : ""),
    found.pages > 1 ? make("nav", { class: "pager" }, steps(found.page > 1 ? found.page - 1 : null, found.page < found.pages ? found.page + 1 : null,
      attempt(go), `${number(found.page)} / ${number(found.pages)}`)) : "");
}

/** A stored page opens; of any other URL its way is shown. */
function pageOf(row) {
  const href = row.id ? `/page/${row.id}?tab=links` : `/trace?${new URLSearchParams({ url: row.url })}`;
  return [make("a", { href }, row.title || long(row.url)), make("span", { class: "url" }, long(row.url), row.leads_to ? [" → ", long(row.leads_to)] : "")];
}
