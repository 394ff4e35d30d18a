/** What a buyer chooses of a product, read the same way wherever it is bought. */
import { Effect } from "effect"
import { BadParameter } from "../wire/problems/request.ts"
import type { ProductKey } from "../wire/products/keys.ts"
import { catalog } from "./pricing.ts"

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Clients that fill in every member of a schema send null for what they do not choose. */
const chosen = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/**
 * A request for a product with its inputs beside `product_key`, wherever they were sent: there, as members of `inputs`,
 * or some of each. A member that is null counts as absent.
 */
export const flatRequest = Effect.fnUntraced(function* ({ inputs = null, ...beside }: Members) {
  if (inputs !== null && !isMembers(inputs)) {
    return yield* new BadParameter({
      field: "inputs",
      message: "inputs must be an object whose members are inputs of the product.",
      valid: "an object"
    })
  }
  const within = chosen(inputs ?? {})
  const flat = chosen(beside)
  for (const [name, value] of Object.entries(flat)) {
    if (!Object.hasOwn(within, name) || within[name] === value) continue
    const field = name.slice(0, 60)
    return yield* new BadParameter({
      field,
      message: `${field} has one value in inputs and another beside it. Send it once.`,
      valid: "one value"
    })
  }
  return { ...within, ...flat }
})

/** Holds that the product takes each of the inputs. */
export const checkInputs = (key: ProductKey, inputs: Members): Effect.Effect<void, BadParameter> => {
  const taken = Object.keys(catalog[key].inputs ?? {})
  const stray = Object.keys(inputs).find((name) => !taken.includes(name))
  if (stray === undefined) return Effect.void
  const field = stray.slice(0, 60)
  const valid = taken.length === 0 ? "It takes none" : `It takes ${taken.join(", ")}`
  return Effect.fail(
    new BadParameter({
      field,
      message: `${key} has no input ${JSON.stringify(field)}. ${valid}.`,
      valid_values: taken
    })
  )
}
