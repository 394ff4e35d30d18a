/** Counts the notaries that carried the answers which a value was read from: those that the caller names, in each run beside the bundle. */
import { Malformed } from "./bytes.ts"
import { type Check, check, demand, notChecked, notProved, refused } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { noteKeyText } from "./checkpoint.ts"
import type { Leaf } from "./leaf.ts"
import { type Notarisation, noteHash, parseNotarisation, readNotarisation } from "./notarisation.ts"
import { type Coverage, coverageOf } from "./notarised.ts"
import type { NotaryPolicy } from "./notaryPolicy.ts"
import { type Observed, runsOf } from "./observed.ts"
import { demandOther, type Own, ownOf } from "./others.ts"
import type { RanLeaf, RunExchange } from "./runLeaf.ts"
import type { Signed as SignedHead } from "./verifyAgreed.ts"

/** What the named notaries state of a run. */
export interface RunCoverage {
  readonly run: string
  /** Exchanges with an upstream. */
  readonly exchanges: number
  /** Those that statements cover whole. */
  readonly covered: ReadonlyArray<Coverage>
}

type Signed = NonNullable<ReturnType<typeof readNotarisation>>

/** Throws `Malformed` if a statement is of another service's session, or of a simulated one where the value is not. */
const demandOwn = ({ statement }: Signed, own: Own, { simulated }: Leaf): void => {
  const { collector, notary } = statement
  demand(
    collector === own.origin,
    `the notary ${notary} carried a session for ${collector}, and not for ${own.origin}`,
    "origin"
  )
  demand(
    statement.simulated === simulated,
    `the statement of ${notary} and the value disagree on whether they are simulated`,
    "contradiction"
  )
}

/**
 * Signed statements by the hash of their notes. Throws `Malformed` for a signature of a named notary that is wrong, and for a statement
 * that cannot be about the value.
 */
const signedOf = (
  notes: ReadonlyArray<string>,
  { notaries }: NotaryPolicy,
  own: Own,
  value: Leaf
): ReadonlyMap<string, Signed> =>
  new Map(
    notes.flatMap((note) => {
      const signed = readNotarisation(note, notaries)
      if (signed === undefined) return []
      demandOwn(signed, own, value)
      return [[noteHash(note), signed] as const]
    })
  )

/** Throws `Malformed` if another notary than the run's own carried it. What a 304 confirms is of an earlier run, and its notary. */
const demandDrawn = (
  { lot, run }: RanLeaf,
  exchange: RunExchange,
  { statements }: Coverage,
  signers: ReadonlyMap<Notarisation, string>
): void => {
  const own = exchange.confirmed === true ? statements.slice(0, -1) : statements
  const other = own.map((statement) => signers.get(statement)).find((key) => key !== lot?.notary)
  if (lot !== undefined && other !== undefined)
    throw new Malformed(
      `run ${run} was carried by the notary ${other}, but ${lot.notary} was drawn for it`,
      "contradiction"
    )
}

/** What these statements cover of a run; those of one notary alone, to count that notary. */
const runCoverage = (leaf: RanLeaf, signed: ReadonlyMap<string, Signed>): RunCoverage => {
  const signers = new Map(
    [...signed.values()].map(({ notary, statement }) => [statement, noteKeyText(notary)])
  )
  const covered = leaf.exchanges.flatMap((exchange) => {
    const coverage = coverageOf(
      exchange,
      exchange.notes.flatMap((hash) => signed.get(hash)?.statement ?? [])
    )
    if (coverage !== undefined) demandDrawn(leaf, exchange, coverage, signers)
    return coverage ?? []
  })
  return { run: leaf.run, exchanges: leaf.exchanges.length, covered }
}

const isCovered = ({ covered, exchanges }: RunCoverage): boolean =>
  exchanges > 0 && covered.length === exchanges

const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** What nobody can check: said wherever notaries are counted. */
export const notaryLimit =
  "it remains to be trusted that no collector controls a notary, or the way between a notary and the host"

