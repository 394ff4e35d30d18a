import { checkByButton } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
const served = document.cloneNode(true)
if (served instanceof Document) checkByButton(served)

/** Filters apply at once; without a script there is a button. */
for (const select of document.querySelectorAll<HTMLSelectElement>(".filters select")) {
  select.addEventListener("change", () => select.form?.requestSubmit())
}
