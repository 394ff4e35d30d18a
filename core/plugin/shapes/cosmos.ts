/** Lists of a Cosmos chain's REST gateway (LCD): how long they are; and what its nodes prove (`provedCosmos.ts`). */
import { Effect, Schema } from "effect"
import { statedIn } from "../statedErrors.ts"
import { type Numeric, unexpected } from "../Unreadable.ts"
import * as Upstream from "../Upstream.ts"
import { amount, text } from "./fields.ts"
import { firstOf } from "./gateways.ts"

export { provedStaking } from "./provedCosmos.ts"

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
/** Entries of a page for which no size was asked (cosmos-sdk types/query/pagination.go, DefaultLimit). */
const defaultPage = 100

/**
 * The length of a list, with the answer that told it: `pagination.total`, a decimal text. `urls` are addresses of one
 * list without paging parameters (versions of a module, hosts), tried in turn while one is not there (`firstOf` of
 * gateways.ts). `member` names the list.
 *
 * A node that does not count says 0 beside a list with entries, or nothing, or how many entries it shows: then the pages
 * are counted, 500 entries each, and a list that it does not page is read at once. An answer with neither total nor list
 * has no length: undefined; with an error in their place it is a refusal.
 */
export const total = (urls: ReadonlyArray<string>, member: string) =>
  firstOf(urls, (url) => totalAt(url, member))

const totalAt = Effect.fnUntraced(function* (url: string, member: string) {
  const schema = list(member)
  const answer = yield* Upstream.json(query(url, "pagination.limit=1&pagination.count_total=true"), schema)
  const stated = answer.body.pagination?.total ?? undefined
  // What a proxy says in the place of the list, beside members of its own.
  const error = statedIn(answer.body)
  if (answer.body[member] === undefined && stated === undefined && error !== undefined) {
    return yield* Upstream.statedBy(answer.url, error)
  }
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
  // As many as are listed, where one was asked for: the node may count no further than it shows.
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
  const last = answers.at(-1)
  const onLast = lengthOf(last?.body[member])
  // A gateway that pages as it likes, and does not say that the list ends here: it may be cut.
  if (onLast === defaultPage && last?.body.pagination?.next_key === undefined) {
    return yield* Upstream.implausible(
      answer,
      `["${member}"]`,
      `${onLast} entries, as many as a page has by default`
    )
  }
  if (onLast < pageSize) return { answer, total: entries }
  // A full page without a key to the next: the list ends there by chance, or the node does not page it.
  const whole = yield* Upstream.json(query(url, `pagination.limit=${most}`), schema)
  const all = lengthOf(whole.body[member])
  return all < most
    ? { answer, total: all }
    : yield* Upstream.implausible(whole, `["${member}"]`, `the list is cut at ${most}`)
})

/** A count that was calculated as a double: one of 2^53 and more is rounded. */
const safe = (entries: number | undefined): Numeric | undefined =>
  entries === undefined || Number.isSafeInteger(entries) ? entries : unexpected(entries, "a count below 2^53")

/**
 * The length of a list as an answer's body, at the first of these gateways that is there; undefined where it does not tell it.
 * An empty one is a failed read, unless it may be. `{name}` in an address is a setting.
 */
export const length = Effect.fnUntraced(function* (
  gateways: ReadonlyArray<string>,
  path: string,
  member: string,
  { mayBeEmpty }: { readonly mayBeEmpty?: true } = {}
) {
  const urls = yield* Effect.forEach(gateways, (gateway) => Upstream.filled(`${gateway}${path}`))
  const { answer, total: entries } = yield* total(urls, member)
  return entries === 0 && mayBeEmpty !== true
    ? yield* Upstream.implausible(answer, `["${member}"]`, "the list is empty")
    : { ...answer, body: safe(entries) }
})
