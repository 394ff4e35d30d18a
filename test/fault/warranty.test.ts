/**
 * What warranties owe, paid by a process that is killed with -9 at a random question to the chain or shortly after it: on the
 * chain, in the ledger and in the report, each debt is paid once.
 */
import { spawn } from "node:child_process"
import { generateKeyPairSync, randomInt } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Address, getAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { report } from "../../core/credits/books/report.ts"
import { SalesChain } from "../../core/credits/chain/Chain.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { Chain, tokenAbi, usdc } from "../support/base.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { missing } from "../support/programs.ts"
import { rpcProxy } from "../support/rpcProxy.ts"
import { owedTo } from "../support/warranty.ts"
import { payOnce, services } from "./refunder.ts"

type Environment = Readonly<Record<string, string>>

/** Histories per engine, each with a kill; `KILLS` makes a campaign of it. */
const histories = Number(process.env["KILLS"] ?? 2)

const amount = 250_000n
/** Long ago: of the sales themselves the report says nothing. */
const soldAt = new Date("2026-09-01T00:00:00Z")
const day = 86_400_000

interface Debt {
  readonly sale: string
  readonly wallet: Address
}

/** Kills the process that runs now, some milliseconds after so many more questions to the chain. */
interface Plan {
  questions: number
  after: number
  kill: () => void
}

/** A few new debts; some wallets are an account's, but not the first: only for a transfer does the process keep asking the chain, until it is killed. */
const plant = Effect.fnUntraced(function* (history: number) {
  const sql = yield* SqlClient.SqlClient
  const account = `acc_${history}`
  yield* sql`insert into account ${sql.insert({ id: account, agent_name: "tests", created_at: new Date(0) })}`
  return yield* Effect.forEach(
    Array.from({ length: randomInt(1, 5) }, (_, n) => n),
    Effect.fnUntraced(function* (n) {
      const wallet = privateKeyToAccount(generatePrivateKey()).address
      const sale = `f${history}n${n}`
      yield* owedTo(sale, wallet, amount, { at: soldAt })
      if (n > 0 && randomInt(4) === 0)
        yield* sql`insert into wallet ${sql.insert({
          account,
          address: wallet.toLowerCase(),
          delegated: false,
          verified_at: new Date()
        })}`
      return { sale, wallet } satisfies Debt
    })
  )
})

const untilKilled = async (environment: Environment, plan: Plan) => {
  const child = spawn(process.execPath, [new URL("refunder.ts", import.meta.url).pathname], {
    env: { ...environment, ...compiled },
    stdio: ["ignore", "ignore", "inherit"]
  })
  // Some are cut before they ask anything, and some once everything is sent and is waited for.
  plan.questions = randomInt(1, 60)
  plan.after = randomInt(0, 3) === 0 ? randomInt(0, 60) : 0
  plan.kill = () => child.kill("SIGKILL")
  const signal = await new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  assert.strictEqual(signal, "SIGKILL", "it went on until it was killed")
}

