/** `record --from`: saved answers become a case with the requests that the plugin really makes. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { answered } from "../../runtime/contributor/kit/answered.ts"
import { derive } from "../../runtime/contributor/kit/derive.ts"
import { contributor } from "../support/contributor.ts"

const url = "https://rpc.example.net/"

/** A node's height by JSON-RPC, and a second call where `twice` says so. */
const plugin = (twice: boolean) =>
  Plugin.define({
    id: "chain",
    title: "Chain",
    covers: { networks: ["STORJ"] },
    tier: "supply_telemetry",
    source: "chain",
    hosts: ["rpc.example.net"],
    every: "1 hour",
    grade: "A",
    owner: "test",
    metrics: {
      block_height: { unit: "count", min: 0, meaning: "Height." },
      peers: { unit: "count", min: 0, meaning: "Peers." }
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const hex = (method: string) =>
          Upstream.rpc(url, [{ method, params: [], result: Schema.String }] as const)
        const height = yield* hex("eth_blockNumber")
        const peers = twice ? Number((yield* hex("net_peerCount")).body[0]) : undefined
        return observe(height, { block_height: Number(height.body[0]), peers })
      })
  })

const saved = (results: ReadonlyArray<string>, address = url) => ({
  now: 1e12,
  targets: [],
  settings: {},
  exchanges: results.map((result) => {
    const body = new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`)
    const request = { method: "GET", url: address } as const
    return { request, at: 1e12, status: 200, headers: {}, sha256: "", body }
  })
})

const rowsOf = (rows: Effect.Success<ReturnType<typeof Fixtures.replay>>) =>
  "observations" in rows ? rows.observations.map(({ metric, value }) => [metric, value]) : rows.message

describe("saved answers", () => {
  it.effect("are kept with the method and body that the plugin sends", () =>
    Effect.gen(function* () {
      const { left, tape } = yield* answered(plugin(false), saved(["0x2a"]))
      assert.deepStrictEqual(left, [])
      assert.strictEqual(tape.exchanges[0]?.request.method, "POST")
      assert.include(tape.exchanges[0]?.request.body ?? "", "eth_blockNumber")
      assert.deepStrictEqual(rowsOf(yield* Fixtures.replay(plugin(false), tape)), [["block_height", 42]])
    })
  )

  it.effect("of one address are given in their order", () =>
    Effect.gen(function* () {
      const { tape } = yield* answered(plugin(true), saved(["0x2a", "0x7"]))
      assert.deepStrictEqual(rowsOf(yield* Fixtures.replay(plugin(true), tape)), [
        ["block_height", 42],
        ["peers", 7]
      ])
    })
  )

  it.effect("that are too few leave a case that says which request lacks its answer", () =>
    Effect.gen(function* () {
      const { tape } = yield* answered(plugin(true), saved(["0x2a"]))
      const rows = yield* Fixtures.replay(plugin(true), tape)
      assert.strictEqual(Fixtures.unanswered(rows), `POST ${url}: not in the recording`)
    })
  )

  it.effect("that the plugin does not ask for are named, and kept", () =>
    Effect.gen(function* () {
      const { left, tape } = yield* answered(plugin(false), saved(["0x2a"], `${url}other`))
      assert.deepStrictEqual(left, [`${url}other`])
      assert.strictEqual(tape.exchanges.length, 1)
    })
  )

  it.effect("in hexadecimal digits have a measured zero", () =>
    Effect.gen(function* () {
      const { tape } = yield* answered(plugin(true), saved(["0x2a", "0x7"]))
      const zero = (yield* derive(plugin(true), tape)).find(({ name }) => name === "measured-zero")
      assert.isTrue(zero !== undefined && "rows" in zero)
      if (zero === undefined || !("rows" in zero)) return
      assert.deepStrictEqual(rowsOf(zero.rows), [
        ["block_height", 0],
        ["peers", 7]
      ])
    })
  )

  it.effect("take the place of a longer recording, whose bodies are gone", () =>
    Effect.gen(function* () {
      const folder = join((yield* contributor).fixtures, "chain")
      const about = { plugin: "chain", origin: "written", note: "by the test" } as const
      const save = (results: ReadonlyArray<string>) =>
        Effect.flatMap(answered(plugin(results.length > 1), saved(results)), ({ tape }) =>
          Fixtures.save(join(folder, "ok"), about, tape)
        )
      // A long text, so that the bodies are files beside the case.
      const long = `0x${"0".repeat(5000)}2a`
      yield* save([long, long])
      assert.sameMembers(readdirSync(folder), ["ok.json", "ok.1.json", "ok.2.json"])
      yield* save([long])
      assert.sameMembers(readdirSync(folder), ["ok.json", "ok.1.json"])
    })
  )
})
