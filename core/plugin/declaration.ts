/**
 * A plugin that is a file, `plugin.json`: its manifest, and mostly where each figure is. Nobody has to trust it, since it is data: every
 * member is read here, and one that this version does not know is refused.
 */
import { Duration, Schema } from "effect"
import { DeclaredRung, flowParts, isFlowName } from "./flows.ts"
import { Role, Sector, Tier } from "./kinds.ts"
import type { Declared } from "./Manifest.ts"
import { countryMetrics } from "./shapes/countries.ts"
import type { Figures, Query } from "./shapes/declare.ts"
import { units } from "./units.ts"

const { optionalKey } = Schema
const text = (most: number) => Schema.NonEmptyString.check(Schema.isMaxLength(most))
const matching = (form: RegExp) => Schema.String.check(Schema.isPattern(form))
const listOf = <S extends Schema.Constraint>(one: S, most = 1000) =>
  Schema.Array(one).check(Schema.isMaxLength(most))

/** How plugins are named, as folders and in addresses. */
export const idForm = /^[a-z][a-z0-9-]{1,39}$/

const Name = matching(/^[A-Za-z][A-Za-z0-9_]{0,63}\*?$/)
/** A label of its own, which says in every row that nobody reviewed it here (`reviewed.ts`). */
const Label = matching(/^outside_[a-z0-9_]{1,55}\*?$/)
const Day = matching(/^\d{4}-\d{2}-\d{2}$/)
const Https = matching(/^https:\/\/\S{4,2000}$/)
/** A name of the public internet, without a port. */
const HostName = matching(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/)

/** A duration in words, such as `5 minutes`, within bounds. */
const duration = (least: Duration.Input, most: Duration.Input, expected: string) =>
  Schema.String.check(
    Schema.makeFilter(
      (words) => {
        const read = Duration.fromInput(words as Duration.Input)
        return (
          read._tag === "Some" &&
          Duration.toMillis(read.value) >= Duration.toMillis(Duration.fromInputUnsafe(least)) &&
          Duration.toMillis(read.value) <= Duration.toMillis(Duration.fromInputUnsafe(most))
        )
      },
      { expected }
    )
  )

const Agrees = Schema.Union([
  Schema.Struct({ relative: Schema.Finite }),
  Schema.Struct({ absolute: Schema.Finite })
])

const Flow = Schema.Struct({
  rung: DeclaredRung,
  at: text(500),
  formula: text(500),
  without: text(500),
  code: text(500),
  recomputed: optionalKey(text(300)),
  differs: optionalKey(text(300))
})

const Metric = Schema.Struct({
  unit: Schema.Literals(units),
  meaning: text(500),
  role: optionalKey(Role),
  min: optionalKey(Schema.Finite),
  max: optionalKey(Schema.Finite),
  collapse: optionalKey(Schema.Finite),
  mayJump: optionalKey(text(500)),
  agrees: optionalKey(Agrees),
  /** The words of a family; `countries` are those of `nodes_country_*`. */
  of: optionalKey(Schema.Union([Schema.Literal("countries"), listOf(matching(/^[A-Za-z0-9_]{1,63}$/), 500)])),
  flow: optionalKey(Schema.Union([Flow, Schema.Record(text(24), Flow)]))
})

const Covers = Schema.Union([
  Schema.Struct({ networks: listOf(matching(/^[A-Za-z0-9._$-]{1,24}$/), 500) }),
  Schema.Struct({
    sector: Sector,
    symbols: listOf(matching(/^[A-Za-z0-9._$-]{1,40}$/), 500),
    gauges: optionalKey(listOf(Name))
  })
])

const Evidence = Schema.Struct({ source: text(500), read: Day, members: listOf(text(200)) })

const Permission = Schema.Literals(["yes", "no", "unknown"])
const Terms = Schema.Struct({
  show: Permission,
  bulk: Permission,
  sell: Permission,
  bodies: Permission,
  address: optionalKey(text(500)),
  read: Day,
  licence: text(100),
  attribution: text(300),
  quote: optionalKey(text(300))
})

const Method = Schema.Struct({
  name: text(200),
  address: Https,
  version: optionalKey(text(100)),
  read: Day,
  spans: optionalKey(listOf(Name)),
  zeros: optionalKey(
    listOf(
      Schema.Struct({
        symbol: text(40),
        metrics: listOf(Name),
        from: Day,
        because: text(300),
        source: text(500)
      })
    )
  )
})

