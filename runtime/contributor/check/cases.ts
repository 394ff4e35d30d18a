/** Rules for a plugin's cases: they exist, are complete, and replay to the rows they expect. */
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Clock, Effect, Option, Result } from "effect"
import { metricNamed } from "../../../core/plugin/Manifest.ts"
import { isRefusal } from "../../../core/plugin/notes.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected, Recording } from "../../../core/plugin/Recording.ts"
import { day } from "../../../core/plugin/time.ts"
import { storedHeaders } from "../../../core/plugin/Upstream.ts"
import type { Observation } from "../../../core/plugin/Value.ts"
import { pluginProgram, program } from "../../../core/process/program.ts"
import { placeOf } from "../../collector/plugins.ts"
import type { Tape } from "../../upstream/replay.ts"
import * as Fixtures from "../fixtures.ts"
import { type Finding, isDerived, note, scaffoldMark, todo, wrong } from "./Finding.ts"
import { headlinesIn } from "./headlines.ts"
import * as Odd from "./odd.ts"
import { isKeyName } from "./secrets.ts"
import * as Spoil from "./spoil.ts"
import { midnights, unreadTimes } from "./times.ts"
import { fieldFindings } from "./unmeant.ts"
import * as Wholes from "./wholes.ts"

/** The cases every plugin must have; more are welcome. */
export const required = ["ok", "measured-zero", "missing-field", "refused", "changed-shape"] as const

/** How to get a case that is missing, also where it cannot be derived. */
const byHand = (id: string, name: string): string =>
  `${pluginProgram} cases ${id} --case ${name}; or by hand, if it cannot be derived: ` +
  `${program} record ${id} --case ${name} --edit '/exchanges/0/body/…=…' --note "how the upstream answers then"`

/** A clock stopped at one time. */
const clockAt = (ms: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => ms,
  currentTimeMillis: Effect.succeed(ms),
  currentTimeNanosUnsafe: () => BigInt(ms) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(ms) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(ms) * 1_000_000n,
  monotonicTimeNanos: Effect.succeed(BigInt(ms) * 1_000_000n),
  sleep: () => Effect.void
})

/** Findings for the cases under `root` of the plugin in the folder `id`. */
export const caseFindings = Effect.fn("Check.caseFindings")(function* (
  id: string,
  plugin: Plugin,
  root: string
) {
  const names = yield* Fixtures.casesOf(id, root)
  const findings: Array<Finding> = []
  const valuedMetrics = new Set<string>()
  const undeclared = new Set<string>()
  for (const name of required) {
    if (names.includes(name)) continue
    findings.push(
      wrong(
        `fixtures/${name}`,
        "the case is missing",
        name === "ok" ? `${program} record ${id}` : byHand(id, name)
      )
    )
  }
  let sound: Expected | undefined
  // The case ok comes first: the others are compared with it.
  for (const name of [...names].sort((a, b) => Number(b === "ok") - Number(a === "ok"))) {
    const where = `fixtures/${name}`
    const place = join(root, id, name)
    const loaded = yield* Effect.result(Fixtures.load(place))
    if (Result.isFailure(loaded)) {
      findings.push(wrong(where, loaded.failure.message, "record the case again; never edit a body by hand"))
      continue
    }
    const { recording, tape } = loaded.success
    findings.push(...recordingFindings(where, id, plugin, recording))
    for (const host of foreignHosts(plugin, recording)) {
      if (undeclared.has(host)) continue
      undeclared.add(host)
      const hosts = plugin.manifest.hosts.join(", ")
      findings.push(
        wrong(
          where,
          `it reads ${host}, which is not in hosts`,
          `hosts are ${hosts}; add ${host} if the plugin should read it`
        )
      )
    }
    const strays = yield* Fixtures.strays(place, recording)
    if (strays.length > 0) {
      findings.push(
        wrong(where, `no exchange uses ${strays.join(", ")}`, "delete the file, or record the case again")
      )
    }
    const rows = yield* replayedAt(plugin, tape, tape.now)
    if (name === "ok") sound = rows
    const broken = unusable(where, rows)
    if (broken !== undefined) {
      findings.push(broken)
      continue
    }
    findings.push(...(yield* replayFindings(where, id, plugin, place, tape, rows, sound)))
    findings.push(...meaningFindings(name, rows, sound))
    if ("observations" in rows) {
      for (const { metric } of rows.observations) valuedMetrics.add(metric)
      findings.push(...boundFindings(where, plugin, rows), ...headlinesIn(where, plugin.manifest, rows))
      findings.push(...othersFindings(where, plugin, rows))
      findings.push(...midnights(where, plugin.manifest, rows))
    }
    if (name === "ok") {
      const replay = (changed: Tape) => replayedAt(plugin, changed, changed.now)
      findings.push(...(yield* unreadTimes(where, tape, rows, replay)))
    }
  }
  const { metrics } = plugin.manifest
  const unseen = Object.entries(metrics)
    .filter(([name, { of }]) => {
      const names = of === undefined ? [name] : of.map((word) => name.slice(0, -1) + word)
      return names.every((metric) => !valuedMetrics.has(metric))
    })
    .map(([name]) => name)
  if (sound !== undefined && unseen.length > 0) {
    const some =
      unseen.length > 3 ? `${unseen.slice(0, 3).join(", ")} and ${unseen.length - 3} more` : unseen.join(", ")
    findings.push(
      note("fixtures", `no case has a value for ${some}`, "add a case whose answers contain them")
    )
  }
  return findings
})

