/**
 * What a question asks of a figure beside what it is: of one thing, of a period, of the future, why, or whether it is good. A latest
 * value tells none of these unless its metric does.
 */
import searchAspects from "../../catalog/searchAspects.json" with { type: "json" }
import { type MetricWords, metricSays } from "./searchMetrics.ts"
import { isPeriod } from "./searchWords.ts"

export type AspectKind =
  | "forecast"
  | "advice"
  | "reason"
  | "share"
  | "average"
  | "need"
  | "limit"
  | "except"
  | "one"
  | "each"
  | "period"

export interface Aspect {
  readonly kind: AspectKind
  /** As it was written; of `each`, the thing alone. */
  readonly text: string
  /** Of a period, what the names of metrics that tell it have. */
  readonly spans?: ReadonlyArray<string>
}

const anyOf = (phrases: ReadonlyArray<string>): string =>
  phrases
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => phrase.replaceAll(" ", "\\s+"))
    .join("|")

const phrasesOf = (phrases: ReadonlyArray<string>): RegExp => new RegExp(`\\b(?:${anyOf(phrases)})\\b`, "gi")

/** Aspects that words tell by themselves: the question is about something without them. */
const bySaying = (["forecast", "advice", "reason", "average", "need"] as const).map(
  (kind) => [kind, phrasesOf(searchAspects[kind])] as const
)

const ofShare = phrasesOf(searchAspects.share)
const ofOne = phrasesOf(searchAspects.one)

const rising = phrasesOf(searchAspects.rises)
const sinking = phrasesOf(searchAspects.falls)
const { above, below } = searchAspects
/** "More than 1 million", "above magnitude 6", and not "over 30 days". */
const ofLimit = new RegExp(
  `\\b(${anyOf([...above, ...below])})\\s+(\\p{L}+\\s+)?\\$?\\d[\\d.,]*(?![\\d.,]|\\s*(?:h|d|hours?|days?|weeks?|months?|years?)\\b)` +
    `(?:\\s*(?:${anyOf(searchAspects.sizes)})\\b|\\s*%)?`,
  "iu"
)
const ofLeast = phrasesOf(above)
const ofExcept = new RegExp(
  `\\b(?:${anyOf(searchAspects.except)})\\s+(?:of\\s+)?(?:the\\s+)?[\\p{L}\\d.]+(?:\\s+(?:and|or)\\s+[\\p{L}\\d.]+)?`,
  "iu"
)

/** The first of some phrases in a text. */
const firstOf = (form: RegExp, text: string): string | undefined => text.match(form)?.[0].toLowerCase()

const { done, not, received, things } = searchAspects.each
const notThings: ReadonlySet<string> = new Set(not)
const perThing = new RegExp(
  `\\b(?:per|each|every)\\s+(?!gpu[\\s-]+hour)(?:[\\w.]+\\s+(?=(?:${anyOf(things)})s?\\b))?([\\p{L}\\d]+)`,
  "giu"
)
const oneThing = new RegExp(
  `\\b(?:an?|one|single|individual)\\s+(?:[\\w.-]+\\s+){0,2}?(${anyOf(things)})\\b`,
  "i"
)
const isReceived = phrasesOf(received)
const isDone = phrasesOf(done)

const isOfThings = (word: string): boolean => things.some((thing) => word === thing || word === `${thing}s`)

/** One thing of which a question asks: "per user", and "a station" of which it asks what it earns. */
const thingsOf = (text: string): ReadonlyArray<Aspect> => {
  const per = [...text.matchAll(perThing)].flatMap(([, word = ""]) =>
    notThings.has(word.toLowerCase()) ? [] : [{ kind: "each" as const, text: word.toLowerCase() }]
  )
  if (per.length > 0) return per
  const isOfReceipt = firstOf(isReceived, text) !== undefined
  const [, thing] = oneThing.exec(text) ?? []
  if (isOfReceipt && thing !== undefined) return [{ kind: "each", text: thing.toLowerCase() }]
  return firstOf(ofOne, text) !== undefined || (isOfReceipt && firstOf(isDone, text) !== undefined)
    ? [{ kind: "one", text: "one operator" }]
    : []
}

/** Of a value that is of no period it is told today. */
const now = "now"

interface PeriodForm {
  readonly form: RegExp
  readonly spans: (n: string | undefined) => ReadonlyArray<string>
  /** Whether the words say a period and nothing else, so that no metric is called by them. */
  readonly isTaken?: true
}

const of =
  (...spans: ReadonlyArray<string>) =>
  () =>
    spans

