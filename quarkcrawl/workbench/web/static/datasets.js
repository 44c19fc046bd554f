// The form of a data set: what `quarkcrawl export` takes.
import { api, byId, mayWrite } from "./app.js";

const form = byId("form");
const words = (text) => text.split(/[\s,]+/).filter((word) => word);
const lines = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line);

function asked() {
  const { elements } = form;
  const body = { refine: elements.refine.checked, where: lines(elements.where.value), fields: words(elements.fields.value),
    without: [...form.querySelectorAll("[name=rule]")].filter((one) => !one.checked).map((one) => one.value) };
  for (const key of ["name", "form", "personal", "repeats", "method", "license", "contact"]) body[key] = elements[key].value.trim();
  for (const key of ["validation", "test", "seed"]) body[key] = Number(elements[key].value || 0);
  return body;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!mayWrite) return;
  const button = form.querySelector("button");
  button.disabled = true;
  byId("problem").hidden = true;
  try {
    location.assign(`/datasets/${(await api("/api/datasets", { method: "POST", body: asked() })).name}`);
  } catch (error) {
    byId("problem").textContent = error.message;
    byId("problem").hidden = false;
    byId("problem").scrollIntoView({ block: "nearest" });
  } finally {
    button.disabled = false;
  }
});
