/** A draft of a plugin from one real answer of its upstream: what can be read off it, and what a person has to say. */
import { countryOf } from "../../../core/plugin/shapes/countries.ts"
import { momentOf } from "../../../core/plugin/shapes/fields.ts"
import { each } from "../../../core/plugin/shapes/places.ts"
import { day } from "../../../core/plugin/time.ts"
import type { Unit } from "../../../core/plugin/Value.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { timesIn } from "../check/times.ts"
import { type Guess, guess, snake, turnsPages } from "./guesses.ts"

/** A metric of the draft, and how the code reads it. */
export interface DraftMetric {
  readonly name: string
  readonly unit: Unit
  readonly meaning: string
  readonly isSigned: boolean
  /** The expression of its place, as `declare` takes it. */
  readonly place: string
  /** For a family of a shape: what declares it, and its import. */
  readonly family?: { readonly code: string; readonly imports: string }
}

/** What an answer suggests. */
export interface Draft {
  readonly metrics: ReadonlyArray<DraftMetric>
  /** The shape that is asked, and what it needs imported. Default: the address as JSON. */
  readonly ask?: {
    readonly imports: string
    readonly code: string
    /** The most requests of a run. Default: 1. */
    readonly calls?: number
  }
  /** Expression of the place of the time of the data. */
  readonly as_of: string | undefined
  /** What a person should look at, a line each. */
  readonly remarks: ReadonlyArray<string>
}

type Path = ReadonlyArray<string>

/** The most metrics of a draft; of more, a person has to choose. */
const most = 24

/** How deep objects are followed. */
const deepest = 4

/** Of these, the sum over a list means something. */
const additive: ReadonlySet<Unit> = new Set<Unit>(["count", "bytes", "tokens", "usd", "cores"])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The expression of a path. */
const expression = (path: Path): string =>
  JSON.stringify(path.every((key) => /^[^.]+$/.test(key)) ? path.join(".") : path)

/** The entries of a list, or of an object whose members are all of one kind: its names are data, such as identities. */
const entriesIn = (value: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  const entries = Object.values(value)
  const kinds = new Set(entries.map((entry) => (isObject(entry) ? Object.keys(entry).sort().join() : "")))
  return entries.length > 1 && kinds.size === 1 && !kinds.has("") ? entries : undefined
}

/** An object whose names are data, such as countries: no schema can list them. */
const isMap = (value: Readonly<Record<string, unknown>>): boolean => {
  const keys = Object.keys(value)
  return (
    keys.length > 40 ||
    (keys.length > 0 && keys.every((key) => /^(\d.*|0x.*|[A-Z]{2,3}|[0-9a-f]{16,})$/.test(key)))
  )
}

const factorOf = ({ factor }: Guess): string => (factor === undefined ? "" : `, times: ${factor}`)

const placeOf = (guessed: Guess, path: Path): string =>
  guessed.factor !== undefined
    ? `{ number: ${expression(path)}${factorOf(guessed)} }`
    : guessed.decimals === undefined
      ? expression(path)
      : `{ number: ${expression(path)}, decimals: ${guessed.decimals} }`

