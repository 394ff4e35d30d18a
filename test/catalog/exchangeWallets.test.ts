import { assert, it } from "@effect/vitest"
import { exchangeWallets } from "../../core/catalog/ExchangeWallets.ts"

it("labels no address twice on one chain", () => {
  const keys = exchangeWallets.map(({ address, chain }) => `${chain} ${address}`)
  assert.strictEqual(new Set(keys).size, keys.length)
})

it("names a source at a fixed commit for every address", () => {
  for (const { source } of exchangeWallets) assert.match(source, /^[\w.-]+\/[\w.-]+@[0-9a-f]{7,40} \S+/)
})
