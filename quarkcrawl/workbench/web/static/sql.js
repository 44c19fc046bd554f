// The box for SQL: Ctrl+Enter runs the query, a column's name is put where the cursor stands.
import { byId } from "./app.js";

const box = byId("q");

box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    box.form.querySelector("button").click();
  }
});

for (const button of document.querySelectorAll("[data-insert]")) {
  button.addEventListener("click", () => {
    box.setRangeText(button.dataset.insert, box.selectionStart, box.selectionEnd, "end");
    box.focus();
  });
}