/** Every debt of all histories, as chain and ledger have it. */
const examine = Effect.fnUntraced(function* (
  debts: ReadonlyArray<Debt>,
  refundAddress: Address,
  minted: bigint
) {
  const sql = yield* SqlClient.SqlClient
  const { balance, client, mineBlocks, rpcUrl } = yield* Chain
  const open = sql`select 1 as one from warranty_payment where state <> 'paid'`
  for (let n = 0; n < 10 && (yield* open).length > 0; n++) {
    yield* payOnce
    yield* mineBlocks(3)
  }
  assert.deepStrictEqual(yield* open, [], "all is paid")
  const logs = yield* Effect.promise(() =>
    client.getContractEvents({
      address: usdc,
      abi: tokenAbi,
      eventName: "Transfer",
      args: { from: refundAddress },
      fromBlock: 0n,
      strict: true
    })
  )
  const booked = yield* sql<{ sale: string; account: string; amount: bigint }>`
    select p.reference as sale, e.account, e.amount from posting p join ledger_entry e on e.posting = p.id
    where p.cause = 'warranty' and e.amount > 0`
  let spent = 0n
  for (const { sale, wallet } of debts) {
    const transfers = logs.filter(({ args }) => getAddress(args.to) === wallet)
    const postings = booked.filter((each) => each.sale === sale)
    const [posting] = postings
    assert.strictEqual(postings.length, 1, `${sale} is booked once`)
    assert.strictEqual(posting?.amount, amount)
    assert.strictEqual(transfers.length, posting?.account === "x402" ? 1 : 0, `${sale} is paid once`)
    for (const { args } of transfers) spent += args.value
    assert.strictEqual(yield* balance(wallet), transfers.length === 1 ? amount : 0n)
  }
  assert.strictEqual(booked.length, debts.length)
  assert.strictEqual(yield* balance(refundAddress), minted - spent)
  assert.isTrue((yield* (yield* Ledger).check).ok)
  const today = Date.now() - (Date.now() % day)
  const { differences, sides, warranty_open_usd, warranty_paid_usd } = yield* report({
    from: today - day,
    to: today + 2 * day
  }).pipe(
    Effect.provideService(
      SalesChain,
      Evm.make({ rpcUrl, chainId: 8453, token: usdc, depositAddress: `0x${"9".repeat(40)}` })
    )
  )
  assert.deepStrictEqual(differences, [])
  const side = sides.find(({ name }) => name === "warranty")
  assert.deepStrictEqual(side?.differences, [])
  assert.strictEqual(side?.n_compared, logs.length)
  assert.strictEqual(warranty_open_usd, "0.00")
  assert.strictEqual(Number(warranty_paid_usd), debts.length / 4)
  return { transfers: logs.length, credits: debts.length - logs.length }
})

const survives = Effect.fnUntraced(function* (database: (folder: string) => Environment) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-refunds-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const keyFile = join(folder, "key.pem")
  const { privateKey } = generateKeyPairSync("ed25519")
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const chain = yield* Chain
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const minted = 1_000_000_000n
  yield* chain.mint(address, minted)
  yield* Effect.promise(() => chain.client.setBalance({ address, value: 10n ** 18n }))
  const plan: Plan = { questions: Number.POSITIVE_INFINITY, after: 0, kill: () => {} }
  const methods = new Map<string, number>()
  const proxy = yield* rpcProxy(chain.rpcUrl, (method) => {
    if (--plan.questions !== 0) return
    methods.set(method, (methods.get(method) ?? 0) + 1)
    if (plan.after === 0) plan.kill()
    else setTimeout(plan.kill, plan.after)
  })
  const environment = {
    ...database(folder),
    SIGNING_KEY_FILE: keyFile,
    EVM_RPC_URL: proxy.url,
    WARRANTY_REFUND_KEY: key
  }
  const inService = <A, E>(
    work: Effect.Effect<A, E, Effect.Services<typeof payOnce> | SqlClient.SqlClient | Ledger | Chain>
  ) =>
    work.pipe(
      Effect.provide(services),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
  const debts: Array<Debt> = []
  for (let n = 0; n < histories; n++) {
    debts.push(...(yield* inService(plant(n))))
    yield* Effect.promise(() => untilKilled(environment, plan))
    plan.questions = Number.POSITIVE_INFINITY
    yield* chain.mineBlocks(randomInt(0, 3))
    if ((n + 1) % 10 === 0) yield* Effect.logInfo("killed", { kills: n + 1, debts: debts.length })
  }
  const counts = yield* inService(examine(debts, address, minted))
  yield* Effect.logInfo("refunds under kills", {
    kills: histories,
    ...counts,
    ...Object.fromEntries(methods)
  })
}, Effect.provide(Chain.layer))

describe.skipIf(missing("counterparties"))(
  `what warranties owe is paid once after ${histories} kills`,
  () => {
    it.live(
      "embedded",
      () =>
        survives((folder) => {
          prepare(folder)
          return { DATA_DIR: folder }
        }),
      60_000 + histories * 30_000
    )

    it.live(
      "Postgres",
      () =>
        Effect.flatMap(cloneUrl, (url) =>
          survives(() => ({ DATABASE_URL: url, LOG_KEY_FILE: "unused", SERVER_SECRET_FILE: "unused" }))
        ),
      60_000 + histories * 30_000
    )
  }
)
