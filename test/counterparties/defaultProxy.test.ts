/** Unpaid offers behind nginx as it is installed, whose headers are 4 kB at most: released clients read them there, and pay. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { PrivateKeyAccount } from "viem/accounts"
import { Chain, usdc } from "../support/base.ts"
import { freePort, isListening } from "../support/freePort.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { pathOf } from "../support/programs.ts"
import { Service } from "../support/service.ts"
import { SettledService, today } from "../support/settled.ts"
import { header, json } from "../support/signed.ts"
import { startProgram } from "../support/tools.ts"
import { until } from "../support/until.ts"
import { installed } from "./installed.ts"
import { payingFetch, payingFetchOld } from "./x402.ts"

const { extractReceiptFromResponse } = await installed(() => import("@x402/extensions/offer-receipt"))
const { evm, Fetch } = await installed(() => import("mppx/client"))

/** nginx in front of a port, with none of its settings of a proxy changed: its own port. */
const nginx = Effect.fnUntraced(function* (upstream: number) {
  const port = yield* Effect.promise(freePort)
  const folder = mkdtempSync(join(tmpdir(), "plumbline-nginx-"))
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ")
  const server = `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream}; } }`
  const file = join(folder, "nginx.conf")
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places} ${server} }`
  )
  const { child, output } = yield* startProgram(pathOf("nginx"), ["-p", folder, "-c", file, "-e", "stderr"])
  yield* until(() => child.exitCode !== null || isListening(port))
  assert.isNull(child.exitCode, output())
  return port
})

const byMpp = (account: PrivateKeyAccount) =>
  evm.charge({
    account,
    networks: [8453],
    currencies: [usdc],
    authorization: { name: "USD Coin", version: "2" },
    decimals: 6,
    maxAmount: "1"
  })

const twelve = Array.from({ length: 12 }, (_, n) => `NETWORK${n}`).join(",")
const paths = [
  "/x402/v1/data/depin_provenance",
  "/x402/v1/networks?limit=3",
  "/x402/v1/network/FIL",
  "/x402/v1/history?network=FIL&metric=active_storage_providers&days=30",
  `/x402/v1/history?symbols=${twelve}&metrics=active_storage_providers,price_usd&days=30&format=csv`
]

layerNeeding("counterparties", "nginx", "python's cryptography")(SettledService.layer)(
  "behind nginx as it is installed",
  (it) => {
    it.effect(
      "offers pass whole, and clients of x402, old and new, and of MPP pay",
      () =>
        Effect.gen(function* () {
          const { call, port } = yield* Service
          const chain = yield* Chain
          const proxy = `http://127.0.0.1:${yield* TestClock.withLive(nginx(port))}`
          for (const path of paths) {
            const direct = yield* call(path)
            const length = Object.entries(direct.headers).reduce(
              (sum, [name, value]) => sum + name.length + String(value).length + 4,
              0
            )
            assert.isBelow(length, 4096, path)
            const offer = json({
              ...direct,
              body: Buffer.from(header(direct, "payment-required"), "base64")
            }) as { readonly extensions: Readonly<Record<string, unknown>> }
            assert.property(offer.extensions, "payment-identifier", path)
            if (!path.includes(twelve)) assert.property(offer.extensions, "sign-in-with-x", path)
            // What the header leaves out, the body has.
            const { extensions } = json(direct) as {
              readonly extensions: Readonly<Record<string, { readonly schema: object }>>
            }
            assert.containsAllKeys(extensions, [
              "payment-identifier",
              "sign-in-with-x",
              "offer-receipt",
              "bazaar"
            ])
            assert.property(extensions["payment-identifier"]?.schema, "properties")
            const proxied = yield* Effect.promise(() => fetch(proxy + path))
            assert.strictEqual(proxied.status, 402, path)
          }
          const products = "/x402/v1/data/depin_provenance"
          const sold = [
            products,
            "/x402/v1/history?network=FIL&metric=active_storage_providers&days=30"
          ] as const
          for (const path of sold) {
            const payers = yield* Effect.all(
              Array.from({ length: 3 }, () => chain.payer(path === products ? 490_000n : 20_000n))
            )
            const clients = payers.map((payer, n) =>
              n === 0
                ? payingFetchOld(payer, chain.rpcUrl)
                : n === 1
                  ? payingFetch(payer)
                  : Fetch.from({ fetch, methods: [byMpp(payer)] })
            )
            for (const [n, paying] of clients.entries()) {
              const bought = yield* today(TestClock.withLive(Effect.tryPromise(() => paying(proxy + path))))
              assert.strictEqual(bought.status, 200, yield* Effect.promise(() => bought.clone().text()))
              assert.strictEqual(yield* chain.balance(payers[n]?.address ?? usdc), 0n, `${path} ${n}`)
              assert.isNotNull(extractReceiptFromResponse(bought), path)
            }
          }
        }),
      120_000
    )
  }
)
