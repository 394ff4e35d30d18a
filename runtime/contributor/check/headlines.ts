/** Rules for headlines: each network has one at most, and one that is first-party has one. */
import { type Manifest, symbolsNamed } from "../../../core/plugin/Manifest.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import { type Finding, note, wrong } from "./Finding.ts"

const headlinesOf = ({ metrics }: Manifest): ReadonlyArray<string> =>
  Object.keys(metrics).filter((name) => metrics[name]?.role === "headline")

/** Findings for the headlines of a plugin beside those of the others. */
export const headlineFindings = (
  manifest: Manifest,
  others: ReadonlyArray<Manifest>
): ReadonlyArray<Finding> => {
  const own = headlinesOf(manifest)
  const symbols = symbolsNamed(manifest.covers)
  const findings: Array<Finding> = []
  for (const family of own.filter((name) => manifest.metrics[name]?.of !== undefined)) {
    findings.push(
      wrong("manifest", `${family}: a family cannot be a headline`, "declare the member by its own name")
    )
  }
  // Metrics of a plugin of many networks need not be of the same network: its cases show that.
  if (symbols.length === 1 && own.length > 1) {
    findings.push(
      wrong(
        "manifest",
        `${symbols[0]} has the headlines ${own.join(" and ")}`,
        "keep one; the others are capacity, breakdown or measures"
      )
    )
  }
  const neighbours = others.filter(({ id }) => id !== manifest.id)
  const covering = (symbol: string) =>
    neighbours.filter((other) => symbolsNamed(other.covers).includes(symbol) && headlinesOf(other).length > 0)
  for (const symbol of own.length === 0 ? [] : symbols) {
    // Of a plugin of few networks and one of many, the first gives the headline.
    const rival = covering(symbol).find(({ covers }) => symbolsNamed(covers).length === symbols.length)
    if (rival === undefined) continue
    findings.push(
      wrong(
        "manifest",
        `${symbol} has the headline ${headlinesOf(rival).join(" and ")} of plugins/${rival.id} already`,
        "make one of the two a capacity"
      )
    )
  }
  const bare = own.length > 0 ? [] : symbols.filter((symbol) => covering(symbol).length === 0)
  if (manifest.tier === "supply_telemetry" && bare.length > 0) {
    findings.push(
      note(
        "manifest",
        `${bare.slice(0, 3).join(", ")} has no headline metric`,
        "declare one with headline(unit, meaning), mostly the nodes or providers online"
      )
    )
  }
  return findings
}

/** Findings for the rows of a case: two headlines of one network. */
export const headlinesIn = (where: string, manifest: Manifest, rows: Expected): ReadonlyArray<Finding> => {
  if ("error" in rows) return []
  const headlines = headlinesOf(manifest)
  const bySymbol = Map.groupBy(
    rows.observations.filter(({ metric }) => headlines.includes(metric)),
    ({ symbol }) => symbol
  )
  return [...bySymbol].flatMap(([symbol, of]) => {
    const names = [...new Set(of.map(({ metric }) => metric))]
    return names.length < 2
      ? []
      : [
          wrong(
            where,
            `${symbol} has the headlines ${names.join(" and ")}`,
            "keep one; the others are capacity, breakdown or measures"
          )
        ]
  })
}
