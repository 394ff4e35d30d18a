/**
 * What an upstream answered, beside a value of its run: the figure stands in it as such. Nothing signs the place in the body: the
 * reader has the body, whose hash the run's exchange has, and looks for himself.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { demand } from "./check.ts"
import { jsonLimits } from "./json.ts"
import type { RowLeaf } from "./leaf.ts"
import { longestUrl, type RanLeaf } from "./runLeaf.ts"
import * as s from "./shape.ts"

/** The body of one exchange of the run, and where the figure stands in it. */
export interface Body {
  /** Place of the exchange among those of the run, from 0. */
  readonly exchange: number
  /** The body after content decoding, which is JSON in UTF-8. */
  readonly text: string
  /** Where the figure stands in it (RFC 6901). */
  readonly pointer: string
}

/** Bytes of the largest body that a bundle carries. */
export const largestBody = 16 * 1024

const pointerForm = /^(?:\/(?:[^~/]|~[01])*)*$/

export const bodyShape: s.Shape<Body> = { exchange: s.count, text: s.text, pointer: s.text }

const stepsOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Own members alone: what a list or an object inherits is in no body. */
const memberOf = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

const decimal = /^-?\d+(?:\.\d+)?$/

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)))

/** An upstream spells JSON as it likes, so that it is not read as strictly as documents of the log are. */
const jsonOf = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Malformed("the body is not JSON")
  }
  // Readers that go down by recursion could not follow, and must say the same.
  demand(!isDeeper(value, jsonLimits.depth), `the body is JSON nested deeper than ${jsonLimits.depth}`)
  return value
}

/** Whether a member of a body is the value of a leaf: the same double, and of a decimal text the same text where the leaf has one. */
const isValue = (member: unknown, { value, value_text }: Pick<RowLeaf, "value" | "value_text">): boolean =>
  typeof member === "number"
    ? member === value
    : typeof member === "string" &&
      decimal.test(member) &&
      (value_text === undefined ? Number(member) === value : member === value_text)

/** What an exchange of the run said; throws `Malformed` unless it is the body's, and the value stands in it at the pointer. */
export const saidIn = (
  { exchange: place, pointer, text }: Body,
  run: RanLeaf,
  leaf: Pick<RowLeaf, "value" | "value_text">
): string => {
  const exchange = run.exchanges[place]
  const bytes = utf8(text)
  demand(bytes.length <= largestBody, `a body in a bundle must have at most ${largestBody} bytes`)
  demand(
    pointerForm.test(pointer) && pointer.length <= longestUrl,
    "the place in the body is no JSON pointer (RFC 6901)"
  )
  demand(
    exchange !== undefined,
    `run ${run.run} has ${run.exchanges.length} exchanges, and none at place ${place}`,
    "contradiction"
  )
  demand(
    toHex(sha256(bytes)) === exchange.sha256,
    `the body is not what the exchange ${place} of run ${run.run} read`,
    "hash"
  )
  const member = stepsOf(pointer).reduce<unknown>(memberOf, jsonOf(text))
  const says = leaf.value_text ?? String(leaf.value)
  demand(
    isValue(member, leaf),
    `the body says ${member === undefined ? "nothing" : JSON.stringify(member)} at ${pointer === "" ? "its top" : pointer}, and the leaf ${says}`,
    "contradiction"
  )
  return `${says}${pointer === "" ? "" : ` at ${pointer}`} in the answer of ${exchange.url ?? `the address with the hash ${exchange.url_sha256}`}`
}
