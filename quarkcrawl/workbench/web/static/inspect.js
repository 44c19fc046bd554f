// Where a page is pasted, chosen or fetched: it becomes a document, and its view opens.
import { api, attempt, byId } from "./app.js";

const open = (found) => { location.href = `/page/${found.id}`; };
const add = (body, url = "", type = "") =>
  api(`/api/documents?${new URLSearchParams({ url, type })}`, { method: "POST", body, type: "application/octet-stream" });

function onSubmit(id, work) {
  const form = byId(id);
  form.addEventListener("submit", attempt(async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try { open(await work(form)); } finally { button.disabled = false; }
  }));
}

onSubmit("by-url", (form) => api("/api/fetch", { method: "POST", body: { url: form.url.value } }));
onSubmit("by-html", (form) => add(new TextEncoder().encode(form.html.value), form.elements.url.value, "text/html; charset=utf-8"));
onSubmit("by-file", (form) => add(form.file.files[0] ?? new Uint8Array()));
