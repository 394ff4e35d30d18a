/** Reads the inputs of a product, in the same way for every way to buy. */
import { Effect } from "effect"
import { type ProductKey, productOf } from "../products/index.ts"
import { refusedKnownAt } from "../products/refusedKnownAt.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { readMinAsOf } from "./minAsOf.ts"
import { inputsOf } from "./pricing.ts"

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Some clients send every member of a schema, with null for the ones they leave out. */
const chosen = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/**
 * The request with all inputs at the top level, whether they were sent there, in `inputs`, or some of each. A null member
 * counts as absent.
 */
export const flatRequest = Effect.fnUntraced(function* ({ inputs = null, ...others }: Members) {
  if (inputs !== null && !isMembers(inputs)) {
    return yield* new BadParameter({
      field: "inputs",
      message: "inputs must be an object with inputs of the product as members.",
      valid: "an object"
    })
  }
  const within = chosen(inputs ?? {})
  const flat = chosen(others)
  for (const [name, value] of Object.entries(flat)) {
    if (!Object.hasOwn(within, name) || within[name] === value) continue
    const field = name.slice(0, 60)
    return yield* new BadParameter({
      field,
      message: `${field} has different values inside and outside of inputs. Send it once.`,
      valid: "one value"
    })
  }
  return { ...within, ...flat }
})

/** Fails on an input that the product does not have. */
export const checkInputs = (key: ProductKey, inputs: Members): Effect.Effect<void, BadParameter> => {
  const validNames = Object.keys(inputsOf(key))
  const refused = Object.hasOwn(inputs, "as_known_at") ? refusedKnownAt(productOf(key)) : undefined
  if (refused !== undefined) return Effect.fail(refused)
  const stray = Object.keys(inputs).find((name) => !validNames.includes(name))
  if (stray === undefined) return Effect.void
  const field = stray.slice(0, 60)
  const valid = validNames.length === 0 ? "It has no inputs" : `Valid inputs: ${validNames.join(", ")}`
  return Effect.fail(
    new BadParameter({
      field,
      message: `${key} has no input ${JSON.stringify(field)}. ${valid}.`,
      valid_values: validNames
    })
  )
}

/** What a flat request for a product says beside its name, whatever it is paid with. Fails on what the product does not take. */
export const readRequest = Effect.fnUntraced(function* (
  key: ProductKey,
  { max_price_usd: limit, min_as_of, product_key: _, ...inputs }: Members
) {
  yield* checkInputs(key, inputs)
  const minAsOf = min_as_of === undefined ? undefined : yield* readMinAsOf(min_as_of)
  return { inputs, limit, minAsOf }
})
