/**
 * A week that is watched: three processes on Postgres, a witness, a notary and an observer in moved time, with faults one after the other. Of each
 * it says what an operator sees of it: incidents and whether they end by themselves, alerts, codes of `/readyz`, the longest line of
 * `status`, and whether anything false was sealed.
 * `npx node test/campaigns/week.ts [--days <n>] [--page]`; needs root (a disk and a network of its own), faketime and Prometheus.
 */
import { writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { readyz } from "../support/fleet.ts"
import { isInOwnNetwork, runInOwnNetwork } from "./ownNetwork.ts"
import { type Fired, firedIn, type Scrape } from "./weekAlerts.ts"
import { type Fault, faults, notaryAway, notaryLies } from "./weekFaults.ts"
import { type Noted, notedIn } from "./weekNotes.ts"
import { pageOf } from "./weekPage.ts"
import { plugins, startWorld, tlsAddress, tlsHost, type World } from "./weekWorld.ts"

const hour = 3_600_000
const step = 2 * hour
/** The close of the last day is at 08:00 of the next, and its comparison with the observer later. */
const afterLast = 12
/** What a fault does may be over so much later only. */
const aftermath = 8 * hour

/** What `/readyz` of a process said at a time. */
interface Readiness {
  readonly at: number
  readonly process: string
  readonly codes: ReadonlyArray<string>
}

interface IncidentRow {
  readonly id: number
  readonly fault: number | null
  readonly symbol: string
  readonly source: string | null
  readonly reason: string
  readonly opened: number
  readonly ended: number | null
}

/** What was seen of a fault. */
export interface Outcome {
  readonly fault: Fault
  /** Faults that became incidents, and how many hours after its end the last of them closed; null: it did not. */
  readonly incidents: number
  readonly closedAfter: number | null
  readonly alerts: ReadonlyArray<string>
  /** Most often that one alert fired in one time. */
  readonly atOnce: number
  readonly codes: ReadonlyArray<string>
  readonly longestLine: number
  readonly lines: ReadonlyArray<string>
  /** What the service says beside each false leaf of the fault: its marks, or nothing. */
  readonly falseLeaves: ReadonlyArray<string>
  /** Why its incidents were opened. */
  readonly reasons: ReadonlyArray<string>
}

export interface Week {
  readonly days: number
  readonly minutes: number
  readonly load: readonly [before: number, after: number]
  readonly outcomes: ReadonlyArray<Outcome>
  readonly otherAlerts: ReadonlyArray<string>
  readonly otherIncidents: ReadonlyArray<string>
  readonly leaves: number
  readonly closedDays: number
  readonly noted: Noted
  readonly check: { readonly code: number; readonly out: string }
  readonly monitor: { readonly code: number; readonly out: string }
}

const wait = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))

/** Waits until the feeds were read since a count, for a while. */
const untilRead = Effect.fnUntraced(function* ({ upstream }: World, before: ReadonlyMap<string, number>) {
  for (let n = 0; n < 20; n++) {
    if (plugins.every((plugin) => upstream.asked(plugin) > (before.get(plugin) ?? 0))) break
    yield* wait(250)
  }
  // For what is read to be stored, sealed and answered.
  yield* wait(1500)
})

const sample = Effect.fnUntraced(function* (world: World) {
  const at = world.time.now()
  return yield* Effect.forEach(
    [...world.members],
    ([process, member]) =>
      Effect.promise(async () => {
        const text = await fetch(`${member.base}/metrics`, { signal: AbortSignal.timeout(5000) }).then(
          (answer) => answer.text(),
          () => undefined
        )
        const { reasons, warnings } =
          text === undefined
            ? { reasons: [{ code: "no answer" }], warnings: [] }
            : await Effect.runPromise(readyz(member))
        const codes = [...reasons, ...warnings].map(({ code }) => code)
        return { scrape: { process, at, text }, readiness: { at, process, codes } }
      }),
    { concurrency: 3 }
  )
})

/** What stands, and not what a process is while it catches up with two hours in a moment: that is asked again. */
const settledSample = Effect.fnUntraced(function* (world: World) {
  for (let n = 0; n < 3; n++) {
    const all = yield* sample(world)
    if (all.every(({ readiness }) => readiness.codes.length === 0)) return all
    yield* wait(1500)
  }
  return yield* sample(world)
})

const logged = <R>(fault: Fault, work: Effect.Effect<void, never, R>) =>
  Effect.catchCause(work, (cause) => Effect.sync(() => console.error(`${fault.name}: ${cause}`)))

