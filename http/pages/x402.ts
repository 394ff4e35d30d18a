/** A separate OpenAPI document for the products sold per request: one path per product, with its price. */
import { checksummed } from "../../core/credits/chain/signature.ts"
import type { Listed } from "../../core/credits/x402/X402.ts"
import { methodOf } from "../../core/wire/credits/reads.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { description } from "../description/description.ts"
import { type Operation, responseOf } from "../description/document.ts"
import { compactAlone } from "../description/forms.ts"

const generic = "/x402/v1/data/{product}"

/** The responses of the generic path, with the data of one product. */
const delivering = (responses: Operation["responses"], key: string): Operation["responses"] => ({
  ...responses,
  200: {
    ...responseOf(description, responses["200"] ?? { description: "The data" }),
    content: { "application/json": { schema: { $ref: `#/components/schemas/X402Sale_${key}` } } }
  }
})

/** A way to pay as the discovery of MPP writes it: what the challenge of the 402 will say. */
const chargeOf = ({ amount, asset }: Requirements, description: string) => ({
  method: "evm",
  intent: "charge",
  amount,
  currency: checksummed(asset),
  description
})

export const describe = (products: ReadonlyArray<Listed>, baseUrl: string) => {
  const whole = description
  const operation = whole.paths[generic]?.["get"]
  if (operation === undefined) throw new Error(`the description lacks ${generic}`)
  /** A path that is sold by the page is described as it is. */
  const ofPage = (path: string) => whole.paths[path]?.get ?? whole.paths[path]?.post
  const ofProduct = {
    ...operation,
    parameters: operation.parameters.filter(({ name }) => name !== "product")
  }
  return compactAlone({
    openapi: whole.openapi,
    info: {
      title: `${whole.info.title}: payment per request`,
      version: whole.info.version,
      description: "Products and pages sold per request without an account, by x402 version 2 or by MPP."
    },
    tags: [],
    servers: [{ url: baseUrl }],
    paths: Object.fromEntries(
      products.map(({ content, key, offer, path, price, reason }) => [
        path,
        {
          [methodOf(key).toLowerCase()]: {
            ...(ofPage(path) ?? {
              ...ofProduct,
              responses: delivering(ofProduct.responses, key),
              operationId: `x402.${key}`,
              summary: content
            }),
            "x-payment-info": {
              protocols: ["x402", "mpp"],
              price_usd: price,
              available: offer !== undefined,
              ...(reason === undefined ? {} : { reason }),
              ...(offer === undefined
                ? {}
                : { accepts: offer.accepts, offers: offer.accepts.map((way) => chargeOf(way, content)) })
            }
          }
        }
      ])
    ),
    components: whole.components
  })
}
