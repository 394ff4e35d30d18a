/** `/v1/log/sales/{commitment}`: one file that proves that the log commits to a sale. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Log } from "../log/Log.ts"
import { publishedKeys } from "../log/record/keys.ts"
import { underHead } from "../log/record/underHead.ts"
import { toHex } from "../proof/bytes.ts"
import { hashLength } from "../proof/merkle.ts"
import { type SaleProof, saleProofTag } from "../proof/saleProof.ts"
import { parseSales } from "../proof/sales.ts"
import { rowsOf } from "../sql/rows.ts"
import { NotFound } from "../wire/problems/request.ts"

const proofRows = rowsOf({
  place: Schema.Int,
  path: Schema.Uint8Array,
  log_index: Schema.Int,
  document: Schema.String,
  entry: Schema.String
})

const notInLog = new NotFound({
  message:
    "no sale with this commitment is in the log: it is the `commitment.sha256` of a sale, which is in the log from 01:00 UTC of the day after the sale"
})

/** The proof of a commitment, 64 hex digits. Fails with `NotFound` if the log has none, or not yet. */
export const saleProof = Effect.fn("SalesLog.saleProof")(function* (commitment: string) {
  const sql = yield* SqlClient.SqlClient
  const head = yield* (yield* Log).served
  const [row] = /^[0-9a-f]{64}$/.test(commitment)
    ? yield* sql`
        select c.place, c.path, c.log_index, d.body as document, e.text as entry
        from sale_commitment c join document d on d.kind = 'sales' and d.subject = c.day::text
          join log_entry e on e.place = c.log_index
        where c.commitment = decode(${commitment}, 'hex') and c.log_index < ${head.size}::int`.pipe(proofRows)
    : []
  if (row === undefined) return yield* notInLog
  const { document, entry, log_index, path, place } = row
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