const incidentsOf = ({ postgres }: World) =>
  Effect.promise(() =>
    postgres.query<IncidentRow>(`
      select id, fault, symbol, source, reason, (extract(epoch from opened_at) * 1000)::float8 as opened,
        (extract(epoch from coalesce(closed_at, over_at)) * 1000)::float8 as ended from incident order by id`)
  )

interface SealedLeaf {
  readonly symbol?: string
  readonly metric?: string
  readonly day?: string
  readonly source?: string
  readonly value?: number
  readonly excluded_by?: number
  readonly kind: string
}

const leavesOf = ({ postgres }: World) =>
  Effect.promise(async () =>
    (await postgres.query<{ text: string }>("select text from leaf where series is not null")).map(
      ({ text }) => JSON.parse(text) as SealedLeaf
    )
  )

/**
 * What `/v1/attest` says beside a leaf. Every series of such a week is younger than seven days, and that mark would say nothing.
 */
const besideLeaf = (base: string, { day = "", metric = "", source = "", symbol = "" }: SealedLeaf) =>
  Effect.promise(async () => {
    const query = new URLSearchParams({ symbol, metric, source, date: day })
    const answer = await fetch(`${base}/v1/attest?${query}`)
    if (!answer.ok) return `no proof (${answer.status})`
    const { marks = [] } = (await answer.json()) as {
      readonly marks?: ReadonlyArray<{ readonly mark: string }>
    }
    const words = marks.map(({ mark }) => mark).filter((mark) => mark !== "young")
    return words.length === 0 ? "unmarked" : words.join(" and ")
  })

/** The hours of the faults that concern the notary, and all others. */
const spansOf = (planned: ReadonlyArray<Fault>, end: number) => {
  const faulty = planned.filter(({ name }) => name === notaryAway || name === notaryLies)
  const between = [{ to: 0 }, ...faulty].map(({ to }, n) => ({
    name: n === 0 ? "before" : `after "${faulty[n - 1]?.name}"`,
    from: to,
    to: faulty[n]?.from ?? end + 2
  }))
  return [...between, ...faulty].toSorted((a, b) => a.from - b.from)
}

const faultsIn = (days: number): ReadonlyArray<Fault> => faults.filter(({ to }) => to <= days * 24 + 4)

