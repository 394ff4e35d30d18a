/** `/v1/log/sales/{commitment}`: one file that proves that the log commits to a sale. */
import { Effect } from "effect"
import { placeOfSale } from "../credits/commitments.ts"
import { loggedDocument } from "../log/document.ts"
import { Log } from "../log/Log.ts"
import { publishedKeys } from "../log/record/keys.ts"
import { underHead } from "../log/record/underHead.ts"
import { toHex } from "../proof/bytes.ts"
import { hashLength } from "../proof/merkle.ts"
import { type SaleProof, saleProofTag } from "../proof/saleProof.ts"
import { parseSales, salesKind } from "../proof/sales.ts"
import { NotFound } from "../wire/problems/request.ts"

const notInLog = new NotFound({
  message:
    "no sale with this commitment is in the log: it is the `commitment.sha256` of a sale, which is in the log from 01:00 UTC of the day after the sale"
})

/** The proof of a commitment, 64 hex digits. Fails with `NotFound` if the log has none, or not yet. */
export const saleProof = Effect.fn("SalesLog.saleProof")(function* (commitment: string) {
  const head = yield* (yield* Log).served
  const sale = /^[0-9a-f]{64}$/.test(commitment) ? yield* placeOfSale(commitment, head.size) : undefined
  if (sale === undefined) return yield* notInLog
  const { log_index, path, place } = sale
  const logged = yield* loggedDocument(salesKind, sale.day, log_index)
  if (logged === undefined) return yield* notInLog
  const { document, entry } = logged
  const response: SaleProof = {
    v: saleProofTag,
    commitment,
    tree: { index: place, size: parseSales(document).tree_size, path: hashesOf(path) },
    document,
    entry,
    ...(yield* underHead(log_index, head)),
    keys: yield* publishedKeys
  }
  return response
})

const hashesOf = (path: Uint8Array): ReadonlyArray<string> =>
  Array.from({ length: path.length / hashLength }, (_, index) =>
    toHex(path.subarray(index * hashLength, (index + 1) * hashLength))
  )
