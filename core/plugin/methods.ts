/**
 * Figures that follow somebody else's definition, as those of an aggregator follow its adapters: whose it is, in which version, and
 * which of its zeros nobody counted.
 */
import type { Tier } from "./kinds.ts"
import type { Observation } from "./Value.ts"

/** A zero that a definition states from a day on, whatever there is to count. */
export interface PrescribedZero {
  readonly symbol: string
  readonly metrics: ReadonlyArray<string>
  /** The first day, `YYYY-MM-DD`. */
  readonly from: string
  /** In words that follow "0": why it says nothing of what it is called. */
  readonly because: string
  /** Where that was read. */
  readonly source: string
}

/** Whose definition the figures of a source follow. */
export interface Method {
  /** `<owner>/<repository>` of the adapters, or the name that its author gives it. */
  readonly name: string
  /** An https address where it stands. */
  readonly address: string
  /** A commit, or the number that its author gives it. Absent: none was readable, and none is guessed. */
  readonly version?: string
  /** When somebody read it, `YYYY-MM-DD`. */
  readonly read: string
  /**
   * Metrics that count one thing over ever longer times, the shortest first. A 0 beside one of a longer time that is not 0, or
   * beside none, is none that was counted.
   */
  readonly spans?: ReadonlyArray<string>
  readonly zeros?: ReadonlyArray<PrescribedZero>
}

/** What of a manifest says whose definitions its figures follow, by their source. */
interface Following {
  readonly methods?: Readonly<Record<string, Method>>
}

/** What is said where a source follows a method that nobody has declared. */
export const notStated = "method not stated"

/** A method in one line; `notStated` without one. */
export const methodInWords = (method: Method | undefined): string =>
  method === undefined
    ? notStated
    : `${method.name}, ${method.version === undefined ? "version not stated" : `version ${method.version}`}, read ${method.read}`

/**
 * The method of a source, in one line; undefined of figures that follow nobody else's. Fees and locked value are always an
 * aggregator's.
 */
export const methodOf = (
  { methods, tier }: Following & { readonly tier: Tier },
  source: string
): string | undefined => {
  const method = methods?.[source]
  return method === undefined && tier !== "fees_tvl" ? undefined : methodInWords(method)
}

/** What a manifest states of the methods of its sources, each in one line; none where its figures follow nobody else's. */
export const methodsBySource = (
  manifest: Following & {
    readonly tier: Tier
    readonly source: string
    readonly sources?: ReadonlyArray<string>
  }
): ReadonlyArray<readonly [source: string, statement: string]> =>
  [manifest.source, ...(manifest.sources ?? [])].flatMap((source) => {
    const words = methodOf(manifest, source)
    if (words === undefined) return []
    const { address, zeros = [] } = manifest.methods?.[source] ?? {}
    const prescribed = zeros.map(
      ({ because, from, metrics, symbol }) =>
        `${metrics.join(", ")} of ${symbol} are 0 from ${from} on ${because}`
    )
    return [[source, [words, ...(address === undefined ? [] : [address]), ...prescribed].join("; ")] as const]
  })

/** The name of a reading among those of its run. */
export const readingKey = ({
  as_of,
  metric,
  source,
  symbol
}: Pick<Observation, "symbol" | "metric" | "source" | "as_of">): string =>
  `${symbol}|${metric}|${source}|${as_of}`

const ofSource = (source: string, symbol: string): string => `${source}|${symbol}`

/** Why a 0 among the figures of one network of one source is none that was counted; undefined where nothing says so. */
const reasonOf = (
  { spans = [], zeros = [] }: Method,
  row: Observation,
  beside: ReadonlyArray<Observation>
): string | undefined => {
  const day = row.as_of.slice(0, 10)
  const prescribed = zeros.find(
    ({ from, metrics, symbol }) => symbol === row.symbol && metrics.includes(row.metric) && day >= from
  )
  if (prescribed !== undefined) return `0 ${prescribed.because} (${prescribed.source})`
  const at = spans.indexOf(row.metric)
  const longer = at < 0 ? [] : spans.slice(at + 1)
  if (longer.length === 0) return undefined
  const others = longer.flatMap((metric) => beside.filter((other) => other.metric === metric))
  if (others.length === 0) return `0 with no ${longer.join(" or ")} beside it`
  const more = others.find(({ value }) => value !== 0)
  return more === undefined
    ? undefined
    : `0 beside ${more.value_text ?? more.value} ${more.unit} of ${more.metric}`
}

/** The zeros of a run that nobody counted, by `readingKey`, each with the reason. */
export const definedZeros = (
  { methods }: Following,
  rows: ReadonlyArray<Observation>
): ReadonlyMap<string, string> => {
  const defined = new Map<string, string>()
  if (methods === undefined) return defined
  const bySource = Map.groupBy(rows, ({ source, symbol }) => ofSource(source, symbol))
  for (const row of rows) {
    const method = row.value === 0 ? methods[row.source] : undefined
    if (method === undefined) continue
    const reason = reasonOf(method, row, bySource.get(ofSource(row.source, row.symbol)) ?? [])
    if (reason !== undefined) defined.set(readingKey(row), reason)
  }
  return defined
}
