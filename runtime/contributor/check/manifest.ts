/** Manifest rules that its type cannot express. */
import { Duration } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { rivalsOf, sharedWith } from "../../../core/catalog/writers.ts"
import { Role, Tier } from "../../../core/plugin/kinds.ts"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { has, unitNamed, units } from "../../../core/plugin/units.ts"
import { evidenceFindings, relationFindings, termsFindings } from "./evidence.ts"
import { type Finding, scaffoldMark, todo, wrong } from "./Finding.ts"

/** The form of plugin ids, which are also folder names. */
export const idForm = /^[a-z][a-z0-9-]{1,39}$/

const hostForm = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/
const metricForm = /^[A-Za-z][A-Za-z0-9_]{1,63}$/
/** Upper case is allowed for names that older collectors in this field established. */
const caseForm = /^([a-z0-9_]+|[A-Z0-9_]+)\*?$/
const grades: ReadonlyArray<string> = ["A", "B", "C", "K"] satisfies ReadonlyArray<Manifest["grade"]>
const tiers: ReadonlyArray<string> = Tier.literals
const roles: ReadonlyArray<string> = Role.literals
const labelForm = /^[a-z][a-z0-9_]{1,63}$/

/** The owner that a scaffold names. */
export const scaffoldOwner = "you"

/** A plugin that still reads its scaffold's example. */
export const isScaffold = (manifest: Manifest): boolean =>
  manifest.disabled?.startsWith(scaffoldMark) === true

/** Findings for the manifest of the plugin in `folder`. */
export const manifestFindings = (folder: string, manifest: Manifest): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const refuse = (says: string, next: string) => findings.push(wrong("manifest", says, next))

  if (manifest.id !== folder) {
    refuse(`id is ${manifest.id}, but the folder is ${folder}`, `set id: "${folder}"`)
  }
  if (!idForm.test(folder))
    refuse(
      `${folder} is not a valid id`,
      "use 2 to 40 lower-case letters, digits and hyphens, starting with a letter"
    )
  if (manifest.title.trim() === "") refuse("title is empty", "name the upstream in a few words")
  if (manifest.owner.trim() === "") refuse("owner is empty", "name the maintainer of the plugin")
  if (manifest.owner === scaffoldOwner) {
    findings.push(todo("manifest", "owner is still the scaffold's", "name the maintainer of the plugin"))
  }
  if (!labelForm.test(manifest.source)) {
    refuse(
      `source ${manifest.source} is not a valid label`,
      "use lower-case letters, digits and _; one label per endpoint"
    )
  }

  // The types say the same, but the check runs without the compiler.
  if (!grades.includes(manifest.grade)) {
    refuse(
      `unknown grade ${manifest.grade}`,
      `use one of ${grades.join(", ")}; plugins/README.md says what they mean`
    )
  }
  if (!tiers.includes(manifest.tier))
    refuse(`unknown tier ${manifest.tier}`, `use one of ${tiers.join(", ")}`)

  findings.push(
    ...evidenceFindings(manifest),
    ...termsFindings(manifest),
    ...relationFindings(manifest),
    ...coverFindings(manifest),
    ...metricFindings(manifest),
    ...reachFindings(manifest)
  )

  if (manifest.grade === "C" && manifest.disabled === undefined) {
    refuse(
      "a plugin of grade C must be disabled",
      "say why in disabled, or verify the shape and raise the grade"
    )
  }
  if (isScaffold(manifest)) {
    findings.push(
      todo(
        "manifest",
        "still disabled by the scaffold",
        "when somebody has compared the answer with its source, raise the grade (plugins/README.md explains the letters), and remove the line `disabled`"
      )
    )
  }
  return findings
}

const coverFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const { covers } = manifest
  if ("catalog" in covers) return []
  const symbols = "networks" in covers ? covers.networks : covers.symbols
  const place = "networks" in covers ? "covers.networks" : "covers.symbols"
  const findings: Array<Finding> = []
  if (symbols.length === 0) {
    findings.push(wrong("manifest", `${place} is empty`, "name the symbols that the plugin covers"))
  }
  if (new Set(symbols).size !== symbols.length) {
    findings.push(wrong("manifest", `${place} names a symbol twice`, "name each symbol once"))
  }
  if ("sector" in covers) {
    const unknown = (covers.gauges ?? []).filter((name) => !Object.hasOwn(manifest.metrics, name))
    return [
      ...findings,
      ...unknown.map((name) =>
        wrong(
          "manifest",
          `covers.gauges names ${name}, which is not in metrics`,
          "name a metric of the plugin"
        )
      )
    ]
  }
  for (const symbol of symbols) {
    const row = bySymbol.get(symbol)
    if (row === undefined) {
      const line = catalogLine({
        symbol,
        name: manifest.title,
        website: `https://${manifest.hosts[0] ?? "…"}`
      })
      const next = bySymbol.has(symbol.toUpperCase())
        ? `write ${symbol.toUpperCase()}`
        : `write core/catalog/networks/<its category>/${symbol}.json: ${line}`
      findings.push(
        (isScaffold(manifest) ? todo : wrong)("manifest", `${symbol} is not in the catalog`, next)
      )
    } else if (
      row.not_covered !== undefined &&
      manifest.tier === "supply_telemetry" &&
      manifest.disabled === undefined
    ) {
      findings.push(
        wrong(
          "manifest",
          `the catalog says that ${symbol} is not covered`,
          `remove not_covered from its line below core/catalog/networks/${row.category}`
        )
      )
    }
  }
  return findings
}

/** The line of a network below `core/catalog/networks/`. */
export const catalogLine = (row: {
  readonly symbol: string
  readonly name: string
  readonly website: string
}) =>
  `{"symbol": ${JSON.stringify(row.symbol)}, "name": ${JSON.stringify(row.name)}, ` +
  `"website": ${JSON.stringify(row.website)}, "listed_by": "its plugin"}`

/** Units that are easily taken for another: what names of their metrics say, so that each unit has one name. */
const twins: Readonly<
  Partial<Record<string, { readonly names: RegExp; readonly means: string; readonly rule: string }>>
> = {
  pct: {
    names: /_pct$/i,
    means: "a change",
    rule: "end the name of a change in _pct; a share of a whole is in percent"
  },
  block: {
    names: /height|block/i,
    means: "a block",
    rule: "name a height as one; a number of blocks is in blocks"
  }
}

const metricFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const metrics = Object.entries(manifest.metrics)
  if (metrics.length === 0)
    findings.push(wrong("manifest", "it declares no metrics", "declare the metrics that the plugin gives"))
  for (const [name, { agrees, collapse, max, meaning, min, of, role, unit }] of metrics) {
    const refuse = (says: string, next: string) => findings.push(wrong("manifest", `${name}: ${says}`, next))
    if (of !== undefined && !name.endsWith("*")) refuse("a family needs a star", "end its name in *")
    const names = of === undefined ? [name] : of.map((word) => name.slice(0, -1) + word)
    if (names.length === 0 || !names.every((each) => metricForm.test(each)))
      refuse("not a valid metric name", "use at most 64 letters, digits and _, starting with a letter")
    if (!caseForm.test(name)) refuse("not a valid metric name", "use lower case with _, e.g. nodes_online")
    if (!units.includes(unit))
      refuse(
        `unknown unit ${unit}`,
        `use one of ${units.join(", ")}; a new one is a line of core/plugin/units.json`
      )
    if (role !== undefined && !roles.includes(role))
      refuse(`unknown role ${role}`, `use one of ${roles.join(", ")}; core/plugin/kinds.ts explains them`)
    if (!/^\S.*[.!]$/s.test(meaning)) {
      refuse("meaning is not a sentence", "write one sentence with a full stop: what is counted, and how")
    }
    if (min !== undefined && max !== undefined && min > max) refuse("min is above max", "swap them")
    if (collapse !== undefined && !(collapse > 0 && collapse <= 1)) {
      refuse(
        `collapse ${collapse} is not a share`,
        "use a number above 0 and at most 1 (1 turns the guard off)"
      )
    }
    if (agrees !== undefined && !Object.values(agrees).every((most) => most >= 0))
      refuse("agrees is below 0", "say how far two readings may lie apart: { relative } or { absolute }")
    // A reader who sees only the name must not be misled.
    const named = unitNamed(name.replace(/_?\*$/, ""))
    if (named !== undefined && named !== unit)
      refuse(
        `its name says ${named}, but its unit is ${unit}`,
        `convert to ${named} and declare that unit, or choose another name`
      )
    const twin = twins[unit]
    if (twin !== undefined && !twin.names.test(name))
      refuse(`its unit is ${unit}, but its name does not say ${twin.means}`, twin.rule)
    if (unit === "gib" && !publishedInGib.has(name)) {
      refuse("sizes are published in bytes", 'convert to bytes and declare unit "bytes"')
    }
    if (has(unit, "never_negative") && (min === undefined || min < 0)) {
      refuse(
        `a value in ${unit} has no lower bound`,
        "declare min: 0, so a negative value becomes an incident"
      )
    }
    if (unit === "percent" && max === undefined) {
      refuse("a share has no upper bound", "declare max: 100, or use pct for a relative change")
    }
  }
  return findings
}

