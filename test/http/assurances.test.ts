/** What pages say of the service is what is so: every page of one that nobody vouches for, and of one that has all. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Operator } from "../../http/Operator.ts"
import { Vouching } from "../../http/Vouching.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const day = 86_400_000

/** A claim in the indicative, and a page that makes it where it is so. */
const claims: ReadonlyArray<readonly [words: RegExp, page: string]> = [
  [/(?<!not )cosigned by witnesses/, "/log"],
  [/put into Bitcoin/, "/log"],
  [/that witnesses cosign and Bitcoin dates/, "/institutions"],
  [/; witnesses cosign its heads/, "/method"],
  [/(?<!no block of )Bitcoin dates/, "/method"],
  [/can have a source asked again/, "/method"],
  [/Every day a lot falls/, "/method"],
  [/Every day a lot falls/, "/coverage"],
  [/share that held is published/, "/method"],
  [/every metric has a link “Something wrong\?”/, "/about"],
  [/cosigned by witnesses and put into Bitcoin/, "/llms.txt"],
  [/(anchored|stamped) (in|into) Bitcoin/, ""]
]

/** Formats and the past are no sentences about this service. */
const isAboutFormats = (path: string): boolean => /^\/(docs|changelog|verify|openapi|v1\/)/.test(path)

const value = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  yield* (yield* Ingest).write(
    Runs.delivery(
      noon,
      [
        Runs.row(7, isoTime(noon), {
          metric: "active_storage_providers",
          source: "made-up",
          verify_url: "https://upstream.test/v1"
        })
      ],
      "made-up"
    )
  )
  yield* TestClock.setTime(noon + day)
  yield* (yield* DailyClose).run
})

const textOf = Effect.fnUntraced(function* (path: string) {
  const { body, headers, status } = yield* (yield* Service).call(path)
  const type = String(headers["content-type"] ?? "")
  const source = body.toString("utf8")
  const text = source
    .replaceAll(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<span popover[^>]*>[^<]*<\/span>/g, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
  return {
    links: [...source.matchAll(/href="(\/[^"#?]*)/g)].map(([, path = ""]) => path),
    status,
    text,
    type
  }
})

/** The text of every page that others lead to. */
const allPages = Effect.gen(function* () {
  const pages = new Map<string, string>()
  const waiting = ["/", "/llms.txt", "/.well-known/agent-skills/plumbline-verify/SKILL.md"]
  const visited = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { links, status, text, type } = yield* textOf(path)
    if (status !== 200 || !/^text\/(html|plain|markdown)/.test(type)) continue
    pages.set(path, text)
    for (const link of links) {
      // Pages of networks are one template: two of them say what all say.
      const isOther = /^\/(network|log|changes|category)\//.test(link) && !/FIL|2BLOX/.test(link)
      if (visited.has(link) || isOther) continue
      visited.add(link)
      waiting.push(link)
    }
  }
  return pages
})

layer(Service.layer({ mode: "replay" }))("a service that nobody vouches for", (it) => {
  it.effect("makes no claim on any page", () =>
    Effect.gen(function* () {
      yield* value
      const pages = yield* allPages
      for (const path of ["/log", "/method", "/about", "/institutions", "/coverage", "/status", "/llms.txt"])
        assert.isTrue(pages.has(path), path)
      const statements = [...pages].flatMap(([path, text]) =>
        isAboutFormats(path)
          ? []
          : claims.flatMap(([words]) => {
              const [claim] = words.exec(text) ?? []
              return claim === undefined ? [] : [`${path}: ${claim}`]
            })
      )
      assert.deepStrictEqual(statements, [])
      assert.include(pages.get("/log"), "No witness cosigns it, and no block of Bitcoin has one yet")
      assert.include(
        pages.get("/method"),
        "no witness cosigns its heads, and no block of Bitcoin dates one yet"
      )
      assert.include(pages.get("/institutions"), "that this service alone signs")
      assert.include(pages.get("/about"), "The operator of this service has given no address")
      assert.include(pages.get("/coverage"), "No series was drawn by lot in the last 7 days")
    })
  )
})

const witness = "witness.test+0f1e2d3c+BKlaXDdMzAVqpbD9vlMrWkXnn4fL5mbR7s5wWBGMKsZq"

/** What others would have left: a cosignature, a block, and a lot that fell. */
const everybody = Effect.gen(function* () {
  yield* value
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const at = new Date(noon + day)
  yield* sql`insert into cosignature ${sql.insert({ size, witness, line: "—", at })}`
  yield* sql`insert into anchor ${sql.insert({
    size,
    state: "final",
    network: "bitcoin",
    digest: "00",
    proof: new Uint8Array(1),
    stamped_at: at,
    block_height: 900_000,
    block_hash: "00",
    block_header: "00",
    block_time: at
  })}`
  yield* sql`
    with asked as (
      insert into recheck (plugin, drawn, asked_at, done_at)
      select plugin, array[id], ${at}, ${at} from series limit 1 returning id, drawn
    )
    insert into recheck_series (recheck, series, verdict, comparison)
    select id, drawn[1], 'exact', '{}' from asked`
})

const withEverybody = Layer.mergeAll(
  Layer.succeed(Operator, {
    name: "Lot & Sons",
    email: "data@lot.example",
    keyUrl: "https://lot.example/key"
  }),
  Layer.succeed(
    Vouching,
    Effect.succeed({
      observers: [],
      notaries: [],
      witnesses: [{ name: "witness.test", vkey: witness }],
      needsWitnesses: false,
      mirrors: []
    })
  )
)

layer(Service.layer().pipe(Layer.provide(withEverybody)))("a service that has all", (it) => {
  it.effect("says so", () =>
    Effect.gen(function* () {
      yield* everybody
      for (const [words, path] of claims) {
        if (path !== "") assert.match((yield* textOf(path)).text, words, path)
      }
      for (const path of ["/log", "/method", "/institutions", "/about"]) {
        assert.notMatch(
          (yield* textOf(path)).text,
          /[Nn]o witness|no block of Bitcoin|has given no address/,
          path
        )
      }
    })
  )
})
