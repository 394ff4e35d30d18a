import "./page.ts"

/** Filters apply at once; without a script there is a button. */
for (const select of document.querySelectorAll<HTMLSelectElement>(".filters select")) {
  select.addEventListener("change", () => select.form?.requestSubmit())
}
