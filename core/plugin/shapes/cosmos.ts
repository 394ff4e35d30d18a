/** Lists of a Cosmos chain's REST gateway (LCD): how long they are. */
import { Effect, Schema } from "effect"
import * as Plugin from "../Plugin.ts"
import * as Upstream from "../Upstream.ts"
import { amount, text } from "./fields.ts"

const list = (member: string) =>
  Schema.StructWithRest(
    Schema.Struct({ pagination: Upstream.maybe(Schema.Struct({ next_key: text, total: amount })) }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  ).check(
    Schema.makeFilter((body) =>
      body[member] === undefined || body[member] === null || Array.isArray(body[member])
        ? undefined
        : { path: [member], issue: "Expected array" }
    )
  )

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

const query = (url: string, more: string) => `${url}${url.includes("?") ? "&" : "?"}${more}`

/** Entries of a page, and of a list that a node does not page. */
const pageSize = 500
const most = 5000

/** An address that is not there: the next one of the same list may be. */
const isGone = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamUnreachable" ||
  (error._tag === "UpstreamRefused" && (error.status === 404 || error.status >= 500))

/**
 * The length of a list, with the answer that told it: `pagination.total`, a decimal text. `urls` are addresses of one
 * list without paging parameters (versions of a module, hosts), tried in turn while one is not there: a status of 404
 * or of 500 and more, or no answer. If none answers, the first failure is the result. `member` names the list.
 *
 * A node that does not count says 0 beside a list with entries, or nothing, or how many entries it shows: then the pages
 * are counted, 500 entries each, and a list that it does not page is read at once. An answer with neither total nor list
 * has no length: undefined.
 */
export const total = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, member: string) {
  const schema = list(member)
  let first: Upstream.UpstreamError | undefined
  for (const url of urls) {
    const outcome = yield* Effect.result(
      Upstream.json(query(url, "pagination.limit=1&pagination.count_total=true"), schema)
    )
    if (outcome._tag === "Failure") {
      first ??= outcome.failure
      if (isGone(outcome.failure)) continue
      break
    }
    const answer = outcome.success
    const stated = answer.body.pagination?.total ?? undefined
    // Decimal text; a number where a proxy rewrote it.
    const counted = stated === undefined ? undefined : String(stated)
    if (counted !== undefined && !/^\d+$/.test(counted)) {
      return yield* Upstream.implausible(answer, `["pagination"]["total"]`, `${counted} is not a count`)
    }
    // Another list tells a total as well.
    if (answer.body[member] === undefined && Number(counted) > 0) {
      return yield* Upstream.implausible(answer, `["${member}"]`, `missing beside a total of ${counted}`)
    }
    const listed = lengthOf(answer.body[member])
    const beyond = Number(counted) - listed
    // As many as are shown, where one was asked for: the node may count no further than it shows.
    if (counted !== undefined && (beyond > 0 || (beyond === 0 && listed !== 1))) {
      return { answer, total: Number(counted) }
    }
    if (listed === 0) return { answer, total: undefined }
    const answers = yield* Upstream.pages(query(url, `pagination.limit=${pageSize}`), schema, (page) => {
      const next = page.body.pagination?.next_key
      return next === undefined || next === null || next === ""
        ? undefined
        : query(url, `pagination.limit=${pageSize}&pagination.key=${encodeURIComponent(next)}`)
    })
    const entries = answers.reduce((length, page) => length + lengthOf(page.body[member]), 0)
    if (lengthOf(answers.at(-1)?.body[member]) < pageSize) return { answer, total: entries }
    // A full page without a key to the next: the list ends there by chance, or the node does not page it.
    const whole = yield* Upstream.json(query(url, `pagination.limit=${most}`), schema)
    const all = lengthOf(whole.body[member])
    return all < most
      ? { answer, total: all }
      : yield* Upstream.implausible(whole, `["${member}"]`, `the list is cut at ${most}`)
  }
  return yield* first ?? Effect.die("a list without an address")
})

/** A list whose length is a metric. */
export interface List {
  /** As for `total`. */
  readonly urls: ReadonlyArray<string>
  readonly member: string
  /** Whether an empty list is a measured 0; otherwise it is a failed read. */
  readonly mayBeEmpty?: boolean
}

/** Lengths of several lists, each a metric of its own; one that fails costs its own metric alone. */
export const totals = <Name extends string>(
  observe: Plugin.Observe<Name>,
  symbol: string,
  lists: { readonly [K in Name]?: List }
) =>
  Plugin.anyOf(
    symbol,
    (Object.entries(lists) as Array<[Name, List]>).map(([name, { mayBeEmpty = false, member, urls }]) =>
      Effect.gen(function* () {
        const { answer, total: length } = yield* total(urls, member)
        if (length === 0 && !mayBeEmpty) {
          return yield* Upstream.implausible(answer, `["${member}"]`, "the list is empty")
        }
        const values: { readonly [K in Name]?: Plugin.Reading } = {}
        return observe(answer, Object.assign(values, { [name]: length }))
      })
    )
  )
