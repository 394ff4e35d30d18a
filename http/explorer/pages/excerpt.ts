/** What a product would deliver now: counted, and shortened to be looked at. */
import { Cache, Context, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Products } from "../../../core/credits/Product.ts"
import { ReadyPayload } from "../../../core/credits/payload.ts"
import type { ProductKey } from "../../../core/products/index.ts"

export interface Excerpt {
  /** JSON of the payload with every list cut to its first member. */
  readonly text: string
  /** Lists of the payload by name, with their lengths. */
  readonly counts: ReadonlyArray<readonly [name: string, n: number]>
  /** The payload's own words about how it is made. */
  readonly methodology: Readonly<Record<string, unknown>>
  readonly generatedUtc: string | undefined
  /** True if it holds a value that was made up for the demo. */
  readonly simulated: boolean
  /** Who wrote the statements, of a product that has some. */
  readonly author: string | undefined
  /** Bytes of the whole payload. */
  readonly bytes: number
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Members of an object and characters of a text that are shown. */
const most = { members: 16, characters: 140 }

const shortened = (value: unknown, depth: number): unknown => {
  if (Array.isArray(value)) {
    const visible = value.slice(0, 1).map((one) => shortened(one, depth + 1))
    return value.length > visible.length ? [...visible, `… ${value.length - visible.length} more`] : visible
  }
  if (typeof value === "string") {
    return value.length > most.characters ? `${value.slice(0, most.characters)}…` : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => depth > 0 || name !== "methodology")
  const visible = entries
    .slice(0, most.members)
    .map(([name, one]): readonly [string, unknown] => [name, shortened(one, depth + 1)])
  return Object.fromEntries(
    entries.length > visible.length ? [...visible, ["…", `${entries.length - visible.length} more`]] : visible
  )
}

/** The lists right in the payload, and those of its parts where it has none. */
const countsOf = (payload: Readonly<Record<string, unknown>>): Excerpt["counts"] => {
  const lists = (of: Readonly<Record<string, unknown>>, before: string) =>
    Object.entries(of).flatMap(([name, value]): Excerpt["counts"] =>
      Array.isArray(value) ? [[`${before}${name}`, value.length]] : []
    )
  const own = lists(payload, "")
  if (own.length > 0) return own
  return Object.entries(payload).flatMap(([name, value]) =>
    isObject(value) && name !== "methodology" ? lists(value, `${name} `).slice(0, 1) : []
  )
}

const textIn = (payload: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = payload[name]
  return typeof value === "string" ? value : undefined
}

/** Of a payload whose bytes are there already; it is not read again for that. */
const excerptOfReady = ({ bytes, outline, simulated }: ReadyPayload): Excerpt => ({
  ...excerptOf(outline, undefined),
  counts: Object.entries(outline).flatMap(([name, n]: readonly [string, unknown]): Excerpt["counts"] =>
    typeof n === "number" && name.startsWith("n_") ? [[name.slice(2), n]] : []
  ),
  simulated,
  bytes: bytes.length
})

const excerptOf = (payload: unknown, secret: string | undefined): Excerpt => {
  const members = isObject(payload) ? payload : {}
  const whole = JSON.stringify(payload)
  const { methodology } = members
  const text = JSON.stringify(shortened(payload, 0), null, 2)
  return {
    text: secret === undefined ? text : text.replaceAll(secret, "(your key)"),
    counts: countsOf(members),
    methodology: isObject(methodology) ? methodology : {},
    generatedUtc: textIn(members, "generated_utc"),
    simulated: whole.includes('"simulated":true'),
    author:
      textIn(members, "author") ??
      (isObject(members["ai_intel"]) ? textIn(members["ai_intel"], "author") : undefined),
    bytes: Buffer.byteLength(whole)
  }
}

/** Why there is none. Whoever reads the page has bought nothing, so nothing is said of a charge. */
const toReason = ({ message }: { readonly message: string }) =>
  Effect.succeed({ reason: message.replace(/ Nothing was charged\.$/, "") })

/** No purchase has this id. */
const nobody = "pur_excerpt"

/** A payload costs what a sale costs, so one is made at most this often. */
const cacheTtl = "10 minutes"

export class Excerpts extends Context.Service<
  Excerpts,
  {
    /** Says why there is none, where the product cannot be delivered now. */
    readonly of: (key: ProductKey) => Effect.Effect<Excerpt | { readonly reason: string }, SqlError>
  }
>()("http/explorer/Excerpts") {
  static readonly layer = Layer.effect(
    Excerpts,
    Effect.gen(function* () {
      const products = yield* Products
      const excerpt = Effect.fn("explorer.excerpt")(function* (key: ProductKey) {
        const product = products.get(key)
        if (product === undefined) return { reason: "It cannot be delivered yet." }
        return yield* product.build({ id: nobody, inputs: {} }).pipe(
          Effect.map((payload) =>
            payload instanceof ReadyPayload
              ? excerptOfReady(payload)
              : excerptOf(payload, product.secret?.(nobody))
          ),
          Effect.catchTags({
            NotForResale: toReason,
            ProductUnavailable: toReason,
            BadParameter: toReason,
            UnknownSymbol: toReason
          })
        )
      })
      const cache = yield* Cache.makeWith(excerpt, {
        capacity: 50,
        timeToLive: (exit) => (Exit.isSuccess(exit) && !("reason" in exit.value) ? cacheTtl : "10 seconds")
      })
      return Excerpts.of({ of: (key) => Cache.get(cache, key) })
    })
  )
}