/** Series that other plugins declare, too. */
export const seriesFindings = (manifest: Manifest, others: ReadonlyArray<Manifest>): ReadonlyArray<Finding> =>
  rivalsOf(manifest, others).map((rival) =>
    wrong(
      "manifest",
      sharedWith(rival),
      "give the plugin a source of its own, one label per endpoint; or leave the series to the other plugin"
    )
  )

/** Metrics that other plugins declare with another unit. A name has one unit, or networks could not be compared. */
export const unitFindings = (manifest: Manifest, others: ReadonlyArray<Manifest>): ReadonlyArray<Finding> =>
  Object.entries(manifest.metrics).flatMap(([name, { unit }]) => {
    const other = others.find(
      ({ id, metrics }) => id !== manifest.id && (metrics[name]?.unit ?? unit) !== unit
    )
    const otherUnit = other?.metrics[name]?.unit
    return other === undefined
      ? []
      : [
          wrong(
            "manifest",
            `${name} is in ${unit} here, but in ${otherUnit} in plugins/${other.id}`,
            "use that unit, or choose another name"
          )
        ]
  })

/** Metrics from before sizes were in bytes. What is published keeps its unit. */
const publishedInGib: ReadonlySet<string> = new Set(["memory_gib", "disk_gib"])

const reachFindings = (manifest: Manifest): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const refuse = (says: string, next: string) => findings.push(wrong("manifest", says, next))
  if (manifest.hosts.length === 0) refuse("hosts is empty", "list every host that the plugin reads")
  for (const host of manifest.hosts) {
    if (!hostForm.test(host))
      refuse(`${host} is not a public host name`, "write the name only: no scheme, port or path")
  }
  const minutes = Duration.fromInput(manifest.every)
  if (minutes._tag === "None")
    refuse(`every ${String(manifest.every)} is not a duration`, 'write e.g. "15 minutes" or "1 hour"')
  else if (Duration.toMinutes(minutes.value) < 1 || Duration.toDays(minutes.value) > 7) {
    refuse(`every ${String(manifest.every)} is out of range`, "use one minute to seven days")
  }
  const limit = manifest.timeout === undefined ? undefined : Duration.fromInput(manifest.timeout)
  if (limit?._tag === "None")
    refuse(`timeout ${String(manifest.timeout)} is not a duration`, 'write e.g. "2 minutes"')
  else if (limit !== undefined && minutes._tag === "Some") {
    if (Duration.isGreaterThan(limit.value, minutes.value)) {
      refuse("timeout is longer than every", "a run must end before the next one begins")
    }
  }
  const { calls = 1 } = manifest
  if (!Number.isInteger(calls) || calls < 1)
    refuse(`calls ${calls} is not a number of requests`, "use 1 or more")
  for (const [host, { setting }] of Object.entries(manifest.auth ?? {})) {
    if (!manifest.hosts.includes(host))
      refuse(`auth names ${host}, which is not in hosts`, "add it to hosts, or correct it")
    if (!/^[A-Z][A-Z0-9_]+$/.test(setting)) {
      refuse(`setting ${setting} is not the name of an environment variable`, "use UPPER_CASE")
    }
  }
  return findings
}