const play = Effect.fnUntraced(function* (days: number) {
  const from = Math.ceil(Date.now() / (24 * hour)) * 24 * hour + 5 * 60_000
  const world = yield* startWorld(from)
  const atHour = (n: number): number => from + n * hour
  const scrapes: Array<Scrape> = []
  const readiness: Array<Readiness> = []
  const statusLines = new Map<string, ReadonlyArray<string>>()
  const planned = faultsIn(days)
  const began = performance.now()
  for (let n = 0; n <= days * 24 + afterLast; n += 2) {
    const beginning = planned.filter((fault) => fault.from === n)
    for (const fault of beginning) if (fault.after === undefined) yield* logged(fault, fault.begin(world))
    const before = new Map(plugins.map((plugin) => [plugin, world.upstream.asked(plugin)]))
    world.time.moveTo(atHour(n))
    for (const fault of beginning)
      if (fault.after !== undefined) {
        yield* wait(fault.after)
        yield* logged(fault, fault.begin(world))
      }
    yield* untilRead(world, before)
    for (const one of yield* settledSample(world)) {
      scrapes.push(one.scrape)
      readiness.push(one.readiness)
    }
    // Looked at in its last hours, when all that a fault does can be seen.
    for (const fault of planned.filter(({ to }) => to === n + 2)) {
      const { out } = yield* Effect.promise(() => world.command("status"))
      statusLines.set(fault.name, out.trimEnd().split("\n"))
      yield* logged(fault, fault.end(world))
    }
    if (n === 4) {
      const { out } = yield* Effect.promise(() =>
        world.command("confirm", ...plugins, "--because", "compared with the stand-in")
      )
      console.error(out.trim().split("\n").at(-1))
    }
    const codes = readiness
      .slice(-world.members.size)
      .map(({ codes, process }) => `${process}: ${codes.join(" ")}`)
    for (const [name, { child, output }] of world.members)
      if (child.exitCode !== null || child.signalCode !== null)
        console.error(`${name} has ended (${child.exitCode} ${child.signalCode}): ${output().slice(-2000)}`)
    console.error(`hour ${n} (${Math.round((performance.now() - began) / 1000)} s): ${codes.join("; ")}`)
  }
  const check = yield* Effect.promise(() => world.command("log", "check", "--full"))
  const [member] = world.members.values()
  const monitor = yield* Effect.promise(() =>
    world.command(
      "verify",
      "monitor",
      "--once",
      "--log-only",
      "--url",
      member?.base ?? "",
      "--key",
      world.kid
    )
  )
  const fired = yield* Effect.promise(() => firedIn(scrapes, step))
  const incidents = yield* incidentsOf(world)
  const leaves = yield* leavesOf(world)
  const isFalse = ({ excluded_by, kind, source, value }: SealedLeaf) =>
    kind !== "absent" &&
    excluded_by === undefined &&
    source !== undefined &&
    value !== undefined &&
    !world.upstream.isTrue(source, value)
  const falseLeaves = yield* Effect.forEach(leaves.filter(isFalse), (leaf) =>
    Effect.map(besideLeaf(member?.base ?? "", leaf), (beside) => ({ source: leaf.source, beside }))
  )
  const [closed] = yield* Effect.promise(() =>
    world.postgres.query<{ n: number }>("select count(*)::int as n from batch where closed_at is not null")
  )
  const within = (at: number, { from: first, to }: Fault) =>
    at >= atHour(first) - 60_000 && at < atHour(to) + aftermath
  const explained = new Set<Fired>()
  const own = new Set<IncidentRow>()
  const outcomes = planned.map((fault): Outcome => {
    const met = incidents.filter(
      (one) => within(one.opened, fault) && (fault.plugin === undefined ? false : one.source === fault.plugin)
    )
    for (const one of met) own.add(one)
    const alerts = fired.filter((one) => {
      if (one.labels["plugin"] !== undefined && one.labels["plugin"] !== fault.plugin) return false
      return within(one.from, fault)
    })
    for (const one of alerts) explained.add(one)
    const names = [...new Set(alerts.map(({ alert }) => alert))]
    const ends = met.map(({ ended }) => ended)
    const lines = statusLines.get(fault.name) ?? []
    return {
      fault,
      incidents: new Set(met.map((one) => one.fault ?? one.id)).size,
      closedAfter: ends.includes(null)
        ? null
        : Math.max(0, ...ends.map((ended) => ((ended ?? 0) - atHour(fault.to)) / hour)),
      alerts: names,
      atOnce: Math.max(
        0,
        ...names.map((name) => {
          const ofName = alerts.filter(({ alert }) => alert === name)
          return Math.max(
            ...ofName.map((a) => ofName.filter((b) => b.from <= a.from && a.from <= b.to).length)
          )
        })
      ),
      codes: [
        ...new Set(
          readiness
            .filter(({ at }) => at >= atHour(fault.from) - 60_000 && at < atHour(fault.to) - 60_000)
            .flatMap(({ codes, process }) =>
              codes.map((code) => (code === "no answer" ? `no answer of ${process}` : code))
            )
        )
      ],
      longestLine: Math.max(0, ...lines.map((line) => line.length)),
      lines: lines.filter(
        (line) => line.length > 120 || (fault.plugin !== undefined && line.includes(fault.plugin))
      ),
      falseLeaves: falseLeaves.flatMap(({ beside, source }) => (source === fault.plugin ? [beside] : [])),
      reasons: [...new Set(met.map(({ reason }) => reason))]
    }
  })
  const result: Omit<Week, "load"> = {
    days,
    minutes: (performance.now() - began) / 60_000,
    outcomes,
    otherAlerts: [
      ...new Set(
        fired
          .filter((one) => !explained.has(one))
          .map(
            ({ alert, from: at, labels }) =>
              `${alert} ${labels["plugin"] ?? ""} at hour ${((at - from) / hour).toFixed(0)}`
          )
      )
    ],
    otherIncidents: incidents
      .filter((one) => !own.has(one))
      .map(
        ({ ended, opened, reason, source }) =>
          `${source} at hour ${((opened - from) / hour).toFixed(0)}, ${ended === null ? "open" : "ended"}: ${reason}`
      ),
    leaves: leaves.length,
    closedDays: closed?.n ?? 0,
    noted: yield* notedIn(world, atHour, spansOf(planned, days * 24 + afterLast)),
    check,
    monitor
  }
  return result
}, Effect.scoped)

if (import.meta.main && !isInOwnNetwork(tlsAddress)) process.exit(runInOwnNetwork(tlsHost, tlsAddress))

if (import.meta.main) {
  const { values } = parseArgs({
    options: { days: { type: "string", default: "7" }, page: { type: "boolean", default: false } }
  })
  const before = loadavg()[0] ?? 0
  const result = await Effect.runPromise(play(Number(values.days)))
  const week: Week = { ...result, load: [before, loadavg()[0] ?? 0] }
  const page = pageOf(week)
  console.log(page)
  for (const { fault, lines, reasons } of week.outcomes)
    console.log([`${fault.name}:`, ...reasons, ...lines].join("\n  "))
  console.log(week.check.out, week.monitor.out)
  if (values.page) writeFileSync(new URL("../../runtime/deploy/week.md", import.meta.url), page)
  process.exit()
}
