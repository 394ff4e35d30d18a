/**
 * Heads that signed answers named: what a service told to others is compared with the log that it shows to the monitor. Two of
 * them that cannot both be true are a split view, and the operator's key signed both.
 */
import { fromHex, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import type { Finding } from "../../../../../core/proof/finding.ts"
import { logHeadHeader, parseLogHead } from "../../../../../core/proof/logHead.ts"
import { type SavedResponse, verifyResponse } from "../../../../../core/proof/verifyResponse.ts"
import { extendsPrevious } from "./entries.ts"
import type { Source } from "./source.ts"
import type { NamedHead, State } from "./state.ts"

/** An answer as somebody saved it. */
export interface SavedAnswer {
  /** Which one, for people: the file. */
  readonly name: string
  readonly response: SavedResponse
}

export interface Answers {
  readonly heads: ReadonlyArray<NamedHead>
  /** What was no evidence of a head, and why. */
  readonly unproved: ReadonlyArray<string>
}

/** Heads that wait for the log to reach them. */
const mostHeads = 100
/** Answers of which is said why they prove nothing. */
const mostUnproved = 20

/** The head that an answer names, if a key of the document signed both. Throws `Malformed` with the reason otherwise. */
const namedHead = ({ name, response }: SavedAnswer, keys: unknown): NamedHead => {
  const checks = verifyResponse(response, { keys })
  const lack = ["statement", "query and status (RFC 9421)", "head of the log"]
    .map((part) => ({ part, check: checks.find(({ name }) => name === part) }))
    .find(({ check }) => check?.ok !== true)
  if (lack !== undefined)
    throw new Malformed(
      `${name}: ${lack.part}: ${lack.check?.detail ?? `the answer has no ${logHeadHeader}`}`
    )
  const { root, size } = parseLogHead(response.headers[logHeadHeader] ?? "")
  return {
    size,
    root: toHex(root),
    at: response.headers["x-service-timestamp"] ?? "",
    answer: name
  }
}

/** The heads that answers name. `keys` is the key document of the service whose log is watched. */
export const headsOf = (answers: ReadonlyArray<SavedAnswer>, keys: unknown): Answers => {
  const heads: Array<NamedHead> = []
  const unproved: Array<string> = []
  for (const answer of answers) {
    try {
      heads.push(namedHead(answer, keys))
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      if (unproved.length < mostUnproved) unproved.push(error.message)
    }
  }
  return { heads, unproved }
}

const describe = ({ answer, at, root, size }: NamedHead): string =>
  `${size} entries with the root ${root}, as ${answer} of ${at} says`

const split = (where: string, expected: string, head: NamedHead): Finding => ({
  what: "split view",
  where,
  expected,
  found: describe(head),
  reason: "contradiction"
})

/** Two heads of one size with two roots: whatever the log is, one of them is not of it. */
const contradictions = (heads: ReadonlyArray<NamedHead>) =>
  [...Map.groupBy(heads, ({ size }) => size).values()].flatMap(([first, ...others]) => {
    const other = others.find(({ root }) => root !== first?.root)
    return first === undefined || other === undefined ? [] : [{ first, other }]
  })

/** Each head once: many answers name the same. */
const distinct = (heads: ReadonlyArray<NamedHead>): ReadonlyArray<NamedHead> => [
  ...new Map(heads.toReversed().map((head) => [`${head.size} ${head.root}`, head])).values()
]

const lies = async (source: Source, head: NamedHead, checkpoint: Checkpoint): Promise<boolean> =>
  !(await extendsPrevious(source, { size: head.size, root: fromHex(head.root, 32) }, checkpoint))

/**
 * Compares the heads with the log under the checkpoint in the state, whose files `source` has. Heads of more entries are kept in the
 * state until the log has as many.
 */
export const compareHeads = async (
  source: Source,
  named: ReadonlyArray<NamedHead>,
  state: State
): Promise<{ readonly findings: ReadonlyArray<Finding>; readonly state: State }> => {
  const checkpoint = parseCheckpointText(parseNote(state.checkpoint).text)
  const heads = distinct([...(state.heads ?? []), ...named])
  const pairs = contradictions(heads)
  const findings = pairs.map(({ first, other }) => split(checkpoint.origin, describe(first), other))
  const contradicted = new Set(pairs.map(({ other }) => other))
  for (const head of heads) {
    if (head.size > checkpoint.size || head.size === 0 || contradicted.has(head)) continue
    if (await lies(source, head, checkpoint))
      findings.push(
        split(
          checkpoint.origin,
          `a head that ${source.name} extends to ${checkpoint.size} entries with the root ${toHex(checkpoint.root)}`,
          head
        )
      )
  }
  const waiting = heads.filter(({ size }) => size > checkpoint.size).slice(0, mostHeads)
  const { heads: _, ...rest } = state
  return { findings, state: waiting.length === 0 ? rest : { ...rest, heads: waiting } }
}
