import { spawn } from "node:child_process"
import { generateKeyPairSync, randomInt } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { Chain, tokenAbi, usdc } from "../support/base.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { missing } from "../support/programs.ts"
import { merchant } from "../support/shop.ts"
import { pay, services, step, takeUp } from "./buyer.ts"

type Environment = Readonly<Record<string, string>>

/** Kills per engine, at the least; `KILLS` makes a campaign of it. */
const kills = Number(process.env["KILLS"] ?? 2)

interface Transcript {
  /** Steps that were begun, with the payment that each was to send, or -. */
  readonly begun: Map<number, string>
  /** Steps that were answered, with their purchase, or -. */
  readonly done: Map<number, string>
}

/** Lets a buyer work from a step on and kills it somewhere. */
const untilKilled = async (
  environment: Environment,
  payer: string,
  first: number,
  { begun, done }: Transcript
) => {
  const script = new URL("buyer.ts", import.meta.url).pathname
  const lost = [...begun].filter(([n, header]) => header !== "-" && !done.has(n))
  const child = spawn(
    process.execPath,
    [script, String(first), payer, ...lost.map((each) => each.join(":"))],
    {
      env: { ...environment, ...compiled },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  const last = first + randomInt(4, 16)
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, n, what = ""] = line.split(" ")
    if (word === "done") done.set(Number(n), what)
    if (word !== "begins") continue
    begun.set(Number(n), what)
    if (Number(n) === last) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 60))
  }
  assert.strictEqual(await ended, "SIGKILL", "it went on until it was killed")
}

/** True once there is something of each kind to examine: a purchase and a sale that were acknowledged, and a sale cut. */
const saysAll = ({ begun, done }: Transcript): boolean =>
  ["pur_", "x402_"].every((kind) => [...done.values()].some((purchase) => purchase.startsWith(kind))) &&
  [...begun].some(([n, header]) => header !== "-" && !done.has(n))

const examinePurchases = Effect.fnUntraced(function* ({ begun, done }: Transcript) {
  const sql = yield* SqlClient.SqlClient
  const report = yield* (yield* Ledger).check
  assert.deepStrictEqual(report.problems, [])

  const purchases = yield* sql<{
    id: string
    step: string
    bytes: Uint8Array | null
    payload_sha256: string
    charged: bigint | null
  }>`
    select p.id, p.idempotency_key as step, p.payload_sha256, y.bytes,
      (select -e.amount from posting g join ledger_entry e on e.posting = g.id and e.account like 'credits:%'
        where g.key = 'purchase:' || p.id) as charged
    from purchase p left join payload y on y.sha256 = p.payload_sha256`
  const byStep = new Map(purchases.map((purchase) => [Number(purchase.step), purchase]))
  assert.strictEqual(byStep.size, purchases.length, "a step bought once")
  for (const [n, id] of done) {
    if (id.startsWith("pur_"))
      assert.strictEqual(byStep.get(n)?.id, id, `the purchase of step ${n}, which was acknowledged`)
  }
  for (const { bytes, charged, id, payload_sha256 } of purchases) {
    assert.strictEqual(charged, 490_000n, `${id} was charged`)
    assert.strictEqual(sha256(bytes ?? new Uint8Array()), payload_sha256, `${id} has its payload`)
  }
  const [postings] = yield* sql<{
    n: number
  }>`select count(*)::int as n from posting where cause = 'purchase'`
  assert.strictEqual(postings?.n, purchases.length, "no charge without its purchase")

  // A step whose answer was lost is asked again: what was bought then is given now, and nothing is charged.
  for (const n of begun.keys()) {
    const before = byStep.get(n)
    if (before === undefined || done.has(n)) continue
    assert.strictEqual(yield* step(n), before.id)
  }
  assert.isTrue((yield* (yield* Ledger).check).ok)
})

const examineSales = Effect.fnUntraced(function* ({ begun, done }: Transcript, payTo: `0x${string}`) {
  const sql = yield* SqlClient.SqlClient
  const { balance, client } = yield* Chain
  yield* takeUp
  // Whoever lost the answer sends the same header again: paid or not before, it is given now and paid once.
  const cut = new Set<string>()
  for (const [n, header] of begun) {
    if (header === "-") continue
    const before = done.get(n)
    const now = yield* pay(header)
    if (before === undefined) cut.add(now)
    else assert.strictEqual(now, before, `the sale of step ${n}, which was acknowledged`)
  }
  assert.isNotEmpty(cut, "some sale was cut")
  const sales = yield* sql<{ id: string; state: string; booked: bigint | null }>`
    select s.id, s.state, (select sum(-e.amount)::bigint from posting g
      join ledger_entry e on e.posting = g.id and e.account = 'x402' where g.reference = s.id) as booked
    from x402_sale s`
  for (const { booked, id, state } of sales)
    assert.deepStrictEqual([state, booked], ["settled", 490_000n], id)
  assert.strictEqual(sales.length, [...begun.values()].filter((header) => header !== "-").length)
  // The chain is the witness: as many transfers as sales, and what came is what is booked.
  const logs = yield* Effect.promise(() =>
    client.getContractEvents({
      address: usdc,
      abi: tokenAbi,
      eventName: "Transfer",
      args: { to: payTo },
      fromBlock: 0n
    })
  )
  assert.strictEqual(logs.length, sales.length)
  assert.strictEqual(yield* balance(payTo), BigInt(sales.length) * 490_000n)
  assert.isTrue((yield* (yield* Ledger).check).ok)
})

const survives = Effect.fnUntraced(function* (database: (folder: string) => Environment) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-money-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const keyFile = join(folder, "key.pem")
  const { privateKey } = generateKeyPairSync("ed25519")
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const chain = yield* Chain
  const { key, payTo } = yield* merchant
  const payer = yield* chain.payer(1_000_000_000n)
  const environment = {
    ...database(folder),
    SIGNING_KEY_FILE: keyFile,
    EVM_RPC_URL: chain.rpcUrl,
    X402_PAY_TO: payTo,
    X402_SETTLER_KEY: key
  }
  const transcript: Transcript = { begun: new Map(), done: new Map() }
  for (let round = 0; round < kills || !saysAll(transcript); round++) {
    const next = Math.max(0, ...transcript.begun.keys()) + 1
    yield* Effect.promise(() => untilKilled(environment, payer.key, next, transcript))
  }
  yield* Effect.andThen(examinePurchases(transcript), examineSales(transcript, payTo)).pipe(
    Effect.provide(services),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )
}, Effect.provide(Chain.layer))

describe
  .skipIf(missing("counterparties"))
  .concurrent(
    `money is exact after ${kills} kills: no charge without its payload, none twice, none lost`,
    () => {
      it.live(
        "embedded",
        () =>
          survives((folder) => {
            prepare(folder)
            return { DATA_DIR: folder }
          }),
        60_000 + kills * 30_000
      )

      it.live(
        "Postgres",
        () =>
          Effect.flatMap(cloneUrl, (url) =>
            survives(() => ({ DATABASE_URL: url, LOG_KEY_FILE: "unused", SERVER_SECRET_FILE: "unused" }))
          ),
        60_000 + kills * 30_000
      )
    }
  )
