/**
 * What the headers of x402 have room for. Proxies take 4 kB of headers in all by default, and answer 502 in place of an offer, or of what
 * was paid for, whose headers are longer; so a header has what a client acts upon, as far as it fits.
 */
import { encodeHeader, type PaymentRequired, type Settlement } from "../../core/credits/x402/wire.ts"

type Headers = Readonly<Record<string, string>>

/** Of nginx's `proxy_buffer_size`, less what every signed answer of a service with a log has. */
const room = 4096 - 1600

/** Says no more than that there is a schema: the body has the whole one. */
const schema = { type: "object" }

const lengthOf = (headers: Headers): number =>
  Object.entries(headers).reduce((length, [name, value]) => length + name.length + value.length + 4, 0)

/** The header `name` with the first of these extensions, as many as fit beside other headers. */
const fitting = (
  name: string,
  content: object,
  extensions: ReadonlyArray<readonly [name: string, extension: object]>,
  beside: Headers
): Headers => {
  const header = (n: number): Headers => ({
    [name]: encodeHeader(
      n === 0 ? content : { ...content, extensions: Object.fromEntries(extensions.slice(0, n)) }
    )
  })
  const all = extensions.map((_, n) => header(extensions.length - n))
  return all.find((one) => lengthOf({ ...beside, ...one }) <= room) ?? header(0)
}

/** The offer with what a client answers: its name for the payment, and who it is. All that is said of an offer is in the body. */
export const offerHeader = ({ extensions, ...required }: PaymentRequired, beside: Headers): Headers =>
  fitting(
    "payment-required",
    required,
    ["payment-identifier", "sign-in-with-x"].flatMap((name) => {
      const extension = extensions[name]
      return typeof extension === "object" ? [[name, { ...extension, schema }] as const] : []
    }),
    beside
  )

/**
 * How a payment was settled, with the first of these extensions, as many as fit. A client of version 1 has a header of its own, which
 * had no extensions then.
 */
export const settlementHeaders = (
  version: 1 | 2 | undefined,
  settlement: Settlement,
  extensions: Readonly<Record<string, object>>,
  beside: Headers
): Headers => {
  const old: Headers = version === 1 ? { "x-payment-response": encodeHeader(settlement) } : {}
  const some = fitting("payment-response", settlement, Object.entries(extensions), { ...beside, ...old })
  return { ...some, ...old }
}