/** The rows of a tape at a time, in epoch milliseconds, at which the clock stands. */
export const replayedAt = (plugin: Plugin, tape: Tape, ms: number): Effect.Effect<Expected> =>
  Fixtures.replay(plugin, tape).pipe(
    Effect.provideService(Clock.Clock, clockAt(ms)),
    Effect.catchDefect((defect) =>
      Effect.succeed({ error: "Defect", message: `${placeOf(defect) ?? "it"} throws: ${String(defect)}` })
    )
  )

const recordingFindings = (
  where: string,
  id: string,
  plugin: Plugin,
  recording: Recording
): ReadonlyArray<Finding> => {
  const { calls = 1 } = plugin.manifest
  const findings: Array<Finding> = []
  if (recording.plugin !== id) {
    findings.push(
      wrong(where, `it is a recording of the plugin ${recording.plugin}`, "record it for this plugin")
    )
  }
  if (recording.note.trim().length < 10) {
    findings.push(
      wrong(
        where,
        "its note is too short",
        "say when and from where it was recorded, or which documentation it follows"
      )
    )
  }
  if (recording.note.includes(scaffoldMark)) {
    findings.push(todo(where, "it still contains the scaffold's example", nextCase(where, id)))
  }
  for (const { headers, url } of recording.exchanges) {
    const host = hostsIn(url)[0] ?? ""
    const more = Object.keys(headers).filter((name) => !storedHeaders.some((header) => header === name))
    if (more.length > 0) {
      findings.push(
        wrong(where, `it keeps the headers ${more.join(", ")}`, `keep only ${storedHeaders.join(", ")}`)
      )
    }
    const key = keyIn(url)
    if (key !== undefined) {
      findings.push(
        wrong(
          where,
          `the URL for ${host} contains the parameter ${key}`,
          "declare the key in auth; the runtime adds it"
        )
      )
    }
  }
  // Cases other than ok may hold fewer or more requests, because they are recorded for their own targets.
  if (recording.exchanges.length > calls && where === "fixtures/ok") {
    findings.push(
      wrong(where, `a run makes ${recording.exchanges.length} requests, but calls is ${calls}`, "raise calls")
    )
  }
  return findings
}

/** Hosts in the recording that the plugin may not reach. */
const foreignHosts = ({ manifest }: Plugin, { exchanges }: Recording): ReadonlyArray<string> => {
  const allowed = new Set([...manifest.hosts, ...Object.values(manifest.settings ?? {}).flatMap(hostsIn)])
  return exchanges.map(({ url }) => hostsIn(url)[0] ?? "").filter((host) => !allowed.has(host))
}

const nextCase = (where: string, id: string): string =>
  where === "fixtures/ok" ? `${program} record ${id}` : `${pluginProgram} cases ${id}`

