/** A draft of a plugin from the ABI of a contract: its functions that take nothing and give one unsigned integer. */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { toFunctionSelector } from "viem/utils"
import { atBlock, blockCall } from "../../../core/plugin/shapes/provedViews.ts"
import * as Upstream from "../../../core/plugin/Upstream.ts"
import type { Unit } from "../../../core/plugin/units.ts"
import type { Tape } from "../../upstream/replay.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { type Draft, Metrics } from "./draft.ts"
import { guess, snake } from "./guesses.ts"

/** A function of a contract that a metric can be made of. */
export interface View {
  readonly name: string
  readonly selector: `0x${string}`
}

const Typed = Schema.Struct({ type: Schema.String })
const Fn = Schema.Struct({
  type: Schema.Literal("function"),
  name: Schema.String,
  inputs: Schema.Array(Typed),
  outputs: Schema.Array(Typed),
  stateMutability: Schema.Literals(["view", "pure"])
})
const Entries = Schema.Array(Schema.Unknown)
const Abi = Schema.fromJsonString(Schema.Union([Entries, Schema.Struct({ abi: Entries })]))

const isEntry = Schema.is(
  Schema.Struct({ type: Schema.Literals(["function", "event", "error", "constructor"]) })
)

/** The views of an ABI, or of a compiler's or deployer's file around one; undefined for another text. */
export const viewsIn = (text: string): ReadonlyArray<View> | undefined => {
  const parsed = Option.getOrUndefined(Schema.decodeUnknownOption(Abi)(text))
  const entries = parsed === undefined || "abi" in parsed ? (parsed?.abi ?? []) : parsed
  if (!entries.some((entry) => isEntry(entry))) return undefined
  return entries.flatMap((entry) => {
    const view = Option.getOrUndefined(Schema.decodeUnknownOption(Fn)(entry))
    const [output, more] = view?.outputs ?? []
    return view !== undefined &&
      view.inputs.length === 0 &&
      more === undefined &&
      /^uint\d*$/.test(output?.type ?? "")
      ? [{ name: view.name, selector: toFunctionSelector(`${view.name}()`) }]
      : []
  })
}

/** Of `biome.json`. */
const lineWidth = 110

/** Of 10^18 base units, as most tokens have. */
const usualDecimals = 18

/** The draft of a contract's views; `units` are what other plugins give by these names. */
export const draftOfViews = (
  views: ReadonlyArray<View>,
  contract: string,
  url: string,
  id: string,
  units: ReadonlyMap<string, Unit>
): Draft => {
  const metrics = new Metrics(snake(id), units)
  const read = views.filter(({ name }) => {
    const words = snake(name).replace(/^get_/, "")
    const guessed = guess(words, 1)
    if (guessed === undefined || words === "decimals") return false
    const isTokens = guessed.unit === "tokens"
    const unit = isTokens || guessed.unit === "block" ? guessed.unit : "count"
    const place = isTokens ? `{ number: "${name}", decimals: ${usualDecimals} }` : JSON.stringify(name)
    return metrics.add([words], unit, `What ${name}() gives`, place)
  })
  const first = `contract([${JSON.stringify(url)}], ${JSON.stringify(contract)}, {`
  // As the formatter writes it: in a line of its own each, where the line is too long.
  const isLong = `      ask: ${first}`.length > lineWidth
  const inset = isLong ? "          " : "        "
  const selectors = read.map(({ name, selector }) => `${inset}${name}: "${selector}"`).join(",\n")
  const code = isLong
    ? `contract(\n        [${JSON.stringify(url)}],\n        ${JSON.stringify(contract)},\n        {\n${selectors}\n        }\n      )`
    : `${first}\n${selectors}\n      })`
  return {
    metrics: metrics.all,
    as_of: `"timestamp"`,
    ask: {
      imports: 'import { contract } from "#plugin/evm"',
      // The block and the batch, each once more where the node refuses proofs.
      calls: 4,
      code
    },
    remarks: [
      "name a second node, of another operator, beside the first",
      "verify_url is the page of an explorer that shows these figures",
      ...(metrics.all.some(({ unit }) => unit === "tokens")
        ? [`amounts of tokens are taken to have ${usualDecimals} decimals: what does the contract say?`]
        : [])
    ]
  }
}

/** A recording of what a node would answer, with numbers and a hash of the block that are invented. */
export const tapeOfViews = (views: ReadonlyArray<View>, contract: string, url: string, at: number): Tape => {
  const block = {
    hash: `0x${createHash("sha256").update(`${url} ${at}`).digest("hex")}`,
    timestamp: `0x${Math.floor(at / 1000).toString(16)}`
  }
  const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`
  const exchange = (
    calls: Parameters<typeof Upstream.rpcRequest>[1],
    results: ReadonlyArray<unknown>
  ): Upstream.Exchange => {
    const replies = results.map((result, index) => ({ jsonrpc: "2.0", id: index + 1, result }))
    const body = new TextEncoder().encode(JSON.stringify(replies.length === 1 ? replies[0] : replies))
    return {
      request: Upstream.rpcRequest(url, calls),
      at,
      status: 200,
      headers: { "content-type": "application/json" },
      sha256: createHash("sha256").update(body).digest("hex"),
      body
    }
  }
  return {
    now: at,
    targets: [],
    settings: {},
    exchanges: [
      exchange([blockCall], [block]),
      exchange(
        views.map(({ selector }) => ({
          method: "eth_call",
          params: [{ to: contract, data: selector }, atBlock(block.hash)]
        })),
        views.map((_, index) => word(1000 + index))
      )
    ]
  }
}

/** What a case says that holds such a recording. */
export const inventedNote = `${scaffoldMark}: numbers invented by the scaffold; record a real answer`