/** Metrics, by names that no other has and that have one unit everywhere. */
export class Metrics {
  readonly all: Array<DraftMetric> = []
  left = 0
  readonly #prefix: string
  readonly #units: ReadonlyMap<string, Unit>
  constructor(prefix: string, units: ReadonlyMap<string, Unit>) {
    this.#prefix = prefix
    this.#units = units
  }
  /** Names are tried from the shortest on. */
  /** Nodes by country, once. */
  addCountries(whom: string, place: string): void {
    const name = '"nodes_country_*"'
    if (this.all.some((metric) => metric.name === name)) return
    const family = {
      code: `...countryMetrics(${JSON.stringify(`${scaffoldMark}: ${whom}`)})`,
      imports: 'import { countryMetrics } from "#plugin/countries"'
    }
    this.all.push({ name, unit: "count", meaning: whom, isSigned: false, place, family })
  }
  add(names: ReadonlyArray<string>, unit: Unit, what: string, place: string, isSigned = false): boolean {
    if (this.all.length >= most) {
      this.left++
      return false
    }
    const free = [...names, ...names.map((name) => `${this.#prefix}_${name}`)].find(
      (name) =>
        /^[a-z][a-z0-9_]{1,63}$/.test(name) &&
        !this.all.some((metric) => metric.name === name) &&
        (this.#units.get(name) ?? unit) === unit
    )
    if (free === undefined) return false
    const meaning = `${scaffoldMark}: ${what}.`
    this.all.push({ name: free, unit, meaning, isSigned, place })
    return true
  }
}

/** The name of a sum: its unit, where the name says one, stays at the end. */
const sumName = ({ metric }: Guess): string => `${metric}_sum`.replace(/_(bytes|usd|cores)_sum$/, "_sum_$1")

const distinctTexts = (list: ReadonlyArray<unknown>, key: string): ReadonlySet<string> =>
  new Set(list.flatMap((entry) => (isObject(entry) && typeof entry[key] === "string" ? [entry[key]] : [])))

/** Names of members that say of which country an entry is, and how many nodes it stands for. */
const ofCountry = /^(country|country_?code|country_?name|cc|iso2?|iso_?code)$/i
const ofNodes = /^(n|num|nodes?|nodes?_?(count|total)|count|total|peers|hosts|servers|operators)$/i

/** Adds the nodes by country of a list whose entries say theirs. */
const addCountries = (list: ReadonlyArray<unknown>, path: Path, where: string, metrics: Metrics): void => {
  const [first] = list
  if (!isObject(first) || path.includes(each)) return
  const code = Object.keys(first).find((key) => ofCountry.test(key))
  const isTold = (entry: unknown) =>
    isObject(entry) && code !== undefined && countryOf(String(entry[code])) !== "other"
  if (code === undefined || list.filter(isTold).length * 2 < list.length) return
  const nodes = Object.keys(first).find((key) => ofNodes.test(key) && typeof first[key] === "number")
  const counted = nodes === undefined ? "" : `, nodes: ${expression([nodes])}`
  const place = `{ countries: ${expression(path)}, code: [${JSON.stringify(code)}]${counted} }`
  metrics.addCountries(nodes === undefined ? `Entries of ${where}` : `${nodes} of ${where}`, place)
}

/** Adds the sums of those members of a list's entries whose sum is a figure. */
const addSums = (
  list: ReadonlyArray<unknown>,
  path: Path,
  metrics: Metrics,
  remarks: Array<string>
): void => {
  const [first] = list
  if (!isObject(first)) return
  const where = path.length === 0 ? "the list" : path.join(".")
  addCountries(list, path, where, metrics)
  for (const [key, value] of Object.entries(first)) {
    const words = distinctTexts(list, key)
    if (list.length > 3 && words.size > 1 && words.size <= 6) {
      const is = JSON.stringify([...words][0])
      remarks.push(
        `${where}: ${key} is one of ${[...words].join(", ")}; where: { at: ${expression([key])}, is: [${is}], others: […] } counts each`
      )
    }
    const inner = list.flatMap((entry) => (isObject(entry) && Array.isArray(entry[key]) ? entry[key] : []))
    if (Array.isArray(value) && inner.some(isObject) && path.length < deepest) {
      const nested = [...path, each, key]
      const place = `{ entries: ${expression(nested)} }`
      if (metrics.add([`${snake(key)}_total`], "count", `Entries of ${nested.join(".")}`, place))
        addSums(inner, nested, metrics, remarks)
      remarks.push(`${nested.join(".")}: what identifies an entry of it (\`by\`)?`)
    }
    const guessed = typeof value === "number" || typeof value === "string" ? guess(key, value) : undefined
    if (guessed === undefined || guessed.field === "number" || !additive.has(guessed.unit)) continue
    if (guessed.decimals !== undefined || guessed.field === "amount") continue
    const place = `{ sum: ${expression(path)}, of: ${expression([key])}${factorOf(guessed)} }`
    metrics.add([sumName(guessed)], guessed.unit, `Sum of ${key} over ${where}`, place)
  }
}

const isPlaceOfTime = (path: Path, times: ReadonlyArray<Path>): boolean =>
  times.some((time) => time.join("\n") === path.join("\n"))

/** The draft of a JSON answer; `at` is when it was read, `units` what other plugins give by these names. */
export const draftOfJson = (
  payload: unknown,
  id: string,
  at: number,
  units: ReadonlyMap<string, Unit>
): Draft => {
  const metrics = new Metrics(snake(id), units)
  const remarks: Array<string> = []
  const list = entriesIn(payload)
  if (list !== undefined) {
    metrics.add(["entries_total"], "count", "Entries of the list", `{ entries: "" }`)
    remarks.push("does the list have more pages, and what identifies an entry (`by`)?")
    addSums(list, [], metrics, remarks)
    return { metrics: metrics.all, as_of: undefined, remarks }
  }
  const times = timesIn(payload)
  const timeOf = (path: Path) => momentOf(path.reduce<unknown>((value, key) => Object(value)[key], payload))
  const dated = times.find((path) => {
    const ms = timeOf(path)
    return typeof ms === "number" && ms > 0 && ms <= at && ms % day !== 0
  })
  const walk = (value: unknown, path: Path): void => {
    const key = path.at(-1) ?? ""
    const names = path.map((_, from) => path.slice(-1 - from)).map((part) => snake(part.join("_")))
    if (path.length > 0 && turnsPages.test(snake(key))) {
      remarks.push(
        `${path.join(".")} turns pages: Upstream.pages of Plugin.define follows them, for part of a list is not a count`
      )
      return
    }
    if (isPlaceOfTime(path, times)) return
    const entries = entriesIn(value)
    if (isObject(value) && entries === undefined) {
      if (path.length > 0 && isMap(value)) {
        remarks.push(
          `${path.join(".")} is a map of ${Object.keys(value).length} names: { entries: … } counts them, and { sum: …, of: "" } adds them up`
        )
        return
      }
      if (path.length >= deepest) return
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name])
    } else if (entries !== undefined) {
      if (entries.length === 0) return
      const total = names.map((name) => `${name}_total`)
      const place = `{ entries: ${expression(path)} }`
      if (!metrics.add(total, "count", `Entries of ${path.join(".")}`, place)) return
      addSums(entries, path, metrics, remarks)
      remarks.push(`${path.join(".")}: is the list whole, and what identifies an entry of it (\`by\`)?`)
    } else if (typeof value === "number" || typeof value === "string") {
      const guessed = guess(key, value)
      if (guessed === undefined) return
      const longer = names.slice(1).map((name) => guess(name, value)?.metric ?? name)
      const isSigned = guessed.field === "number"
      const meaning = `${path.join(".")}, as the upstream counts it`
      metrics.add([guessed.metric, ...longer], guessed.unit, meaning, placeOf(guessed, path), isSigned)
    }
  }
  walk(payload, [])
  if (metrics.left > 0)
    remarks.push(`${metrics.left} more numbers are in the answer; the draft has the first ${most}`)
  if (dated === undefined)
    remarks.push(
      "no time of the data in the answer: rows are dated by its Date header; look for a better one"
    )
  return {
    metrics: metrics.all,
    as_of: dated === undefined ? undefined : expression(dated),
    remarks
  }
}