const says = (keys: ReadonlyArray<string>, runs: ReadonlyArray<RunCoverage>): string => {
  const statements = runs.flatMap(({ covered }) => covered.flatMap((coverage) => coverage.statements))
  const hosts = [...new Set(statements.map(({ host }) => host))].sort()
  const isHidden = runs.some(({ covered }) => covered.some(({ of }) => of === "host"))
  const [first] = runs
  const answers =
    first === undefined || first.exchanges === 1 ? "this answer" : `these ${first.exchanges} answers`
  const who =
    hosts.length === 1 ? "the holder of the host's certificate" : "the holders of the hosts' certificates"
  const names = keys.map((key) => key.split("+")[0]).join(", ")
  const limitation = isHidden
    ? "; requests with a key stay hidden, so it is the host that is stated, not what was asked"
    : ""
  return `${plural(keys.length, "notary", "notaries")} (${names}) carried ${answers} from ${who} (${hosts.join(", ")})${limitation}; ${notaryLimit}`
}

/** A notary, and the run that it carried. */
interface Carrier {
  readonly key: string
  readonly run: RunCoverage
}

/**
 * The notaries each of which alone states every exchange of one of these runs: each answer, each redirect to it, and the earlier answer
 * that a 304 confirms. Two that together state a run count for nothing, and a session that two notaries claim to have carried counts once.
 */
const carriersOf = (
  runs: ReadonlyArray<RanLeaf>,
  signed: ReadonlyMap<string, Signed>
): ReadonlyArray<Carrier> => {
  const byKey = Map.groupBy(signed, ([, { notary }]) => noteKeyText(notary))
  const sessions = new Set<string>()
  return [...byKey.keys()].sort().flatMap((key) => {
    const own = new Map(byKey.get(key) ?? [])
    const carried = runs.map((run) => runCoverage(run, own)).filter(isCovered)
    const run = carried.find(({ covered }) => sessionsIn(covered).every((session) => !sessions.has(session)))
    if (run === undefined) return []
    for (const session of sessionsIn(run.covered)) sessions.add(session)
    return [{ key, run }]
  })
}

const sessionsIn = (covered: ReadonlyArray<Coverage>): ReadonlyArray<string> =>
  covered.flatMap(({ statements }) => statements.map(({ session }) => session))

/** What is there for who names notaries. */
const unnamed = (notes: ReadonlyArray<string>): string => {
  const names = notes.flatMap((note) => {
    try {
      return [parseNotarisation(note).notary]
    } catch (error) {
      if (error instanceof Malformed) return []
      throw error
    }
  })
  const by = [...new Set(names)].sort().join(", ")
  return `${plural(notes.length, "statement", "statements")} by ${by === "" ? "notaries that cannot be read" : by} of what the host answered; give the keys of the notaries that count for you, and it is checked (\`--notary\` of the command, a field of the page /verify)`
}

/** The statements of notaries about the runs that gave a value; an empty list where none was asked for and none is there. */
export const checkNotaries = (
  observed: Observed | undefined,
  checkpoint: Checkpoint,
  value: Leaf | undefined,
  policy: NotaryPolicy | undefined,
  head: SignedHead | undefined
): ReadonlyArray<Check<"notaries">> => {
  const name = "notaries"
  const notes = observed?.notes ?? []
  if (policy === undefined)
    return value === undefined || value.kind === "absent"
      ? []
      : [notChecked(name, notes.length === 0 ? "no notary states what the host answered" : unnamed(notes))]
  if (observed === undefined || value === undefined)
    return [
      notProved(
        name,
        "the run that gave the value is not beside the bundle, so nobody can say who carried it"
      )
    ]
  // Without it the check of its signature says why.
  if (head === undefined) return [notChecked(name, "the signature of the bundle's checkpoint does not hold")]
  try {
    const own = ownOf(head.document)
    for (const notary of policy.notaries) demandOther("notary", notary, own)
    const signed = signedOf(notes, policy, own, value)
    const runs = runsOf(observed, checkpoint, value)
    const carriers = carriersOf(runs, signed)
    if (carriers.length >= policy.least)
      return [
        check(name, () =>
          says(
            carriers.map(({ key }) => key),
            carriers.map(({ run }) => run)
          )
        )
      ]
    const first = runCoverage(runs[0], signed)
    return [
      notProved(
        name,
        `${plural(carriers.length, "notary", "notaries")} of the ${policy.least} that you ask for carried what the value was read from; ${first.covered.length} of ${first.exchanges} answers of run ${first.run} are stated by notaries that you named`
      )
    ]
  } catch (error) {
    if (error instanceof Malformed) return [refused(name, error)]
    throw error
  }
}
