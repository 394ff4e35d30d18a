/** The clients and the command of today on a settled service: one whose log has heads, runs and a rotation. */
import { execFile } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { canonical } from "../../core/proof/canonical.ts"
import { createClient } from "../../http/client/typescript/src/index.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { Chain } from "../support/base.ts"
import { token, tokenProof } from "../support/chain/contracts.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { pathOf } from "../support/programs.ts"
import { buy, closedDays, SettledService, settledValue, today } from "../support/settled.ts"

const sources = fileURLToPath(new URL("../../http/client/python/src", import.meta.url))
const { metric, symbol } = settledValue
const [, , last] = closedDays
const date = last.replaceAll("-", "")

const verify = async (...args: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const env = { ESPLORA_URL: "http://127.0.0.1:9", PLUMBLINE_PINS: "none" }
  const exit = await main(args, { print: (line) => lines.push(line), env, get })
  return { exit, text: lines.join("\n") }
}

const python = (script: string) =>
  promisify(execFile)(pathOf("python"), ["-c", script], {
    env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1" }
  })

layerNeeding("counterparties", "python's cryptography")(SettledService.layer)("a settled service", (it) => {
  it.effect("is read by the Python client, which verifies every answer", () =>
    Effect.gen(function* () {
      const { base, keys } = yield* SettledService
      const script = `
import json
from plumbline_client import Plumbline
client = Plumbline(${JSON.stringify(base)}, keys=[${JSON.stringify(keys.answers)}])
answers = [client.get(path) for path in ("/v1/world", "/v1/supply", "/v1/market", "/v1/network/FIL")]
history = client.get("/v1/history", network="FIL")
print(json.dumps([len(answers), [point["value"] for point in history["data"]["FIL"]["${metric}"]["points"]]]))`
      const { stdout } = yield* Effect.promise(() => python(script))
      assert.deepStrictEqual(JSON.parse(stdout), [4, [103, 104, 105]])
    })
  )

  it.effect("is checked by the second verifier, which says of a chain's proof that it does not know it", () =>
    Effect.gen(function* () {
      const { base, keys, witness } = yield* SettledService
      const folder = mkdtempSync(join(tmpdir(), "plumbline-settled-"))
      const second = async (...args: ReadonlyArray<string>) => {
        try {
          const { stdout } = await promisify(execFile)(
            pathOf("python"),
            ["-m", "plumbline_client", "verify", ...args],
            { env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1" } }
          )
          return { exit: 0, text: stdout }
        } catch (error) {
          const { code, stdout } = error as { readonly code: number; readonly stdout: string }
          return { exit: code, text: stdout }
        }
      }
      yield* Effect.promise(async () => {
        const address = `${base}/v1/attest?symbol=${symbol}&metric=${metric}&date=${date}&format=bundle4`
        const bundle = JSON.parse(await (await fetch(address)).text())
        const proof = tokenProof()
        const chain = { kind: "chain", v: 1, proof, key: token, as: "unsigned", decimals: 18 }
        const file = join(folder, "bundle.json")
        writeFileSync(file, JSON.stringify({ ...bundle, evidence: [...bundle.evidence, chain] }))
        const trusted = [`--key=${keys.log}`, `--key=${keys.rotated}`, "--witness", witness]
        const checked = await second("bundle", file, ...trusted)
        assert.strictEqual(checked.exit, 0, checked.text)
        assert.match(checked.text, /^not checked +evidence chain: this verifier does not know it$/m)
        const alone = join(folder, "proof.json")
        writeFileSync(alone, canonical(proof))
        const unread = await second("chain", alone)
        assert.strictEqual(unread.exit, 2, unread.text)
        assert.match(
          unread.text,
          /^not checked +chain: this verifier does not know it\nnot proved \(exit 2\)$/m
        )
        const other = await second("chain", file)
        assert.strictEqual(other.exit, 1, other.text)
      })
    })
  )

  it.effect("is read by the TypeScript client", () =>
    Effect.gen(function* () {
      const { base, keys } = yield* SettledService
      const client = createClient({ baseUrl: base, keys: [keys.answers] })
      const { data, response } = yield* Effect.promise(() => client.GET("/v1/world"))
      assert.isDefined(data)
      assert.isNotNull(response.headers.get("x-service-log-head-signature"))
    })
  )

  it.effect(
    "is proved by the command: answer, value with its run, notary, witness and observer, and sale",
    () =>
      Effect.gen(function* () {
        const { base, keys, notary, sale, warrantedSale, witness } = yield* SettledService
        const folder = mkdtempSync(join(tmpdir(), "plumbline-settled-"))
        const trusted = [`--key=${keys.answers}`, `--key=${keys.rotated}`]
        yield* Effect.promise(async () => {
          const answer = await verify("response", `${base}/v1/supply?network=FIL`, ...trusted)
          assert.strictEqual(answer.exit, 0, answer.text)
          assert.match(answer.text, /^ok +head of the log: \d+ entries/m)
          const elsewhere = await verify(
            "response",
            `${base.replace("127.0.0.1", "localhost")}/v1/world`,
            ...trusted
          )
          assert.strictEqual(elsewhere.exit, 2, elsewhere.text)
          assert.include(
            elsewhere.text,
            `signed for ${base.slice("http://".length)}, and you asked localhost`
          )
          const named = await verify(
            "response",
            `${base.replace("127.0.0.1", "localhost")}/v1/world`,
            "--authority",
            base.slice("http://".length),
            ...trusted
          )
          assert.strictEqual(named.exit, 0, named.text)
          const value = ["--symbol", symbol, "--metric", metric, "--date", date, "--url", base]
          const proved = await verify("value", ...value, ...trusted, "--witness", witness, "--notary", notary)
          assert.strictEqual(proved.exit, 0, proved.text)
          for (const name of ["keys in log", "run", "notaries", "other operators", "witnesses"])
            assert.match(proved.text, new RegExp(`^ok +${name}: `, "m"))
          const receiptOf = async (answer: string) => {
            const file = join(folder, "sale.json")
            writeFileSync(file, answer)
            return verify("receipt", file, "--url", base, ...trusted)
          }
          const receipt = await receiptOf(sale)
          assert.strictEqual(receipt.exit, 0, receipt.text)
          assert.notMatch(receipt.text, /warranty/)
          const withWarranty = await receiptOf(warrantedSale)
          assert.strictEqual(withWarranty.exit, 0, withWarranty.text)
          assert.match(withWarranty.text, /^ok +warranty: 2 values until /m)
          const more = await receiptOf(warrantedSale.replace('"pays_usd":0.', '"pays_usd":9.'))
          assert.strictEqual(more.exit, 1)
          assert.match(more.text, /^FAILED +warranty: /m)
        })
      })
  )

  it.effect("is not proved at another name than its own, until that is said to be it", () =>
    Effect.gen(function* () {
      const { base, keys, payTo, warrantedSale } = yield* SettledService
      const trusted = [`--key=${keys.answers}`, `--key=${keys.rotated}`]
      const elsewhere = base.replace("127.0.0.1", "localhost")
      const own = ["--authority", base.slice("http://".length)]
      const value = ["--symbol", symbol, "--metric", metric, "--date", date, "--url", elsewhere]
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-settled-")), "sale.json")
      writeFileSync(file, warrantedSale)
      const payee = ["payee", `${elsewhere}/.well-known/payee.json`, "--pay-to", payTo]
      yield* today(
        Effect.promise(async () => {
          for (const command of [
            ["response", `${elsewhere}/v1/world`],
            ["event", `${elsewhere}/v1/events?limit=500`],
            payee
          ]) {
            const addressed = await verify(...command, ...trusted)
            assert.strictEqual(addressed.exit, 2, addressed.text)
            assert.include(addressed.text, `pass --authority ${own[1]}`)
            const named = await verify(...command, ...own, ...trusted)
            assert.strictEqual(named.exit, 0, named.text)
            const wrong = await verify(...command, "--authority", "other.test", ...trusted)
            assert.notStrictEqual(wrong.exit, 0, wrong.text)
          }
          // A page on which nothing happened is no altered one.
          const quiet = await verify("event", `${base}/v1/events?after=1000000`, ...trusted)
          assert.strictEqual(quiet.exit, 2, quiet.text)
          assert.notMatch(quiet.text, /^FAILED/m)
          // What proves a value is signed by the log, whatever the service is called.
          const proved = await verify("value", ...value, ...trusted)
          assert.strictEqual(proved.exit, 0, proved.text)
          assert.include(proved.text, `pass --authority ${own[1]}`)
          const receipt = ["receipt", file, "--url", elsewhere, ...trusted]
          assert.strictEqual((await verify(...receipt)).exit, 0)
          assert.strictEqual((await verify(...receipt, ...own)).exit, 0)
          const wrong = await verify(...receipt, "--authority", "other.test")
          assert.strictEqual(wrong.exit, 1)
          assert.match(wrong.text, /^FAILED +receipt: it is of 127.0.0.1:\d+, not of other.test/m)
        })
      )
    })
  )

  it.effect("sells, though its own clock stands still and blocks come late", () =>
    Effect.gen(function* () {
      const { client } = yield* Chain
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          await client.setAutomine(false)
          await client.setIntervalMining({ interval: 1 })
        }),
        () => Effect.promise(() => client.setAutomine(true))
      )
      assert.hasAnyKeys(JSON.parse(yield* buy("depin_provenance")), ["receipt"])
    })
  )
})