const hostsIn = (text: string): ReadonlyArray<string> => (URL.canParse(text) ? [new URL(text).hostname] : [])

const keyIn = (url: string): string | undefined =>
  URL.canParse(url)
    ? [...new URL(url).searchParams].find(([name, value]) => isKeyName(name) && value !== "")?.[0]
    : undefined

/** Why the rows of a case say nothing about the plugin, even if they match the expected ones. */
const unusable = (where: string, rows: Expected): Finding | undefined => {
  const unanswered = Fixtures.unanswered(rows)
  // An additional case may hold only a part of a run: it shows something as long as rows are left.
  const whole = required.some((name) => where === `fixtures/${name}`) || "error" in rows
  if (unanswered !== undefined && whole) {
    return wrong(where, `it lacks an answer: ${unanswered}`, "fix the request, or record the case again")
  }
  if ("error" in rows && (rows.error === "Defect" || where === "fixtures/ok")) {
    return wrong(where, `the run fails: ${rows.message}`, "fix index.ts")
  }
  return undefined
}

const replayFindings = Effect.fnUntraced(function* (
  where: string,
  id: string,
  plugin: Plugin,
  place: string,
  tape: Tape,
  rows: Expected,
  sound: Expected | undefined
) {
  const findings: Array<Finding> = []
  const stored = yield* Effect.result(Fixtures.expected(place))
  const name = where.slice("fixtures/".length)
  const update = `${program} replay ${id} --case ${name} --update, and review the diff`
  if (Result.isFailure(stored)) findings.push(wrong(where, stored.failure.message, update))
  else if (!isDeepStrictEqual(stored.success, rows)) {
    const isOutdated = name !== "ok" && lostRows(stored.success, rows, sound)
    const next = isOutdated
      ? `the case has answers of the old shape: ${yield* rebased(id, name, place)}; --update would leave it empty`
      : update
    findings.push(wrong(where, `expected differs: ${difference(stored.success, rows)}`, next))
  }
  const again = yield* replayedAt(plugin, tape, tape.now)
  const later = yield* replayedAt(plugin, tape, tape.now + 9 * day)
  if (!isDeepStrictEqual(again, rows)) {
    findings.push(
      wrong(
        where,
        `a second replay gives other rows: ${difference(rows, again)}`,
        "each run begins anew: no Math.random, and nothing in the module that a run changes, such as a counter or a cache"
      )
    )
  } else if (!isDeepStrictEqual(later, rows)) {
    findings.push(
      wrong(
        where,
        `nine days later the replay gives other rows: ${difference(rows, later)}`,
        "use Upstream.now, never a clock"
      )
    )
  }
  return findings
})

/** Whether a case lost rows that it expects and that the case ok still has. */
const lostRows = (stored: Expected, rows: Expected, sound: Expected | undefined): boolean => {
  if ("error" in stored || sound === undefined || "error" in sound) return false
  const [now, intact] = ["error" in rows ? [] : rows.observations, sound.observations].map(
    (all) => new Set(all.map(seriesOf))
  )
  return stored.observations.some((row) => !now?.has(seriesOf(row)) && intact?.has(seriesOf(row)))
}

const seriesOf = ({ metric, source, symbol }: Observation): string => `${symbol}|${metric}|${source}`

/** The command that makes a case again from the case ok of today; it replaces none that was written by hand with a derived one. */
const rebased = Effect.fnUntraced(function* (id: string, name: string, place: string) {
  const { note } = (yield* Effect.orDie(Fixtures.load(place))).recording
  if (isDerived(note) && name !== "ok" && required.some((one) => one === name))
    return `${pluginProgram} cases ${id} --case ${name}`
  const [, how = ""] = /^Made from the case ok \(.*\): (\/.*)$/s.exec(note) ?? []
  const edits = how === "" ? ["<JSON pointer>=<JSON value>"] : how.split(/, (?=\/)/)
  return `${program} record ${id} --case ${name} ${edits.map((edit) => `--edit '${edit}'`).join(" ")}`
})

