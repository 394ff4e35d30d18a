/**
 * The verifiers and clients of earlier releases on today's settled service: none of them ever says that something is false. What they
 * cannot read they call unproved; the table of that is in `core/proof/README.md`.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerNeeding } from "../../support/layerNeeding.ts"
import { pathOf } from "../../support/programs.ts"
import {
  releasedPython,
  releasedTypeScript,
  releasedVerifier,
  versions
} from "../../support/releasedTools.ts"
import { closedDays, SettledService, settledValue } from "../../support/settled.ts"

const { metric, symbol } = settledValue
const dates = closedDays.map((day) => day.replaceAll("-", ""))
const query = (date: string) => `symbol=${symbol}&metric=${metric}&date=${date}`

/** Addresses of every kind of answer. */
const addresses = [
  "/v1/world",
  "/v1/supply",
  "/v1/market",
  "/v1/network/FIL",
  `/v1/history?network=FIL&metrics=${metric}`,
  "/v1/log/checkpoint",
  "/v1/log/checkpoints/1",
  "/v1/events?limit=500",
  "/v1/incidents",
  "/v1/attestations",
  `/v1/attest?${query(dates[0] ?? "")}`,
  "/.well-known/payee.json",
  "/openapi.json",
  "/log"
]

layerNeeding("counterparties", "python's cryptography")(SettledService.layer)("what was released", (it) => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-saved-"))
  const saved = (name: string, bytes: string | Uint8Array): string => {
    const file = join(folder, name)
    writeFileSync(file, bytes)
    return file
  }
  const get = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())

  it.effect.each(versions)(
    "never says that today's answers, proofs and files are false: the verifier of %s",
    (release) =>
      Effect.gen(function* () {
        const { base, keys, sale, witness } = yield* SettledService
        const verify = releasedVerifier(release)
        yield* Effect.promise(async () => {
          const trusted = [`--key=${keys.answers}`, `--key=${keys.log}`, `--key=${keys.rotated}`]
          const holds = async (...args: ReadonlyArray<string>) => {
            const ran = await verify(...args)
            assert.strictEqual(ran.exit, 0, `${args.join(" ")}\n${ran.text}`)
          }
          for (const path of addresses) await holds("response", base + path, ...trusted)
          for (const date of dates) {
            const value = ["--symbol", symbol, "--metric", metric, "--date", date, "--url", base]
            await holds("value", ...value, ...trusted)
            const bundle = saved(`${date}.json`, await get(`${base}/v1/attest?${query(date)}&format=bundle`))
            await holds("bundle", bundle, ...trusted, "--witness", witness)
          }
          // Each key by itself, as somebody has it who read it before the rotation.
          const last = saved(
            "last.json",
            await get(`${base}/v1/attest?${query(dates[2] ?? "")}&format=bundle`)
          )
          await holds("bundle", last, `--key=${keys.rotated}`)
          // By now that key is retired, and only a witness says that it signed before.
          assert.strictEqual((await verify("bundle", last, `--key=${keys.log}`)).exit, 2)
          const head = saved("head", await get(`${base}/v1/log/checkpoints/1`))
          await holds("log", "--from", head, "--url", base, ...trusted)
          await holds("event", `${base}/v1/events?limit=500`, ...trusted)
          await holds("receipt", saved("sale.json", sale), "--url", base, ...trusted)
          const watched = await verify("monitor", "--url", base, "--once", ...trusted)
          // Its days are of September, so by the clock of this machine the newest batch is late: that is true.
          const findings = watched.text.match(/^FOUND .*$/gm) ?? []
          assert.deepStrictEqual(
            findings.filter((line) => !line.includes("promise: newest batch")),
            [],
            watched.text
          )
        })
      })
  )

  it.effect.each(versions)("takes today's answers: the TypeScript client of %s", (release) =>
    Effect.gen(function* () {
      const { base, keys } = yield* SettledService
      yield* Effect.promise(async () => {
        const client = (await releasedTypeScript(release))({ baseUrl: base, keys: [keys.answers] })
        for (const path of [
          "/v1/world",
          "/v1/supply",
          "/v1/market",
          "/v1/history?network=FIL",
          "/openapi.json"
        ]) {
          const { response } = await client.GET(path)
          assert.strictEqual(response.status, 200, path)
          assert.isNotNull(response.headers.get("x-service-log-head-signature"), path)
        }
      })
    })
  )

  it.effect.each(versions)("takes today's answers: the Python client of %s", (release) =>
    Effect.gen(function* () {
      const { base, keys } = yield* SettledService
      const script = [
        "import json",
        "from plumbline_client import Plumbline",
        `client = Plumbline(${JSON.stringify(base)}, keys=[${JSON.stringify(keys.answers)}])`,
        "print(json.dumps([type(client.get(path)).__name__ for path in ('/v1/world', '/v1/supply', '/v1/market', '/v1/network/FIL')]))"
      ]
      const python = yield* Effect.promise(() => releasedPython(release))
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(pathOf("python"), ["-c", script.join("\n")], {
          env: { PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: "1" }
        })
      )
      assert.lengthOf(JSON.parse(stdout) as ReadonlyArray<string>, 4)
    })
  )
})
