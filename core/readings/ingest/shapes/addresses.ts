/** The answers of a run by their address, and the shape of each. */
import { Option, Predicate, Schema } from "effect"
import type { Exchange } from "../../../plugin/Upstream.ts"
import { isData, Shape, shapeOf, valueOf } from "./shape.ts"

/** The answers of one address in one run. */
export const AddressShape = Schema.Struct({
  /** Host and path, and the methods of JSON-RPC; steps of the path that are data, such as a token's address, are `*`. */
  address: Schema.String.check(Schema.isMaxLength(300)),
  shape: Shape
})
export interface AddressShape extends Schema.Schema.Type<typeof AddressShape> {}

/** Addresses of a run whose shapes are looked at. */
export const mostAddresses = 300

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Which requests ask for the same: their path, and the methods of JSON-RPC. */
export const kindOfRequest = ({ request: { body, url } }: Exchange): string => {
  const path = URL.parse(url)?.pathname ?? url
  const called = Option.getOrUndefined(parsed(body ?? ""))
  const calls = (Array.isArray(called) ? called : [called]).flatMap((call: unknown) =>
    Predicate.hasProperty(call, "method") && Predicate.isString(call.method) ? [call.method] : []
  )
  return [path, ...new Set(calls)].join(" ")
}

/** The same with the host; at most 300 characters. */
export const addressOf = (exchange: Exchange): string => {
  const kind = kindOfRequest(exchange)
    .split("/")
    .map((step) => (isData(step) ? "*" : step))
    .join("/")
  return `${URL.parse(exchange.request.url)?.host ?? ""}${kind}`.slice(0, 300)
}

/** The host of an address. */
export const hostIn = (address: string): string => address.split("/")[0] ?? address

/** Answers that hold something, by a name of their requests. Refusals say nothing about members. */
export const valuesBy = (
  exchanges: ReadonlyArray<Exchange>,
  name: (exchange: Exchange) => string
): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const values = exchanges.flatMap((exchange) => {
    const value = exchange.status < 400 ? valueOf(exchange.body) : undefined
    return value === undefined ? [] : [{ name: name(exchange), value }]
  })
  const byName = Map.groupBy(values, ({ name }) => name)
  return new Map([...byName].map(([name, each]) => [name, each.map(({ value }) => value)]))
}

/** The shapes of a run's answers. Parses each body, a few milliseconds for a megabyte: not for the main thread. */
export const shapesOf = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<AddressShape> =>
  [...valuesBy(exchanges, addressOf)]
    .slice(0, mostAddresses)
    .map(([address, values]) => ({ address, shape: shapeOf(values) }))
