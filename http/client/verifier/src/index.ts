/** The verifier as a library: what `plumbline-verify` checks. Only `fetchEvidence` and `verifyValue` ask the network, by the `Get` that they are given. */
export { parseBundle } from "../../../../core/proof/bundle.ts"
export { Malformed } from "../../../../core/proof/bytes.ts"
export { allHold, allProved, type Check, type Pins } from "../../../../core/proof/check.ts"
export { type Evidence, parseEvidence } from "../../../../core/proof/evidence.ts"
export type { Fetched, Get } from "../../../../core/proof/fetched.ts"
export { type KeyDocument, parseKeyDocument } from "../../../../core/proof/keys.ts"
export { fetchEvidence, verifyValue } from "../../../../core/proof/remote.ts"
export { parseSaved } from "../../../../core/proof/saved.ts"
export type { Trust } from "../../../../core/proof/trust.ts"
export { type BundleOptions, verifyBundle } from "../../../../core/proof/verifyBundle.ts"
export { verifyLog } from "../../../../core/proof/verifyLog.ts"
export {
  type ResponseOptions,
  type SavedResponse,
  verifyResponse
} from "../../../../core/proof/verifyResponse.ts"
export { verifySignals } from "../../../../core/proof/verifySignals.ts"