/** The first difference between two outcomes, in words. */
export const difference = (stored: Expected, rows: Expected): string => {
  if ("error" in rows) {
    const before =
      "error" in stored ? `the failure "${stored.message}"` : `${stored.observations.length} rows`
    return `expected ${before}, but the run fails: ${rows.message}`
  }
  if ("error" in stored) return `${rows.observations.length} rows instead of the expected ${stored.error}`
  const before = bySeries(stored)
  const after = bySeries(rows)
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (isDeepStrictEqual(was, is)) return []
    if (was === undefined) return [`${name} is not expected`]
    if (is === undefined) return [`${name} is missing`]
    const field = Object.keys({ ...was, ...is }).find((field) => was[field] !== is[field]) ?? ""
    return [`${name}: expected ${field} ${was[field]}, got ${is[field]}`]
  })
  const [first = "the same series in different rows"] = changes
  return changes.length > 1 ? `${first}; and ${changes.length - 1} more` : first
}

/** Rows and refusals of a run, by series. */
const bySeries = ({ observations, refused }: Exclude<Expected, { error: string }>) =>
  new Map<string, Readonly<Record<string, unknown>>>([
    ...observations.map((row) => [`${row.symbol} ${row.metric} of ${row.source}`, { ...row }] as const),
    ...refused.map((row) => [`the refusal of ${row.symbol} ${row.metric}`, { ...row }] as const)
  ])

/** Each required case must show what its name says. */
const meaningFindings = (
  name: string,
  rows: Expected,
  sound: Expected | undefined
): ReadonlyArray<Finding> => {
  const where = `fixtures/${name}`
  const refused = "error" in rows ? [] : rows.refused.filter(isRefusal)
  const partly = "error" in rows || refused.length > 0
  if (name === "ok" && "observations" in rows) {
    const none = rows.observations.length === 0 ? [wrong(where, "it gives no rows", "fix index.ts")] : []
    const refusals = refused.map(({ metric, reason, symbol }) =>
      wrong(where, `${symbol} ${metric} is refused: ${reason}`, "fix index.ts or the manifest")
    )
    return [...none, ...refusals]
  }
  if (name === "refused" && !partly) {
    return [
      wrong(where, "the upstream refuses, but the run succeeds", "record an answer with status 429 or 500")
    ]
  }
  if (name === "changed-shape" && !partly) {
    return [
      wrong(
        where,
        "the shape changed, but the run succeeds",
        "decode the fields that you read, so the change is noticed"
      )
    ]
  }
  if (name === "measured-zero" && !("observations" in rows && rows.observations.some(isZero))) {
    return [
      note(
        where,
        "no row has the value 0",
        "a zero that the upstream measured must be a row with the value 0"
      )
    ]
  }
  if (name === "missing-field" && "observations" in rows && sound !== undefined && "observations" in sound) {
    const there = new Set(rows.observations.map((row) => `${row.symbol}|${row.metric}|${row.source}`))
    return sound.observations.every((row) => there.has(`${row.symbol}|${row.metric}|${row.source}`))
      ? [note(where, "no row is missing", "a field that the upstream leaves out must give no row")]
      : []
  }
  return []
}

const isZero = ({ value }: { readonly value: number }): boolean => value === 0

/** Ten times the largest token supply, and a hundredth of one token in wei. */
const mostTokens = 1e16

const boundFindings = (
  where: string,
  plugin: Plugin,
  rows: Exclude<Expected, { error: string }>
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const verified = new Set<string>()
  for (const { metric, symbol, unit, value, verify_url } of rows.observations) {
    const declared = metricNamed(plugin.manifest.metrics, metric)
    if (unit === "tokens" && Math.abs(value) >= mostTokens) {
      findings.push(
        wrong(
          where,
          `${symbol} ${metric} is ${value} tokens, more than any network has; it looks like base units (e.g. wei)`,
          "convert it with fromBaseUnits of #plugin and the token's decimals"
        )
      )
    }
    if (value < (declared?.min ?? Number.NEGATIVE_INFINITY) || value > (declared?.max ?? Infinity)) {
      findings.push(
        wrong(
          where,
          `${symbol} ${metric} is ${value}, which is outside its bounds`,
          "fix the unit or the bounds"
        )
      )
    }
    if (verified.has(verify_url)) continue
    verified.add(verify_url)
    const problem = verifyProblem(verify_url)
    if (problem !== undefined) {
      findings.push(
        wrong(where, `verify_url ${verify_url} ${problem}`, "use a page that anyone can open without a key")
      )
    }
  }
  return findings
}

