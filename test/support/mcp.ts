/** JSON-RPC to `/mcp` of a test's service. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { day as dayLength } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "./runs.ts"
import { Service } from "./service.ts"
import type { Reply } from "./signed.ts"

export interface PostOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly id?: number | string
}

export const post = Effect.fnUntraced(function* (
  body: unknown,
  { headers = {}, path = "/mcp" }: PostOptions = {}
) {
  const service = yield* Service
  return yield* service.call({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
})

export type Message = {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const messageOf = (reply: Reply): Message => JSON.parse(reply.body.toString("utf8"))

export const rpc = Effect.fnUntraced(function* (method: string, params: unknown = {}, ask: PostOptions = {}) {
  return messageOf(yield* post({ jsonrpc: "2.0", id: ask.id ?? 1, method, params }, ask))
})

/** What an agent sees of a tool's answer. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
  readonly meta: any
}

/** Tools that answer with a page, which is text alone. */
export const inPages: ReadonlyArray<string> = ["fetch_dataset", "purchase_data", "manage_alerts"]

export const callTool = Effect.fnUntraced(function* (
  name: string,
  args: unknown = {},
  ask: PostOptions = {}
) {
  const { error, result } = yield* rpc("tools/call", { name, arguments: args }, ask)
  if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`)
  const [first] = result["content"] as ReadonlyArray<{ readonly text: string }>
  const text = first?.text ?? ""
  const isError = result["isError"] === true
  if (!isError && inPages.includes(name)) {
    assert.isUndefined(result["structuredContent"], "a page stands once")
  } else if (!isError) {
    assert.deepStrictEqual(JSON.parse(text), result["structuredContent"], "text and data are the same")
  }
  const answer: ToolAnswer = { isError, text, data: JSON.parse(text), meta: result["_meta"] }
  return answer
})

const rows = (day: number, value: number) => {
  const of = (symbol: string, hour: number) =>
    Runs.row(value + hour, isoTime(day + hour * 3_600_000), {
      symbol,
      metric: "active_storage_providers",
      source: "made-up"
    })
  return [of("FIL", 1), of("FIL", 2), of("GEOD", 1)]
}

/** Two closed days of readings, and one that is open. A log begins at most a week before its service first read. */
export const publishFrom = Effect.fnUntraced(function* (first: number) {
  const ingest = yield* Ingest
  const at = (n: number, hour: number) => first + n * dayLength + hour * 3_600_000
  yield* ingest.write(Runs.delivery(at(1, 8), [...rows(first, 100), ...rows(at(1, 0), 200)], "made-up"))
  yield* (yield* DailyClose).run
  yield* ingest.write(Runs.delivery(at(3, 7), rows(at(3, 0), 300), "made-up"))
})

/** The same from the day on that the tests of the tools ask for. */
export const publish = publishFrom(Date.UTC(2026, 8, 2))

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The document that the pages of a product make: members side by side, the items of a list one after another. */
export const together = (pages: ReadonlyArray<unknown>): unknown => {
  const there = pages.filter((page) => page !== undefined)
  if (there.length > 0 && there.every((page) => Array.isArray(page))) return there.flat(1)
  if (there.length === 0 || !there.every(isMembers)) return there[0]
  const names = new Set(there.flatMap((page) => Object.keys(page)))
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      together(there.map((page) => (Object.hasOwn(page, name) ? page[name] : undefined)))
    ])
  )
}

/** The document that pages make together. */
const joined = (pages: ReadonlyArray<Record<string, unknown>>): object => {
  const [first = {}] = pages
  return Object.fromEntries(
    Object.entries(first).map(([name, member]) => {
      const all = pages.map((page) => page[name])
      if (Array.isArray(member) && member.some((row) => typeof row === "object")) return [name, all.flat()]
      const isPart = typeof member === "object" && member !== null && !Array.isArray(member)
      return [name, isPart ? joined(all as ReadonlyArray<Record<string, unknown>>) : member]
    })
  )
}

/** A dataset as all its pages make it, and how many they were. */
export const allPages = Effect.fnUntraced(function* (args: object) {
  const pages: Array<Record<string, unknown>> = []
  let cursor: string | undefined
  do {
    const { data, isError, text } = yield* callTool("fetch_dataset", {
      ...args,
      ...(cursor === undefined ? {} : { cursor })
    })
    assert.isFalse(isError, text)
    assert.isBelow(text.length, 60_000)
    if (data.next_cursor !== undefined) assert.isString(data.left_out)
    pages.push(data.answer)
    cursor = data.next_cursor
  } while (cursor !== undefined)
  return { document: joined(pages), pages: pages.length }
})