const allowed = {
  optional: optionalKey(listOf(Name)),
  symbols: optionalKey(listOf(text(40))),
  tolerance: optionalKey(Schema.Finite)
}
const Relation = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("partOf"), parts: listOf(Name), whole: Name, ...allowed }),
  Schema.Struct({
    kind: Schema.Literal("sumOf"),
    total: Name,
    parts: listOf(Name),
    words: listOf(text(64)),
    ...allowed
  }),
  Schema.Struct({ kind: Schema.Literal("atMost"), lower: Name, upper: Name, ...allowed }),
  Schema.Struct({ kind: Schema.Literal("equal"), first: Name, second: Name, ...allowed }),
  Schema.Struct({ kind: Schema.Literal("neverFalls"), metric: Name, ...allowed })
])

const Auth = Schema.Struct({
  setting: matching(/^PLUGIN_[A-Z0-9_]{3,80}$/),
  as: Schema.Union([
    Schema.Struct({ header: matching(/^[A-Za-z][A-Za-z0-9-]{0,60}$/) }),
    Schema.Struct({ query: matching(/^[A-Za-z0-9_.-]{1,60}$/) }),
    Schema.Struct({ placeholder: text(100) })
  ]),
  optional: Schema.Boolean
})

const Target = Schema.Union([
  Https,
  Schema.Struct({
    method: Schema.Literals(["GET", "POST"]),
    url: Https,
    headers: optionalKey(Schema.Record(matching(/^[A-Za-z][A-Za-z0-9-]{0,60}$/), text(500))),
    body: optionalKey(text(20_000))
  })
])

const Canary = Schema.Struct({
  request: Target,
  path: listOf(text(200), 50),
  is: Schema.Union([Schema.Finite, text(500)]),
  why: text(500)
})

/** All of `Declared` but `agreesWith`: a plugin that nobody reviewed does not say what confirms it. */
const manifestFields = {
  id: matching(idForm),
  title: text(100),
  covers: Covers,
  tier: Tier,
  source: matching(/^outside_[a-z0-9_]{1,55}$/),
  sources: optionalKey(listOf(Label)),
  hosts: listOf(HostName, 50).check(Schema.isNonEmpty()),
  endsByClose: optionalKey(Schema.Record(HostName, text(500))),
  orHeaders: optionalKey(Schema.Literal(true)),
  every: duration("1 minute", "31 days", "a duration from 1 minute to 31 days"),
  timeout: optionalKey(duration("1 second", "10 minutes", "a duration from 1 second to 10 minutes")),
  calls: optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2000 }))),
  metrics: Schema.Record(Name, Metric),
  ended: optionalKey(Schema.Record(Name, text(500))),
  grade: Schema.Literals(["A", "B", "C", "K"]),
  evidence: optionalKey(listOf(Evidence)),
  methods: optionalKey(Schema.Record(Label, Method)),
  relations: optionalKey(listOf(Relation)),
  canaries: optionalKey(listOf(Canary, 20)),
  terms: optionalKey(Terms),
  disabled: optionalKey(text(300)),
  auth: optionalKey(Schema.Record(HostName, Auth)),
  settings: optionalKey(Schema.Record(matching(/^[a-z][a-z0-9_]{0,40}$/), text(500))),
  keep: optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 }))),
  owner: text(100)
}

const Path = Schema.Union([Schema.String.check(Schema.isMaxLength(500)), listOf(text(200), 50)])
const Word = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
const Where = Schema.Union([
  Schema.Struct({ at: Path, is: listOf(Word), others: optionalKey(listOf(Word)) }),
  Schema.Struct({ at: Path, not: listOf(Word) }),
  Schema.Struct({ at: Path, none: Schema.Literal(true) })
])
const entries = {
  by: optionalKey(Schema.Union([Path, Schema.Struct({ each: listOf(Path, 20) })])),
  where: optionalKey(Where),
  mostly: optionalKey(Schema.Literal(true)),
  most: optionalKey(Schema.Union([Schema.Finite, Path]))
}
const decimals = optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 80 })))
const times = optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 53 - 1 })))
const FigurePlace = Schema.Union([
  Path,
  Schema.Struct({ number: Path, or: optionalKey(Path), decimals, times }),
  Schema.Struct({ plus: listOf(Path, 100), decimals }),
  Schema.Struct({ whole: Path, less: Path, decimals }),
  Schema.Struct({ entries: Path, mayBeEmpty: optionalKey(Schema.Literal(true)), ...entries }),
  Schema.Struct({ sum: Path, of: Path, times, ...entries })
])
const CountriesPlace = Schema.Struct({ countries: Path, code: listOf(text(200), 10), ...entries })
const FigurePlaces = Schema.Record(Name, Schema.Union([FigurePlace, CountriesPlace]))

