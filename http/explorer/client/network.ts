/** The page of a network: its values compared with what is signed. */
import { checkWhenIdle } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
const served = document.cloneNode(true)
checkWhenIdle(served instanceof Document ? served : undefined)
