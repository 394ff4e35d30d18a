/**
 * The lamps beside a number: one for each kind of evidence, lit for what was checked of this very value, and else with the reason why
 * it is not. Each leads to what it means on this service.
 */
import type { ValueEvidence } from "../../../core/log/record/valueEvidence.ts"
import type { RecheckVerdict } from "../../../core/wire/data/recheck.ts"
import type { Assurances } from "../../assurances.ts"
import { seenWords } from "./agreement.ts"
import { formatDay, formatNumber, formatTime } from "./format.ts"
import { type Html, html } from "./markup.ts"

/** What each is called, and where this service says what it means. */
const kinds = {
  sealed: ["Sealed", "/trust#service"],
  again: ["Source asked again", "/trust#asked-again"],
  operator: ["Second operator", "/trust#observers"],
  notary: ["Notary", "/trust#notaries"],
  bitcoin: ["Bitcoin", "/trust#bitcoin"],
  chain: ["Its chain", "/trust#chain"]
} as const

export interface Lamp {
  readonly kind: keyof typeof kinds
  /** `half`: something was checked, and it is less than the name says. */
  readonly state: "lit" | "half" | "unlit"
  /** What was checked, or why nothing was. */
  readonly says: string
}

const stateOf = (isLit: boolean): Lamp["state"] => (isLit ? "lit" : "unlit")

/** Beside the value: whom this service asks at all. */
type Here = Pick<Assurances, "canAskAgain" | "mode" | "vouching">

const answered: Readonly<Record<RecheckVerdict, string>> = {
  exact: "its source said the same",
  within_1_pct: "its source said a number within 1 % of it",
  within_10_pct: "its source said a number within 10 % of it",
  moved: "its source said another number",
  gone: "its source had no such figure",
  unreachable: "its source gave no answer that can be read"
}

const ofSource = ({ again }: ValueEvidence, { canAskAgain }: Here): Lamp => {
  if (again !== undefined)
    return {
      kind: "again",
      state: stateOf(again.verdict === "exact"),
      says: `asked again on ${formatTime(again.checked_utc)}, ${answered[again.verdict]}`
    }
  const says = canAskAgain
    ? "its source was not asked again about this reading"
    : "the value is simulated: there is no source to ask"
  return { kind: "again", state: "unlit", says }
}

const ofOperator = ({ agreement }: ValueEvidence, { vouching }: Here): Lamp => {
  if (agreement !== undefined)
    return { kind: "operator", state: stateOf(agreement.n_agree > 0), says: seenWords(agreement) }
  const says =
    vouching.observers.length === 0
      ? "nobody observes this service yet"
      : "no comparison of it with another operator is in the log"
  return { kind: "operator", state: "unlit", says }
}

/** What a notary stated of the answers that a run read; why it stated nothing of them. */
const notaryWords = ({ notarised }: ValueEvidence, { vouching }: Here): string => {
  if (vouching.notaries.length === 0 && (notarised?.stated ?? 0) === 0)
    return "no notary carries the sessions of this service"
  if (notarised === undefined) return "the log does not have the run that gave it"
  const { answers, stated } = notarised
  if (stated === 0) return "no notary stated what its source answered"
  return stated < answers
    ? `a notary stated ${formatNumber(stated)} of the ${formatNumber(answers)} answers that its run read`
    : `a notary carried and stated ${answers === 1 ? "the answer" : `all ${formatNumber(answers)} answers`} that its run read`
}

const ofNotary = (evidence: ValueEvidence, here: Here): Lamp => {
  const { answers = 0, stated = 0 } = evidence.notarised ?? {}
  return {
    kind: "notary",
    state: stateOf(answers > 0 && stated === answers),
    says: notaryWords(evidence, here)
  }
}

const ofBitcoin = ({ anchor }: ValueEvidence): Lamp => {
  const { block_height, block_time, reason, state } = anchor
  const isLit = (state === "confirmed" || state === "final") && block_height !== undefined
  const unlit = state === "pending" ? "waiting for a block" : (reason ?? "in no block yet")
  return {
    kind: "bitcoin",
    state: stateOf(isLit),
    says: isLit
      ? `in block ${formatNumber(block_height)}${block_time === undefined ? "" : ` of ${formatTime(block_time)}`}`
      : unlit
  }
}

/** That a block says it is half of it: whether the block is one of the chain, operators of its nodes say. */
const ofChain = ({ chain }: ValueEvidence): Lamp => {
  if (chain.state === "none") return { kind: "chain", state: "unlit", says: chain.why }
  const block = `the state of block ${formatNumber(chain.block.number)} says this`
  if (chain.state === "proved")
    return {
      kind: "chain",
      state: "half",
      says: `${block}; nobody has said here that the block is one of its chain`
    }
  const operators = listWords(chain.operators)
  return chain.state === "confirmed"
    ? { kind: "chain", state: "lit", says: `${block}. The block is one of its chain, as ${operators} say` }
    : { kind: "chain", state: "unlit", says: `${block}, but ${operators} has another block in its place` }
}

/** `a, b and c`. */
const listWords = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** A demonstration plays its notary and its second operator itself. */
const asPlayed = (lamp: Lamp, { mode }: Here): Lamp =>
  mode === "replay" && lamp.state === "lit" ? { ...lamp, says: `simulated: ${lamp.says}` } : lamp

/** Of a value that is not in the log none is lit. */
const unsealed: ReadonlyArray<Lamp> = [
  { kind: "sealed", state: "unlit", says: "its day closes at 08:00 UTC on the next day" },
  ...(["again", "operator", "notary", "bitcoin", "chain"] as const).map(
    (kind): Lamp => ({ kind, state: "unlit", says: "nothing is checked here before it is sealed" })
  )
]

/** Undefined: the value is not in the log yet. */
export const lampsOf = (evidence: ValueEvidence | undefined, here: Here): ReadonlyArray<Lamp> =>
  evidence === undefined
    ? unsealed
    : [
        {
          kind: "sealed",
          state: "lit",
          says: `in the log with the batch of ${formatDay(evidence.batch_day)}`
        },
        ofSource(evidence, here),
        asPlayed(ofOperator(evidence, here), here),
        asPlayed(ofNotary(evidence, here), here),
        ofBitcoin(evidence),
        ofChain(evidence)
      ]

/** `2 of 6`. */
export const litWords = (lamps: ReadonlyArray<Lamp>): string =>
  `${formatNumber(lamps.filter(({ state }) => state === "lit").length)} of ${formatNumber(lamps.length)}`

export const lampName = ({ kind }: Lamp): string => kinds[kind][0]

export const lampList = (lamps: ReadonlyArray<Lamp>): Html =>
  html`<ul class="lamps">${lamps.map((lamp) => {
    const [name, address] = kinds[lamp.kind]
    return html`<li data-lamp="${lamp.kind}" class="${lamp.state}"><a href="${address}">${name}</a><span class="visually-hidden"> (${lamp.state})</span><span class="sub">${lamp.says}</span></li>`
  })}</ul>`
