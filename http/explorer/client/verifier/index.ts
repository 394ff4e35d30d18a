/** The verifier as a chunk of its own: pages load it when somebody verifies, or when they are idle. */
export { CouldNotLook, Malformed } from "../../../../core/proof/bytes.ts"
export { checkFile, type Given, isTrouble, readHeaders } from "./files.ts"
export { checkPage } from "./page.ts"
export { showOutcome, showTrouble } from "./show.ts"
export { notTrustable, trustNow } from "./trust.ts"
export { type Asked, proveValue } from "./value.ts"