/** One answer, and where its figures are: `Query` of `shapes/declare.ts`, as far as it is data. */
export const Answer = Schema.Struct({
  ask: Target,
  others: optionalKey(listOf(Https, 10)),
  must: optionalKey(
    listOf(
      Schema.Struct({
        at: Path,
        be: Word,
        ifTold: optionalKey(Schema.Literal(true)),
        otherwise: optionalKey(text(300))
      })
    )
  ),
  needs: optionalKey(listOf(Path)),
  positive: optionalKey(listOf(FigurePlace)),
  under: optionalKey(Path),
  newest: optionalKey(Schema.Struct({ of: Path, at: Path })),
  as_of: optionalKey(Schema.Union([Path, Schema.Struct({ latest: Path, at: Path })])),
  daily: optionalKey(Schema.Literal(true)),
  required: optionalKey(Schema.Boolean),
  symbol: optionalKey(text(40)),
  source: optionalKey(Label),
  verify_url: optionalKey(Https),
  figures: FigurePlaces,
  parts: optionalKey(Schema.Record(text(40), FigurePlaces))
})

export const Declaration = Schema.Struct({
  /** An editor's. */
  $schema: optionalKey(Schema.String),
  ...manifestFields,
  /** Without it, `index.ts` or `index.js` beside the file says how the answers are read. */
  answers: optionalKey(listOf(Answer, 200).check(Schema.isNonEmpty()))
})

const decode = Schema.decodeUnknownResult(Declaration, { onExcessProperty: "error" })

/** What `plugin.json` declares. */
export interface ReadDeclaration {
  readonly declared: Declared & { readonly owner: string }
  /** Undefined where code reads the answers. */
  readonly answers: ReadonlyArray<Query<Figures<string>>> | undefined
}

/** What does not hold although each member by itself does, in words. */
const contradictionIn = ({
  answers = [],
  auth = {},
  hosts,
  id,
  metrics,
  settings = {}
}: typeof Declaration.Type): string | undefined => {
  const prefix = `PLUGIN_${id.toUpperCase().replaceAll("-", "_")}_`
  for (const [host, { setting }] of Object.entries(auth)) {
    if (!hosts.includes(host)) return `auth: ${host} is not one of the hosts`
    if (!setting.startsWith(prefix)) return `auth: ${setting} does not begin with ${prefix}`
  }
  for (const name of Object.keys(settings)) {
    const variable = `${prefix}${name.toUpperCase()}`
    if (Object.values(auth).some(({ setting }) => setting === variable))
      return `settings: ${variable} is a key, which no setting may show`
  }
  for (const { ask, figures, others = [], parts = {} } of answers) {
    for (const address of [typeof ask === "string" ? ask : ask.url, ...others]) {
      const host = URL.parse(address.replaceAll(/\{[a-z_]+\}/g, "x"))?.host
      if (host === undefined || !hosts.includes(host))
        return `answers: ${address.slice(0, 200)} is not of one of the hosts`
    }
    for (const name of [figures, ...Object.values(parts)].flatMap((each) => Object.keys(each)))
      if (!Object.hasOwn(metrics, name)) return `answers: ${name} is not one of the metrics`
  }
  for (const [name, { flow, unit }] of Object.entries(metrics)) {
    const parts = flowParts(name)
    if (isFlowName(name) && (parts === undefined || parts.unit !== unit))
      return `metrics: ${name} is not a name of what a network earned or paid out, in ${unit}`
    if ((flow !== undefined) !== isFlowName(name))
      return `metrics: ${name}: what a network earned or paid out says how it comes about (flow), and nothing else does`
  }
  const family = Object.entries(metrics).find(([name, { of }]) => name.endsWith("*") !== (of !== undefined))
  return family === undefined
    ? undefined
    : `metrics: ${family[0]}: a family ends in a star and has its words as \`of\``
}

const countryWords = countryMetrics("")["nodes_country_*"].of

/** The declaration in the text of `plugin.json`, or in words why it is none. */
export const readDeclaration = (source: string): ReadDeclaration | string => {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    return `plugin.json is no JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  const decoded = decode(value)
  if (decoded._tag === "Failure") return `plugin.json: ${String(decoded.failure).slice(0, 400)}`
  const contradiction = contradictionIn(decoded.success)
  if (contradiction !== undefined) return `plugin.json: ${contradiction}`
  const { $schema: _, answers, metrics, ...declared } = decoded.success
  return {
    declared: {
      ...declared,
      every: declared.every as Duration.Input,
      ...(declared.timeout === undefined ? {} : { timeout: declared.timeout as Duration.Input }),
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, { of, ...metric }]) => [
          name,
          of === undefined ? metric : { ...metric, of: of === "countries" ? countryWords : of }
        ])
      )
    } as Declared & { readonly owner: string },
    answers: answers as ReadonlyArray<Query<Figures<string>>> | undefined
  }
}
