/** Rules of a manifest that its type cannot hold. */
import { Duration } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { Tier } from "../../../core/plugin/kinds.ts"
import type { Manifest } from "../../../core/plugin/Plugin.ts"
import { Unit } from "../../../core/plugin/Value.ts"
import { type Finding, scaffoldMark, todo, wrong } from "./Finding.ts"

/** Ids of plugins: the folder's name. */
export const idForm = /^[a-z][a-z0-9-]{1,39}$/

const hostForm = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/
const metricForm = /^[A-Za-z][A-Za-z0-9_]{1,63}$/
/** Upper case is what the first collectors of the field wrote, and stays theirs. */
const caseForm = /^([a-z0-9_]+|[A-Z0-9_]+)\*?$/
const units: ReadonlyArray<string> = Unit.literals
const grades: ReadonlyArray<string> = ["A", "B", "C", "K"] satisfies ReadonlyArray<Manifest["grade"]>
const tiers: ReadonlyArray<string> = Tier.literals
const labelForm = /^[a-z][a-z0-9_]{1,63}$/

/** Whom a scaffold names as its owner. */
export const scaffoldOwner = "you"

/** A plugin that still reads its scaffold's example. */
export const isScaffold = (manifest: Manifest): boolean =>
  manifest.disabled?.startsWith(scaffoldMark) === true

/** What is wrong with a manifest that stands in `folder`. */
export const manifestFindings = (folder: string, manifest: Manifest): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const refuse = (says: string, next: string) => found.push(wrong("manifest", says, next))

  if (manifest.id !== folder) {
    refuse(`id is ${manifest.id} and the folder is ${folder}`, `set id: "${folder}"`)
  }
  if (!idForm.test(folder)) refuse(`${folder} is no id`, "lower-case letters, digits and -, 2 to 40 of them")
  if (manifest.title.trim() === "") refuse("title is empty", "name the upstream in a few words")
  if (manifest.owner.trim() === "") refuse("owner is empty", "name who answers for the plugin")
  if (manifest.owner === scaffoldOwner) {
    found.push(todo("manifest", "owner is its scaffold's", "name who answers for the plugin"))
  }
  if (!labelForm.test(manifest.source)) {
    refuse(`source ${manifest.source} is no label`, "lower-case letters, digits and _, one label an endpoint")
  }

  // The types say the same; but the check runs without the compiler.
  if (!grades.includes(manifest.grade)) {
    refuse(
      `grade ${manifest.grade} is none`,
      `one of ${grades.join(", ")}: plugins/README.md says what they mean`
    )
  }
  if (!tiers.includes(manifest.tier)) refuse(`tier ${manifest.tier} is none`, `one of ${tiers.join(", ")}`)

  found.push(...coverFindings(manifest), ...metricFindings(manifest), ...reachFindings(manifest))

  if (manifest.grade === "C" && manifest.disabled === undefined) {
    refuse("grade C runs only when asked for", "say why in disabled, or verify the shape and raise the grade")
  }
  if (isScaffold(manifest)) {
    found.push(
      todo("manifest", "disabled by its scaffold", "remove the line `disabled` once the plugin is yours")
    )
  }
  return found
}

const coverFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const { covers } = manifest
  if ("catalog" in covers) return []
  const symbols = "networks" in covers ? covers.networks : covers.symbols
  const place = "networks" in covers ? "covers.networks" : "covers.symbols"
  const found: Array<Finding> = []
  if (symbols.length === 0) {
    found.push(wrong("manifest", `${place} is empty`, "name the symbols of the rows"))
  }
  if (new Set(symbols).size !== symbols.length) {
    found.push(wrong("manifest", `${place} names a symbol twice`, "name each once"))
  }
  if ("sector" in covers) return found
  for (const symbol of symbols) {
    const row = bySymbol.get(symbol)
    if (row === undefined) {
      const line = catalogLine({ symbol, name: manifest.title, category: "…" })
      const next = bySymbol.has(symbol.toUpperCase())
        ? `it is ${symbol.toUpperCase()} there`
        : `add to core/catalog/networks.json: ${line}`
      found.push((isScaffold(manifest) ? todo : wrong)("manifest", `${symbol} is not in the catalog`, next))
    } else if (
      row.not_covered !== undefined &&
      manifest.tier === "supply_telemetry" &&
      manifest.disabled === undefined
    ) {
      found.push(
        wrong(
          "manifest",
          `the catalog says why nothing covers ${symbol}`,
          `remove not_covered from its line of core/catalog/networks.json`
        )
      )
    }
  }
  return found
}

/** One line of `core/catalog/networks.json`. */
export const catalogLine = (row: {
  readonly symbol: string
  readonly name: string
  readonly category: string
}) =>
  `{"symbol": ${JSON.stringify(row.symbol)}, "name": ${JSON.stringify(row.name)}, "category": ` +
  `${JSON.stringify(row.category)}, "listed_by": "its plugin"}`

const metricFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const metrics = Object.entries(manifest.metrics)
  if (metrics.length === 0) found.push(wrong("manifest", "no metric is declared", "declare what you emit"))
  for (const [name, { collapse, max, meaning, min, of, unit }] of metrics) {
    const refuse = (says: string, next: string) => found.push(wrong("manifest", `${name}: ${says}`, next))
    if (of !== undefined && !name.endsWith("*")) refuse("a family without its star", "end its name in *")
    const names = of === undefined ? [name] : of.map((word) => name.slice(0, -1) + word)
    if (names.length === 0 || !names.every((each) => metricForm.test(each)))
      refuse("no metric name", "letters, digits and _, first a letter, at most 64")
    if (!caseForm.test(name)) refuse("no metric name", "lower case with _, as in nodes_online")
    if (!units.includes(unit))
      refuse(
        `${unit} is no unit`,
        `one of ${units.join(", ")}; another is a line of Unit in core/plugin/Value.ts`
      )
    if (!/^\S.*[.!]$/s.test(meaning)) {
      refuse("meaning is not a sentence", "one sentence with its full stop: what is counted, and how")
    }
    if (min !== undefined && max !== undefined && min > max) refuse("min is above max", "swap them")
    if (collapse !== undefined && !(collapse > 0 && collapse <= 1)) {
      refuse(`collapse ${collapse} is no share`, "above 0, and at most 1, which switches it off")
    }
    const named = Object.entries(unitOfEnding).find(([ending]) =>
      name.toLowerCase().replace(/_?\*$/, "").endsWith(ending)
    )
    if (named !== undefined && named[1] !== unit)
      refuse(
        `its name says ${named[1]} and its unit is ${unit}`,
        `convert to ${named[1]} and declare that unit, or take another name`
      )
    if (neverNegative.has(unit) && (min === undefined || min < 0)) {
      refuse(`a value in ${unit} has no lower bound`, "declare min: 0, so that a negative one is an incident")
    }
    if (unit === "percent" && max === undefined) {
      refuse("a share has no upper bound", "declare max: 100, or use pct for a relative change")
    }
  }
  return found
}

/** Metrics that other plugins give in another unit: one name has one unit, or no two networks can be compared. */
export const unitFindings = (manifest: Manifest, others: ReadonlyArray<Manifest>): ReadonlyArray<Finding> =>
  Object.entries(manifest.metrics).flatMap(([name, { unit }]) => {
    const other = others.find(
      ({ id, metrics }) => id !== manifest.id && (metrics[name]?.unit ?? unit) !== unit
    )
    const theirs = other?.metrics[name]?.unit
    return other === undefined
      ? []
      : [
          wrong(
            "manifest",
            `${name} is ${unit} here and ${theirs} in plugins/${other.id}`,
            "take that unit, or another name"
          )
        ]
  })

/** Endings of a name that say a unit: whoever reads the name alone must not be wrong. */
const unitOfEnding: Readonly<Record<string, Unit>> = {
  _bytes: "bytes",
  _gib: "gib",
  _cores: "cores",
  _usd: "usd",
  _percent: "percent",
  _pct: "pct"
}

const neverNegative = new Set<string>([
  "count",
  "bytes",
  "gib",
  "cores",
  "percent",
  "rank",
  "block",
  "vessels",
  "notams",
  "aircraft",
  "satellites"
])

const reachFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const refuse = (says: string, next: string) => found.push(wrong("manifest", says, next))
  if (manifest.hosts.length === 0) refuse("hosts is empty", "name every host that the plugin reads")
  for (const host of manifest.hosts) {
    if (!hostForm.test(host))
      refuse(`${host} is no host name`, "a public name alone: no scheme, port or path")
  }
  const minutes = Duration.fromInput(manifest.every)
  if (minutes._tag === "None")
    refuse(`every ${String(manifest.every)} is no duration`, '"15 minutes", "1 hour"')
  else if (Duration.toMinutes(minutes.value) < 1 || Duration.toDays(minutes.value) > 7) {
    refuse(`every ${String(manifest.every)} is out of range`, "one minute to seven days")
  }
  const limit = manifest.timeout === undefined ? undefined : Duration.fromInput(manifest.timeout)
  if (limit?._tag === "None") refuse(`timeout ${String(manifest.timeout)} is no duration`, '"2 minutes"')
  else if (limit !== undefined && minutes._tag === "Some") {
    if (Duration.isGreaterThan(limit.value, minutes.value)) {
      refuse("timeout is longer than every", "a run has to end before the next begins")
    }
  }
  const { calls = 1 } = manifest
  if (!Number.isInteger(calls) || calls < 1) refuse(`calls ${calls} is no number of requests`, "1 or more")
  for (const [host, { setting }] of Object.entries(manifest.auth ?? {})) {
    if (!manifest.hosts.includes(host)) refuse(`auth names ${host}`, "name a host of hosts")
    if (!/^[A-Z][A-Z0-9_]+$/.test(setting)) {
      refuse(`setting ${setting} is no name of an environment variable`, "UPPER_CASE")
    }
  }
  return found
}
