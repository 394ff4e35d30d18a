/** Who this service is to a buyer: whom he pays, and the keys that sign offers and receipts. */
import type { Terms } from "../../core/credits/x402/Settler.ts"
import { day } from "../../core/plugin/time.ts"
import { toBase64Url } from "../../core/proof/bytes.ts"
import { didOf } from "../../core/proof/jws.ts"
import { type PublishedKey, thumbprint } from "../../core/proof/keys.ts"
import { payeeTag, signPayee } from "../../core/proof/payee.ts"
import { authorityOf, type HttpSettings, placeOf } from "../HttpSettings.ts"
import type { SigningKey } from "../signing/Signer.ts"

/** How long a statement holds. */
const validMs = day

const wholeSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** The signed statement of who is paid; `now` is in epoch milliseconds. */
export const payeeStatement = (
  terms: ReadonlyArray<Terms>,
  { baseUrl, mode }: Pick<HttpSettings["Service"], "baseUrl" | "mode">,
  key: SigningKey,
  now: number
) =>
  signPayee(
    {
      v: mode === "replay" ? `${payeeTag}-demo` : payeeTag,
      domain: authorityOf(baseUrl),
      payees: terms.map(({ asset, network, payTo }) => ({ network, asset, pay_to: payTo })),
      signed_at: wholeSecond(now),
      valid_until: wholeSecond(now + validMs),
      ...(mode === "replay" ? { simulated: true } : {})
    },
    key
  )

/** The keys for answers as a DID document. */
export const didDocument = (baseUrl: string, keys: ReadonlyArray<PublishedKey>) => {
  const id = didOf(placeOf(baseUrl))
  const methods = keys
    .filter(({ purpose }) => purpose === "answers")
    .map(({ publicKey }) => ({
      id: `${id}#${thumbprint(publicKey)}`,
      type: "JsonWebKey2020" as const,
      controller: id,
      publicKeyJwk: {
        kty: "OKP" as const,
        crv: "Ed25519" as const,
        alg: "EdDSA" as const,
        x: toBase64Url(publicKey)
      }
    }))
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
    id,
    verificationMethod: methods,
    assertionMethod: methods.map(({ id: method }) => method)
  }
}
