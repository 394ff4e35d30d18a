/** `/v1/attest?format=bundle4` and `format=absence4`: a value, or an absence, with all that the log has of it, in one file. */
import { Effect, Option } from "effect"
import { type Bundle, type Bundle4, bundle4Tag, partsOf } from "../../proof/bundle.ts"
import { evidenceOf, type Members } from "../../proof/kinds.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { Log } from "../Log.ts"
import { absence } from "./absence.ts"
import { bodyOf } from "./body.ts"
import { bundle } from "./bundle.ts"
import { finalityOfBlock } from "./chainFinality.ts"
import { looksOfBlock } from "./chainLooks.ts"
import { chainEvidence } from "./chainProof.ts"
import { evidence } from "./evidence.ts"
import type { AttestParams } from "./publishedDay.ts"

/** The proof of the chain, with what operators say of its block and who signed it, if there is one. */
const chainMembers = Effect.fnUntraced(function* (run: string, leaf: RowLeaf, size: number) {
  const proved = yield* chainEvidence(run, leaf)
  if (!("evidence" in proved)) return {}
  const { chain, block: read } = proved.proof
  const block = { chain, number: read.number, hash: read.hash }
  const head = yield* (yield* Log).served
  const looks = (yield* looksOfBlock(block, leaf.day, head, size))?.looks
  const finality = yield* finalityOfBlock(block, leaf.day, head, size)
  return {
    chain: looks === undefined ? proved.evidence : { ...proved.evidence, looks },
    ...(finality === undefined ? {} : { finality })
  }
})

/** The evidence with the body in which the value stands, if there is one that may be handed on, and the proof of its chain, if there is one. */
const withAnswers = Effect.fnUntraced(function* (members: Members, text: string, size: number) {
  const leaf = parseLeaf(text)
  const observed = members.run?.observed
  if (leaf.kind === "absent" || observed === undefined) return members
  const body = yield* bodyOf(observed.leaf, leaf)
  const ofChain = yield* chainMembers(observed.leaf, leaf, size)
  return {
    ...members,
    ...(Option.isNone(body) ? {} : { body: body.value }),
    ...ofChain
  }
})

/** The same by version 4: the spine, and what the log has beside it under the same head. */
const withEvidence = Effect.fnUntraced(function* (older: Bundle, params: AttestParams) {
  const beside = yield* evidence({ ...params, size: older.log.size })
  const { batch, block, cosignatures, head, keys, leaf, log, members } = partsOf(older, beside)
  const response: Bundle4 = {
    v: bundle4Tag,
    leaf,
    batch,
    log,
    head,
    keys,
    cosignatures,
    block,
    evidence: evidenceOf(yield* withAnswers(members, leaf, older.log.size))
  }
  return response
})

/** The bundle of a day's value. Fails like `attest`. */
export const bundle4 = Effect.fn("Log.bundle4")(function* (params: AttestParams) {
  return yield* withEvidence(yield* bundle(params), params)
})

/** The bundle of an absence. Fails like `absence`. */
export const absence4 = Effect.fn("Log.absence4")(function* (params: AttestParams) {
  return yield* withEvidence(yield* absence(params), params)
})
