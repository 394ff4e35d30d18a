/**
 * One look at a log, as an outsider can see it: everything that is new since the last look, from the signed head down to
 * leaves, absences and documents, and a sample of what the service serves beside the log.
 */
import { parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import { type Edge, grown, rootOfEdge } from "../../../../../core/proof/edge.ts"
import type { BatchEntry } from "../../../../../core/proof/entry.ts"
import { isBatch } from "../../../../../core/proof/entry.ts"
import { type Finding, findingOf } from "../../../../../core/proof/finding.ts"
import { isDemoLog } from "../../../../../core/proof/keys.ts"
import { demandServed, parseKeysDocument } from "../../../../../core/proof/keysDocument.ts"
import type { RowLeaf } from "../../../../../core/proof/leaf.ts"
import { leafHash } from "../../../../../core/proof/merkle.ts"
import { ownOf } from "../../../../../core/proof/others.ts"
import { day as dayMs, hour } from "../../../../../core/proof/time.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import { demandKnown } from "../../../../../core/proof/verifyLoggedKeys.ts"
import { type NewEntries, readEntries } from "./entries.ts"
import { saysExtra } from "./extraRuns.ts"
import { describeHead, type Head, readHead } from "./head.ts"
import {
  attested,
  type Compared,
  compare,
  historyOf,
  placesIn,
  type Service,
  servedLeaves
} from "./history.ts"
import { type PastLook, withLook } from "./looks.ts"
import { memoryOf, type Progress } from "./memory.ts"
import { withoutOrigin } from "./origins.ts"
import { unpublished } from "./restated.ts"
import { noRuns } from "./runs.ts"
import { withoutSchedule } from "./schedules.ts"
import type { Source } from "./source.ts"
import { type Doubt, edgeMember, edgeOf, firstState, noRecord, type State } from "./state.ts"
import { checkUnit } from "./units.ts"

/** What a look needs from outside. */
export interface Looking {
  readonly trust: Trust
  readonly source: Source
  /** Asks the service itself; absent where there are only files. */
  readonly service?: Service
  /** Epoch milliseconds. */
  readonly now: () => number
  /** When the files were read from the service (epoch milliseconds), where they are a copy; undefined where nobody wrote it down. */
  readonly copied?: () => Promise<number | undefined>
  /** A random number from 0 to below `n`, which the service cannot foresee. */
  readonly random: (n: number) => number
  readonly say: (progress: string) => void
  /** Called with the state after each part that was checked; `sound` is false if something was found in the log so far. */
  readonly checked: (state: State, sound: boolean) => Promise<void>
}

export interface Look {
  readonly findings: ReadonlyArray<Finding>
  /** What could not be proved, and why. */
  readonly unproved: ReadonlyArray<string>
  /** What holds as far as it goes and was not checked, and why. */
  readonly notChecked: ReadonlyArray<string>
  readonly state: State | undefined
  readonly counts: {
    readonly size: number
    readonly entries: number
    readonly batches: number
    readonly leaves: number
    readonly documents: number
    readonly networks: number
    readonly proofs: number
  }
}

/** Networks whose history is compared, and values whose proof is asked for, in one look. */
const networksAtOnce = 20
const proofsAtOnce = 5
/** Doubts that are remembered. */
const mostDoubts = 500
const mostForks = 100
/** Days of a history that are asked for. */
const daysOfHistory = 30

/** Looks once. Throws `CannotLook` if that was not possible. */
export const look = async (looking: Looking, previous: State | undefined): Promise<Look> => {
  const nothing = { size: 0, entries: 0, batches: 0, leaves: 0, documents: 0, networks: 0, proofs: 0 }
  const began = looking.copied === undefined ? looking.now() : await looking.copied()
  const {
    checks,
    findings: ofHead,
    head
  } = await readHead(looking.source, previous, looking.trust, looking.now())
  const unproved = checks
    .filter(({ ok }) => ok === "not proved")
    .map(({ detail, name }) => `${name}: ${detail}`)
  if (head === undefined || ofHead.length > 0)
    return { findings: ofHead, unproved, notChecked: [], state: previous, counts: nothing }
  const now = new Date(looking.now()).toISOString()
  let state = previous ?? firstState(head.checkpoint.origin, head.note, now)
  const previousHead =
    previous === undefined ? undefined : parseCheckpointText(parseNote(previous.checkpoint).text)
  const edge = edgeOf(state)
  const read = await readEntries(looking.source, head.checkpoint, previousHead, edge)
  const counts = { ...nothing, size: head.checkpoint.size }
  if (read.edge === undefined) {
    const findings = [...read.findings]
    if (read.forked && previousHead !== undefined) {
      findings.unshift(forkOf(state, head))
      state = withFork(state, head, now)
    }
    await looking.checked(state, false)
    return { findings, unproved, notChecked: [], state, counts }
  }
  state = {
    ...state,
    checkpoint: head.note,
    seen_at: previousHead?.size === head.checkpoint.size ? state.seen_at : now,
    ...(began === undefined
      ? {}
      : { looks: withLook(looksOf(previous), lookAt(head, began), state.checked.size) }),
    // Only the first: from then on, a new key must be the proved successor of one that is known.
    keys: state.keys.length > 0 ? state.keys : head.signers.map(({ kid }) => kid)
  }
  const walked = await walk(looking, read, edge, state, head)
  const isDemo = isDemoLog(head.checkpoint.origin)
  // What was found in an origin is said once: the state stands before it, and the progress after it.
  const origins = withoutOrigin(
    walked.progress.record ?? noRecord,
    // A demo's days are in its past.
    isDemo ? Date.parse(walked.progress.record?.at ?? now) : looking.now(),
    isDemo
  )
  state = {
    ...walked.state,
    ...(walked.findings.length > 0 || walked.state.record === undefined ? {} : { record: origins.record }),
    symbols: symbolsOf(walked) ?? state.symbols
  }
  const findings = [
    ...walked.findings,
    ...origins.findings,
    ...promiseKept(head, state, looking.now()),
    ...(isDemo ? [] : withoutSchedule(state.record?.runs ?? noRuns)),
    ...keysOf(head, state)
  ]
  const beside = await besideLog(looking, walked, state)
  findings.push(...beside.findings)
  state = { ...state, doubts: beside.doubts }
  await looking.checked(state, walked.findings.length === 0)
  const { networks, proofs } = beside
  const { batches, documents, leaves } = walked
  return {
    findings,
    unproved: [...unproved, ...origins.unproved],
    notChecked: [
      ...walked.notChecked,
      ...origins.notChecked,
      ...(state.record?.runs?.counts ?? []).flatMap(saysExtra)
    ],
    state,
    counts: { ...counts, entries: read.entries.length, batches, leaves, documents, networks, proofs }
  }
}

/** Earlier releases remembered one look: the first that saw the newest head. */
const looksOf = (previous: State | undefined): ReadonlyArray<PastLook> =>
  previous === undefined
    ? []
    : (previous.looks ?? [
        { size: parseCheckpointText(parseNote(previous.checkpoint).text).size, at: previous.seen_at }
      ])

const lookAt = ({ checkpoint }: Head, at: number): PastLook => ({
  size: checkpoint.size,
  at: new Date(at).toISOString()
})

const forkOf = (state: State, head: Head): Finding => ({
  what: "fork",
  where: head.checkpoint.origin,
  expected: `a head that extends the kept one:\n${state.checkpoint}`,
  found: `a head of ${describeHead(head.checkpoint)} that does not:\n${head.note}`,
  reason: "hash"
})

const withFork = (state: State, head: Head, at: string): State => {
  if (state.forks.some(({ served }) => served === head.note)) return state
  return {
    ...state,
    forks: [...state.forks, { at, kept: state.checkpoint, served: head.note }].slice(0, mostForks)
  }
}

interface Walked {
  readonly state: State
  /** What all entries say, also those that the state does not reach. */
  readonly progress: Progress
  readonly findings: ReadonlyArray<Finding>
  readonly notChecked: ReadonlyArray<string>
  readonly batches: number
  readonly documents: number
  readonly leaves: number
  /** The newest batch of the walk with its rows, and every series and day that a leaf of the walk is about. */
  readonly newest: { readonly entry: BatchEntry; readonly rows: ReadonlyArray<RowLeaf> } | undefined
  readonly settled: ReadonlySet<string>
}

const seriesDay = (one: Pick<RowLeaf, "day" | "metric" | "source" | "symbol">): string =>
  JSON.stringify([one.symbol, one.metric, one.source, one.day])

/** Checks entry after entry. The state moves on as far as nothing was found, so that what was found is looked at again. */
const walk = async (
  looking: Looking,
  { entries, findings: ofEntries }: NewEntries,
  start: Edge,
  from: State,
  head: Head
): Promise<Walked> => {
  const findings: Array<Finding> = [...ofEntries]
  const settled = new Set<string>()
  const doubted = new Set(from.doubts.map(seriesDay))
  let [edge, state, progress]: [Edge, State, Progress] = [start, from, from]
  let [batches, documents, leaves] = [0, 0, 0]
  const notChecked: Array<string> = []
  let newest: Walked["newest"]
  let ahead: State | undefined
  if (entries.length === 0)
    return { state, progress, findings, notChecked, batches, documents, leaves, newest, settled }
  const memory = await memoryOf(looking.source, from, {
    now: looking.now(),
    own: ownOf(head.keys),
    head
  })
  for (const [at, bytes] of entries.entries()) {
    const unit = await checkUnit(looking.source, memory, bytes, start.size + at, progress)
    progress = unit.progress
    if (unit.reopens !== true) state = ahead ?? state
    ahead = undefined
    findings.push(...unit.findings)
    notChecked.push(...(unit.notChecked ?? []))
    const { entry, rows } = unit
    if (entry !== undefined && isBatch(entry)) {
      batches++
      leaves += entry.tree_size
      for (const row of rows ?? []) if (doubted.has(seriesDay(row))) settled.add(seriesDay(row))
      newest = { entry, rows: rows ?? [] }
      looking.say(
        `${entry.days[0]}: ${entry.tree_size} leaves (entry ${start.size + at} of ${start.size + entries.length})`
      )
    } else documents++
    edge = grown(edge, leafHash(bytes))
    memory.roots.set(edge.size, rootOfEdge(edge))
    const isLast = at === entries.length - 1
    if (isLast) findings.push(...unpublished(memory))
    if (findings.length === 0) {
      const reached = { ...state, ...progress, checked: edgeMember(edge) }
      // A batch and the revisions after it belong together: what is found in these is looked at again with the batch.
      if (rows === undefined || isLast) state = reached
      else ahead = reached
    }
    // A part is saved when it is worth it: each batch reads megabytes.
    if (rows !== undefined) await looking.checked(state, findings.length === 0)
  }
  return { state, progress, findings, notChecked, batches, documents, leaves, newest, settled }
}

/** The networks of the newest batch; undefined if there is no new one. */
const symbolsOf = ({ newest }: Walked): ReadonlyArray<string> | undefined =>
  newest === undefined || newest.rows.length === 0
    ? undefined
    : [...new Set(newest.rows.map(({ symbol }) => symbol))]

/** Whether the batch of each day came as soon as the operator promised. The demo's days are in its past. */
const promiseKept = ({ checkpoint, keys }: Head, { day }: State, now: number): ReadonlyArray<Finding> => {
  if (isDemoLog(checkpoint.origin) || day === undefined) return []
  const due = Date.parse(day) + 2 * dayMs + keys.batchWithinHours * hour
  if (now <= due) return []
  return [
    {
      what: "promise",
      where: "newest batch",
      expected: `the batch of ${new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)} by ${new Date(due).toISOString()}`,
      found: `the newest is of ${day}`,
      reason: "missing"
    }
  ]
}

/** Whether the newest document of keys knows the key of the head, and the served key document says the same. */
const keysOf = ({ keys, signers }: Head, { record }: State): ReadonlyArray<Finding> => {
  const text = record?.keys
  if (text === undefined) return []
  return findingOf(
    { what: "keys", where: "served key document", expected: "the keys that the log has, and that sign it" },
    () => {
      const logged = parseKeysDocument(text)
      demandServed(logged, keys)
      demandKnown(logged, signers)
    }
  )
}

const some = <A>(all: ReadonlyArray<A>, n: number, random: Looking["random"]): ReadonlyArray<A> => {
  const left = [...all]
  const chosen: Array<A> = []
  while (chosen.length < n && left.length > 0) chosen.push(...left.splice(random(left.length), 1))
  return chosen
}

/** Compares what the service serves with the log: of some networks and days, so that it cannot know which. */
const besideLog = async (looking: Looking, walked: Walked, state: State) => {
  const { newest, settled } = walked
  const open = state.doubts.filter((doubt) => !settled.has(seriesDay(doubt)))
  const { service } = looking
  const closed = state.day
  if (service === undefined || closed === undefined)
    return { findings: [], doubts: open, networks: 0, proofs: 0 }
  const { base, get } = service
  const findings: Array<Finding> = []
  const doubts: Array<Doubt> = []
  // A leaf may be met twice: in the newest batch, and by chance.
  const met = new Set<string>()
  const add = (compared: Compared) => {
    if (compared === undefined) return
    const where = "doubt" in compared ? seriesDay(compared.doubt) : compared.finding.where
    if (met.has(where)) return
    met.add(where)
    if ("doubt" in compared) doubts.push(compared.doubt)
    else findings.push(compared.finding)
  }
  const daysSince = (day: string) => Math.min(3650, Math.ceil((looking.now() - Date.parse(day)) / dayMs) + 1)
  for (const doubt of open) {
    const history = await historyOf(get, base, doubt.symbol, daysSince(doubt.day))
    // The batch after a change publishes it: what is still different then was never published.
    const compared = await compare(service, history, doubt, { closed, strict: doubt.closed < closed })
    add(compared)
    if (compared !== undefined && "finding" in compared) doubts.push(doubt)
  }
  const leaves = Map.groupBy(servedLeaves(newest?.rows ?? []), ({ symbol }) => symbol)
  const networks = some(state.symbols, networksAtOnce, looking.random)
  let proofs = 0
  for (const [at, symbol] of networks.entries()) {
    looking.say(`history of ${symbol} (${at + 1} of ${networks.length})`)
    const history = await historyOf(get, base, symbol, daysOfHistory)
    for (const leaf of leaves.get(symbol) ?? []) {
      if (leaf.day === closed) add(await compare(service, history, leaf, { closed, strict: false }))
    }
    const places = placesIn(history).filter(([, day]) => day <= closed && day > (state.earlier ?? ""))
    const [place] = at < proofsAtOnce ? some(places, 1, looking.random) : []
    if (place === undefined) continue
    const [metric, day] = place
    looking.say(`proof of ${symbol} ${metric} on ${day}`)
    const proof = await attested(service, { symbol, metric, day }, looking.trust)
    proofs++
    findings.push(...proof.findings)
    if (proof.leaf !== undefined) add(await compare(service, history, proof.leaf, { closed, strict: false }))
  }
  return { findings, doubts: doubts.slice(0, mostDoubts), networks: networks.length, proofs }
}
