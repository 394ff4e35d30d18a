/** Bitcoin headers from block explorers (Esplora). Each header is hashed here, and the explorers must agree. */
import { Effect, Layer } from "effect"
import { Blocks, BlocksTrouble } from "../../core/log/Blocks.ts"
import { fromUtf8, Malformed } from "../../core/proof/bytes.ts"
import { type BitcoinNetwork, notMined, parseHeader } from "../../core/proof/ots/bitcoin.ts"
import { fetchHeader } from "../../core/proof/remote.ts"
import { sendBounded } from "./boundedRequest.ts"

/** Far more than a hash, a header or a height. */
const longest = 4096
const timeout = "20 seconds"

/** Explorers at these addresses, for this network. */
export const layer = (
  addresses: () => ReadonlyArray<string>,
  network: BitcoinNetwork = "bitcoin"
): Layer.Layer<Blocks> => {
  const explorers = () => addresses().map((address) => address.replace(/\/+$/, ""))
  const get = Effect.fnUntraced(function* (url: string) {
    const { body, status } = yield* sendBounded({
      method: "GET",
      url,
      headers: { "user-agent": "plumbline" },
      most: longest,
      timeout
    })
    return { status, body, headers: {} }
  })
  // The portable code asks by promises, and knows no answer as `Malformed`.
  const fetchWith = (signal: AbortSignal) => (url: string) =>
    Effect.runPromise(Effect.result(get(url)), { signal }).then((result) => {
      if (result._tag === "Success") return result.success
      throw new Malformed(`${url} did not answer: ${result.failure.message}`)
    })

  return Layer.succeed(
    Blocks,
    Blocks.of({
      network,
      header: Effect.fn("Blocks.header")(function* (height) {
        const { hex } = yield* Effect.tryPromise({
          try: (signal) => fetchHeader(fetchWith(signal), explorers(), height),
          catch: (error) =>
            new BlocksTrouble({ message: error instanceof Error ? error.message : String(error) })
        })
        const lack = notMined(parseHeader(hex), height, network)
        if (lack !== undefined) {
          return yield* new BlocksTrouble({
            message: `block ${height} is not a valid ${network} block: ${lack}`
          })
        }
        return hex
      }),
      tip: Effect.gen(function* () {
        const heights: Array<number> = []
        const troubles: Array<string> = []
        for (const explorer of explorers()) {
          const result = yield* Effect.result(get(`${explorer}/blocks/tip/height`))
          const text =
            result._tag === "Success" && result.success.status === 200
              ? textOf(result.success.body).trim()
              : ""
          if (/^\d{1,9}$/.test(text)) heights.push(Number(text))
          else troubles.push(`${explorer} did not return a height`)
        }
        if (heights.length === 0) return yield* new BlocksTrouble({ message: troubles.join("; ") })
        return Math.min(...heights)
      }).pipe(Effect.withSpan("Blocks.tip"))
    })
  )
}

const textOf = (body: Uint8Array): string => {
  try {
    return fromUtf8(body)
  } catch {
    return ""
  }
}