/** Families of which more than a tenth is in their member `other`: words that are not understood. */
const othersFindings = (
  where: string,
  { manifest }: Plugin,
  rows: Exclude<Expected, { error: string }>
): ReadonlyArray<Finding> =>
  Object.entries(manifest.metrics).flatMap(([family, { of }]) => {
    if (of?.includes("other") !== true) return []
    const stem = family.slice(0, -1)
    const members = rows.observations.filter(({ metric }) => metric.startsWith(stem))
    return [...Map.groupBy(members, ({ source, symbol }) => `${symbol} ${source}`).values()].flatMap(
      (group) => {
        const total = group.reduce((sum, { value }) => sum + value, 0)
        const other = group.find(({ metric }) => metric === `${stem}other`)
        if (other === undefined || other.value * 10 <= total) return []
        return [
          note(
            where,
            `${other.symbol} ${other.metric} is ${other.value} of ${total}: more than a tenth has no name that is understood`,
            "look which words of the answer they are, and translate them before they are counted"
          )
        ]
      }
    )
  })

const verifyProblem = (address: string): string | undefined => {
  if (!URL.canParse(address)) return "is not a URL"
  const { hostname, protocol, username } = new URL(address)
  if (protocol !== "https:") return "is not https"
  if (username !== "") return "contains a user name"
  if (!hostname.includes(".") || /^[\d.]+$|^\[/.test(hostname)) return "does not have a public host name"
  return keyIn(address) === undefined ? undefined : "contains a key"
}

/** Findings for broken versions of the `ok` case; none if the plugin has no such case. */
export const brokenFindings = Effect.fn("Check.brokenFindings")(function* (
  id: string,
  plugin: Plugin,
  root: string
) {
  const loaded = yield* Effect.option(Fixtures.load(join(root, id, "ok")))
  if (Option.isNone(loaded)) return []
  const { tape } = loaded.value
  const findings: Array<Finding> = []
  // A plugin that throws on the intact answer is reported for the case itself.
  const sound = yield* Effect.catchDefect(Spoil.soundOf(plugin, tape), () => Effect.undefined)
  if (sound === undefined) return []
  for (const way of Spoil.ways) {
    const refuse = (says: string) =>
      findings.push(
        wrong(
          "broken payloads",
          `${way.name}: ${says}`,
          "an answer that cannot be understood must give an error or no row; decode it with a schema"
        )
      )
    const [first, thrown] = yield* Spoil.invented(plugin, tape, sound, way).pipe(
      Effect.map(([first]) => [first, undefined] as const),
      Effect.catchDefect((defect) => Effect.succeed([undefined, String(defect)] as const))
    )
    if (thrown !== undefined) refuse(`the plugin throws: ${thrown}`)
    if (first !== undefined)
      refuse(`${first.url} gives ${first.row.symbol} ${first.row.metric} = ${first.row.value}`)
  }
  for (const way of Wholes.ways) {
    const [first] = yield* Effect.catchDefect(Wholes.changed(plugin, tape, way), () => Effect.succeed([]))
    if (first === undefined) continue
    const { row, url, was } = first
    const says = `${way.name}: ${url} turns ${row.symbol} ${row.metric} from ${was.slice(0, 3).join() || "no row"} into ${row.value}`
    findings.push((way.level === "wrong" ? wrong : note)("broken payloads", says, way.next))
  }
  const unharmed = yield* Fixtures.replay(plugin, tape)
  const rules = [
    ...Odd.ways.map((way) => Odd.oddFindings(plugin, tape, unharmed, way)),
    fieldFindings(plugin, tape, root)
  ]
  for (const rule of rules) findings.push(...(yield* Effect.catchDefect(rule, thrownFinding)))
  return findings
})

const thrownFinding = (defect: unknown): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.succeed([
    wrong(
      "broken payloads",
      `the plugin throws: ${String(defect)}`,
      "an answer that cannot be understood must give an error or no row; decode it with a schema"
    )
  ])
