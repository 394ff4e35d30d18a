/** Whether a request carries a payment, before anything of it is checked. */
import type { IncomingHttpHeaders } from "node:http"
import { Result } from "effect"
import { decodePayment } from "../../core/credits/x402/wire.ts"
import { decodeCredential, isCredential } from "./challenge.ts"

const decodes = (name: string, header: string | ReadonlyArray<string> | undefined, version: 1 | 2): boolean =>
  typeof header === "string" && Result.isSuccess(decodePayment(name, header, version))

/** True if one of its headers decodes to a payment: a header alone is none, whatever it is called. */
export const carriesPayment = (headers: IncomingHttpHeaders): boolean =>
  decodes("PAYMENT-SIGNATURE", headers["payment-signature"], 2) ||
  decodes("X-PAYMENT", headers["x-payment"], 1) ||
  (isCredential(headers.authorization) && Result.isSuccess(decodeCredential(headers.authorization)))
