import { currentPage } from "./parts/trusted.ts"
import { checkByButton } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
checkByButton(currentPage())

/** Filters apply at once; without a script there is a button. */
for (const select of document.querySelectorAll<HTMLSelectElement>(".filters select")) {
  select.addEventListener("change", () => select.form?.requestSubmit())
}
