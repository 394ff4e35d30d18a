/**
 * The verifiers and clients of earlier versions on today's settled service: none of them ever says that something is false. What they
 * cannot read they call unproved; the table of that is in `core/proof/README.md`.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get as getAs } from "../../../http/client/verifier/src/cli/get.ts"
import { mirror } from "../../../http/client/verifier/src/mirror.ts"
import { patient, served } from "../../../http/client/verifier/src/monitor/source.ts"
import { layerNeeding } from "../../support/layerNeeding.ts"
import { pathOf } from "../../support/programs.ts"
import {
  releasedPython,
  releasedTypeScript,
  releasedVerifier,
  versions
} from "../../support/releasedTools.ts"
import { closedDays, goneAfterwards, SettledService, settledValue, today } from "../../support/settled.ts"

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

layerNeeding("counterparties", "curl", "python's cryptography")(SettledService.layer)(
  "what was released",
  (it) => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-saved-"))
    const saved = (name: string, bytes: string | Uint8Array): string => {
      const file = join(folder, name)
      writeFileSync(file, bytes)
      return file
    }
    const get = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())

    /** The verifier of a release; what it says of each file must be these exit codes, of which none is 1. */
    const verifierOf = (release: string) =>
      Effect.map(SettledService, (settled) => {
        const { keys } = settled
        const trusted = [`--key=${keys.answers}`, `--key=${keys.log}`, `--key=${keys.rotated}`]
        const verify = releasedVerifier(release, { PLUMBLINE_API_KEY: settled.apiKey })
        const exits = async (exit: 0 | 2, ...args: ReadonlyArray<string>) => {
          const ran = await verify(...args, ...trusted)
          assert.strictEqual(ran.exit, exit, `${args.join(" ")}\n${ran.text}`)
          assert.notMatch(ran.text, /^FAILED/m)
          return ran.text
        }
        return { ...settled, trusted, verify, exits, holds: (...args: Arguments) => exits(0, ...args) }
      })
    type Arguments = ReadonlyArray<string>

    it.effect.each(versions)("says of no answer that it is false: the verifier of %s", (release) =>
      Effect.gen(function* () {
        const { base, holds } = yield* verifierOf(release)
        yield* Effect.promise(async () => {
          for (const path of addresses) await holds("response", base + path)
          const url = `${base}/v1/supply?network=FIL`
          for (const method of ["GET", "HEAD"]) {
            const { stdout } = await promisify(execFile)(pathOf("curl"), [
              method === "HEAD" ? "-sI" : "-si",
              url
            ])
            await holds("response", saved(`${method}.txt`, stdout), "--url", url, "--method", method)
          }
          const document = saved("keys.json", await get(`${base}/.well-known/service-signing-key.json`))
          await holds(
            "response",
            saved("GET.txt", readFileSync(join(folder, "GET.txt"))),
            "--url",
            url,
            "--keys",
            document
          )
        })
      })
    )

    it.effect.each(versions)("says of no value that it is false: the verifier of %s", (release) =>
      Effect.gen(function* () {
        const { base, holds, keys, verify, witness } = yield* verifierOf(release)
        yield* Effect.promise(async () => {
          for (const date of dates) {
            await holds("value", "--symbol", symbol, "--metric", metric, "--date", date, "--url", base)
            const bundle = saved(`${date}.json`, await get(`${base}/v1/attest?${query(date)}&format=bundle`))
            await holds("bundle", bundle, "--witness", witness)
          }
          const revised = `symbol=${symbol}&metric=storage_bytes&date=${dates[0]}`
          await holds("bundle", saved("revised", await get(`${base}/v1/attest?${revised}&format=bundle`)))
          const absent = `symbol=${goneAfterwards}&metric=${metric}&date=${dates[1]}`
          await holds("bundle", saved("absent", await get(`${base}/v1/attest?${absent}&format=absence`)))
          // Each key by itself, as somebody has it who read it before the rotation.
          const last = saved(
            "last.json",
            await get(`${base}/v1/attest?${query(dates[2] ?? "")}&format=bundle`)
          )
          assert.strictEqual((await verify("bundle", last, `--key=${keys.rotated}`)).exit, 0)
          // By now that key is retired, and only a witness says that it signed before.
          assert.strictEqual((await verify("bundle", last, `--key=${keys.log}`)).exit, 2)
        })
      })
    )

    it.effect.each(versions.slice(versions.indexOf("2.1.0")))(
      "says of no bundle of version 4 that it is false: the verifier of %s",
      (release) =>
        Effect.gen(function* () {
          const { base, holds, notary, witness } = yield* verifierOf(release)
          yield* Effect.promise(async () => {
            for (const date of dates) {
              const bundle = saved(`${date}.4`, await get(`${base}/v1/attest?${query(date)}&format=bundle4`))
              await holds("bundle", bundle, "--witness", witness, "--notary", notary)
            }
            // A value that was read from a chain, whose bundle has the proof: it is not signed, and nothing else depends on it.
            const { evidence, ...spine } = JSON.parse(
              new TextDecoder().decode(await get(`${base}/v1/attest?${query(dates[0] ?? "")}&format=bundle4`))
            )
            const chain = { kind: "chain", v: 1, proof: {}, key: "00", as: "unsigned", decimals: 0 }
            const finality = { kind: "finality", v: 1, document: "", log: {} }
            const proved = saved(
              "chain",
              JSON.stringify({ ...spine, evidence: [...evidence, chain, finality] })
            )
            const text = await holds("bundle", proved, "--witness", witness, "--notary", notary)
            for (const kind of ["chain", "finality"])
              assert.match(
                text,
                new RegExp(`^not checked +evidence ${kind}: this verifier does not know it$`, "m")
              )
            const absent = `symbol=${goneAfterwards}&metric=${metric}&date=${dates[1]}`
            await holds("bundle", saved("absent4", await get(`${base}/v1/attest?${absent}&format=absence4`)))
          })
        })
    )

    it.effect.each(versions)(
      "says of no log, copy or archive that it is false: the verifier of %s",
      (release) =>
        Effect.gen(function* () {
          const { base, holds, trusted, verify } = yield* verifierOf(release)
          const copy = mkdtempSync(join(tmpdir(), "plumbline-copy-"))
          yield* Effect.promise(async () => {
            const head = saved("head", await get(`${base}/v1/log/checkpoints/1`))
            await holds("log", "--from", head, "--url", base)
            await mirror(served(patient(getAs, { wait: () => Promise.resolve() }), base), copy, {
              trust: {},
              now: Date.now,
              random: () => 0,
              say: () => undefined
            })
            for (const from of [
              ["--url", base],
              ["--dir", copy]
            ]) {
              const watched = await verify("monitor", ...from, "--once", ...trusted)
              // Its days are of September, so by the clock of this machine the newest batch is late; and no collector plans what its
              // feeds read, so it has no schedule. Both are true, and nothing else is found.
              const findings = watched.text.match(/^FOUND .*$/gm) ?? []
              assert.deepStrictEqual(
                findings.filter((line) => !/promise: (newest batch|schedules)$/.test(line)),
                [],
                watched.text
              )
            }
            for (const day of closedDays) {
              const [year, month, of] = day.split("-")
              const file = await get(`${base}/v1/archive/daily/${year}/${month}/${of}.parquet`)
              const archived = saved(`${day}.parquet`, file)
              await holds("archive", archived, "--url", base)
              await holds("archive", archived, "--dir", copy)
            }
          })
        })
    )

    it.effect.each(versions)("says of no event or signal that it is false: the verifier of %s", (release) =>
      Effect.gen(function* () {
        const { apiKey, base, exits, holds } = yield* verifierOf(release)
        yield* Effect.promise(async () => {
          const url = `${base}/v1/events?limit=500`
          await holds("event", url)
          const page = await get(url)
          await holds("event", saved("events.json", page), "--url", base)
          const { events } = JSON.parse(Buffer.from(page).toString()) as {
            readonly events: ReadonlyArray<object>
          }
          assert.isAtLeast(events.length, 5)
          await holds("event", saved("event.json", JSON.stringify(events[0])), "--url", base)
          // As `curl -N` writes it until somebody stops it.
          const stream = await promisify(execFile)(pathOf("curl"), [
            ...["-sN", "--max-time", "2", "-H", "Last-Event-ID: 0"],
            `${base}/v1/stream`
          ]).catch((stopped: { readonly stdout: string }) => stopped)
          assert.isAtLeast((stream.stdout.match(/^data: .*"kid"/gm) ?? []).length, events.length)
          await holds("event", saved("stream", stream.stdout), "--url", base)
          await holds("signals", `${base}/v1/signals?limit=500`)
          const ledger = await fetch(`${base}/v1/signals?limit=500`, { headers: { "x-api-key": apiKey } })
          const { signals } = (await ledger.clone().json()) as {
            readonly signals: ReadonlyArray<{ readonly hash: string }>
          }
          assert.isNotEmpty(signals)
          // Rows have no signature: without a hash that the reader kept, nobody vouches for them.
          const file = saved("signals.json", await ledger.text())
          await exits(2, "signals", file)
          await holds("signals", file, "--head", signals[0]?.hash ?? "")
        })
      })
    )

    it.effect.each(versions)("says of nothing sold that it is false: the verifier of %s", (release) =>
      Effect.gen(function* () {
        const { base, holds, payTo, sale, warrantedSale } = yield* verifierOf(release)
        const payeeUrl = `${base}/.well-known/payee.json`
        const payee = yield* today(
          Effect.promise(async () => {
            await holds("payee", payeeUrl, "--pay-to", payTo)
            const file = saved("payee.json", await get(payeeUrl))
            await holds("payee", file, "--url", base, "--pay-to", payTo)
            return file
          })
        )
        yield* Effect.promise(async () => {
          const document = saved("keys.json", await get(`${base}/.well-known/service-signing-key.json`))
          for (const answer of [sale, warrantedSale]) {
            const file = saved("sale.json", answer)
            await holds("receipt", file, "--url", base)
            await holds("receipt", file, "--keys", document, "--payee", payee)
            const { checkpoint, receipt, warranty } = JSON.parse(answer) as {
              readonly checkpoint: { readonly size: number }
              readonly receipt: object
              readonly warranty?: object
            }
            assert.strictEqual(warranty !== undefined, answer === warrantedSale)
            await holds("receipt", saved("receipt.json", JSON.stringify(receipt)), "--url", base)
            const earlier = saved("kept", await get(`${base}/v1/log/checkpoints/${checkpoint.size}`))
            await holds("receipt", file, "--url", base, "--kept", earlier)
          }
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
  }
)
