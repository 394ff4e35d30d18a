/** What verifies in a page, as a chunk of its own: pages load it when somebody verifies, or when they are idle. */
export { checkLog } from "./log.ts"
export { showFileResult as showLooked } from "./show.ts"
export { proveValue, showValue } from "./value.ts"