/** Periods that a question may be about, the longer forms first. */
const periods: ReadonlyArray<PeriodForm> = [
  {
    form: /\bsince\s+(?:the\s+)?(?:beginning|start|end|middle)\s+of\s+(?:the\s+)?\w+\b/i,
    spans: of(),
    isTaken: true
  },
  {
    form: /\b(?:\d+|an?|one|two|three|four|five|six|few|several)\s+(?:hour|day|week|month|year)s?\s+ago\b/i,
    spans: of(),
    isTaken: true
  },
  {
    form: /\b(?:in|since|from|during|for|of|by|until|before|after|back in)?\s*\b20(?:09|[1-3]\d)\b/i,
    spans: of(),
    isTaken: true
  },
  {
    form: new RegExp(
      `\\b(?:in|since|on|last|during|of)\\s+(?:${anyOf([...searchAspects.days, "may"])})\\b`,
      "i"
    ),
    spans: of(),
    isTaken: true
  },
  {
    form: /\b(?:last|this|past|previous)\s+(?:quarter|decade|summer|winter|spring|autumn)\b/i,
    spans: of(),
    isTaken: true
  },
  { form: /\bsince\s+(?:launch|inception|the\s+(?:beginning|start))\b/i, spans: of("total"), isTaken: true },
  { form: /\b(?:last|past|in|within)?\s*(\d{1,3})\s*(?:hours?|hrs?|h)\b/i, spans: (n) => [`${n}h`] },
  {
    form: /\b(?:last|past|in|within)?\s*(\d{1,3})\s*(?:days?|d)\b/i,
    spans: (n) => [`${n}d`, ...(n === "1" ? ["24h"] : [])]
  },
  { form: /\b(?:last|past|in|within)\s+(\d+)\s*(?:weeks?)\b/i, spans: (n) => [`${Number(n) * 7}d`] },
  { form: /\b(?:last|past|in|within)\s+(\d+)\s*(?:months?|years?)\b/i, spans: of() },
  { form: /\b(?:yesterday|daily|(?:last|past|a|per|each|every)\s+day)\b/i, spans: of("24h") },
  { form: /\b(?:weekly|(?:last|past|this|previous|a|per|each)\s+week)\b/i, spans: of("7d") },
  { form: /\b(?:monthly|(?:last|past|this|previous|a|per|each)\s+month)\b/i, spans: of("30d", "month") },
  { form: /\b(?:yearly|annual|annually|(?:last|past|this|previous|a|per|each)\s+year)\b/i, spans: of("1y") },
  { form: /\b(?:last|past)\s+hour\b/i, spans: of("1h") },
  { form: /\btoday\b/i, spans: of("24h", now) },
  { form: /\b(\d{1,2})\s*y\b/i, spans: (n) => [`${n}y`] },
  { form: /\b(?:in total|total|lifetime|cumulative|so far|altogether)\b/i, spans: of("total", now) }
]

/** The periods of a text, each part of it read once. */
const periodsOf = (text: string): { readonly aspects: ReadonlyArray<Aspect>; readonly rest: string } => {
  const aspects: Array<Aspect> = []
  let unread = text
  let rest = text
  for (const { form, isTaken, spans } of periods) {
    const [match, n] = form.exec(unread) ?? []
    if (match === undefined) continue
    aspects.push({ kind: "period", text: match.trim().toLowerCase(), spans: spans(n) })
    unread = unread.replace(match, " | ")
    if (isTaken === true) rest = rest.replace(match, " ")
  }
  return { aspects, rest }
}

/** The aspects of a question, and the question without the words that say nothing else. */
export const aspectsOf = (
  query: string
): { readonly aspects: ReadonlyArray<Aspect>; readonly rest: string } => {
  const text = query.normalize("NFKC").replace(/[’'`]/g, " ").replace(rising, "grow").replace(sinking, "fall")
  const { aspects: ofPeriods, rest: undated } = periodsOf(text)
  const aspectsOfWords: Array<Aspect> = []
  let rest = undated
  const [limit, word = "", other] = ofLimit.exec(undated) ?? []
  if (limit !== undefined) {
    aspectsOfWords.push({ kind: "limit", text: limit.toLowerCase() })
    // Who asks for those above a number asks for the largest, unless the number is of something else, as a magnitude is.
    const order = firstOf(ofLeast, word) === undefined ? " lowest " : " highest "
    rest = rest.replace(limit, other === undefined ? order : " ")
  }
  const except = firstOf(ofExcept, rest)
  if (except !== undefined) {
    aspectsOfWords.push({ kind: "except", text: except })
    rest = rest.replace(ofExcept, " ")
  }
  for (const [kind, form] of bySaying) {
    const match = firstOf(form, rest)
    if (match === undefined) continue
    aspectsOfWords.push({ kind, text: match })
    rest = rest.replace(form, " ")
  }
  const share = firstOf(ofShare, rest)
  const things = thingsOf(text)
  const aspects = [
    ...aspectsOfWords,
    ...(share === undefined ? [] : [{ kind: "share" as const, text: share }]),
    ...things,
    ...ofPeriods
  ]
  // Of one thing is asked what the whole is asked of: revenue per GPU is revenue.
  const withoutThings = things.reduce(
    (left, { kind, text: thing }) =>
      kind === "each" && isOfThings(thing)
        ? left.replace(new RegExp(`\\b(?:per|each|every)\\s+${thing}s?\\b`, "i"), " ")
        : left,
    rest
  )
  return { aspects, rest: things.length === 0 ? rest : withoutThings.replace(isDone, " ") }
}

/** Whether a metric tells an aspect. */
export const tellsAspect = ({ kind, spans = [], text }: Aspect, entry: MetricWords): boolean => {
  const { declared } = entry
  switch (kind) {
    case "period":
      return (
        spans.some((span) => entry.all.includes(span)) || (spans.includes(now) && !entry.all.some(isPeriod))
      )
    case "share":
      return ["percent", "pct", "ratio"].includes(declared.unit)
    case "average":
      return metricSays(entry, /\b(?:average|mean|median|typical)/)
    case "each":
      return (
        declared.unit.includes(`_per_${text}`) ||
        (!isOfThings(text) && entry.all.includes(text)) ||
        metricSays(entry, new RegExp(`\\b(?:per|each) ${text}\\b`))
      )
    case "one":
      return metricSays(entry, /\b(?:average|each|per)\b/)
    default:
      return false
  }
}