const cellsOf = (line: string, delimiter: string): ReadonlyArray<string> =>
  line.split(delimiter).map((cell) => cell.trim())

/** The draft of a table with a header, at an address; undefined for text that is none. */
export const draftOfTable = (
  text: string,
  url: string,
  id: string,
  units: ReadonlyMap<string, Unit>
): Draft | undefined => {
  const [header = "", first = ""] = text.split(/\r?\n/).filter((line) => line.trim() !== "")
  const delimiter = [",", ";", "\t"].find((one) => header.includes(one))
  if (delimiter === undefined) return undefined
  const [names, cells] = [cellsOf(header, delimiter), cellsOf(first, delimiter)]
  const isHeader =
    names.length === cells.length && names.every((name) => /^[A-Za-z_][\w .()%/-]*$/.test(name))
  if (!isHeader) return undefined
  const metrics = new Metrics(snake(id), units)
  metrics.add(["rows_total"], "count", "Rows of the table", `{ entries: "" }`)
  const columns = names.filter((name, at) => {
    const guessed = guess(name, cells[at] ?? "")
    if (guessed === undefined || !additive.has(guessed.unit)) return false
    if (guessed.field === "number" || guessed.decimals !== undefined) return false
    const place = `{ sum: "", of: ${expression([name])}${factorOf(guessed)} }`
    return metrics.add([sumName(guessed)], guessed.unit, `Sum of the column ${name}`, place)
  })
  const timeColumn = names.find((name) => timesIn({ [name]: "" }).length > 0)
  const dated =
    timeColumn !== undefined && typeof momentOf(cells[names.indexOf(timeColumn)]) === "number"
      ? timeColumn
      : undefined
  const read = [...columns, ...(dated === undefined ? [] : [dated])]
  const remarks = ["is the table whole, and what identifies a row of it (`by`)?"]
  const columnsRead = JSON.stringify(read.length === 0 ? names.slice(0, 1) : read)
  const form = delimiter === "," ? "" : `, { delimiter: ${JSON.stringify(delimiter)} }`
  return {
    metrics: metrics.all,
    ask: {
      imports: 'import { csv } from "#plugin/csv"',
      code: `csv(${JSON.stringify(url)}, ${columnsRead}${form})`
    },
    as_of: dated === undefined ? undefined : `{ latest: "", at: ${expression([dated])} }`,
    remarks
  }
}
