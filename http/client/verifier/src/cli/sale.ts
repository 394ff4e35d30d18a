/** The command `sale`. */
import { setTimeout as sleep } from "node:timers/promises"
import { fromUtf8 } from "../../../../../core/proof/bytes.ts"
import { type Check, notChecked, notProved } from "../../../../../core/proof/check.ts"
import { keysPath, logPath } from "../../../../../core/proof/fetched.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import { parseSaleProof, verifySaleProof } from "../../../../../core/proof/saleProof.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import { verifyReceipt } from "../../../../../core/proof/verifyReceipt.ts"
import { inFolder } from "../folder.ts"
import { logOf } from "../logOf.ts"
import { patient, type Source, served } from "../monitor/source.ts"
import { checkPayload, checkRows, parseSale, type SavedSale } from "../verifySale.ts"
import { authorityOf, base, need, read, readTextOf, type Surroundings, trustOf } from "./inputs.ts"
import type { Values } from "./options.ts"

/** Where the log's files are: `--dir`, else `--url`. */
const sourceOf = (values: Values, io: Surroundings): Source =>
  values.dir === undefined
    ? served(patient(io.get, { wait: (ms) => sleep(ms) }), base(values))
    : inFolder(values.dir)

/** The proof of the commitment: a saved one, else that of the service. A mirror has none. */
const proofOf = async (values: Values, source: Source, commitment: string): Promise<string | undefined> => {
  if (values.proof !== undefined) return readTextOf(values.proof)
  const bytes = values.dir === undefined ? await source.read(`${logPath}/sales/${commitment}`) : undefined
  return bytes === undefined ? undefined : fromUtf8(bytes)
}

const commitmentChecks = async (
  sale: SavedSale,
  values: Values,
  source: Source,
  trust: Trust & { readonly keys: unknown; readonly kept: string | undefined }
): Promise<ReadonlyArray<Check>> => {
  if (sale.commitment === undefined) return []
  const proof = await proofOf(values, source, sale.commitment.sha256)
  if (proof === undefined)
    return [
      notProved(
        "sales of the day",
        "there is no proof that the log commits to this sale: it has one from the day after the sale on; save /v1/log/sales/<commitment> and pass it with --proof"
      )
    ]
  return verifySaleProof(parseSaleProof(proof), sale.commitment.sha256, trust)
}

/** Checks the receipt, the payload, each row of a closed day, and the log's commitment to the sale. */
export const saleCommand = async (
  target: string | undefined,
  values: Values,
  io: Surroundings
): Promise<ReadonlyArray<Check>> => {
  const file = await read(need(target, "the saved sale"))
  const sale = parseSale(file)
  const source = sourceOf(values, io)
  const trust = { ...(await trustOf(values)), now: Date.now() }
  const saved = await readTextOf(values.keys)
  const keys = saved ?? fromUtf8((await source.read(keysPath)) ?? new Uint8Array())
  const payee = await readTextOf(values.payee)
  const earlierCheckpoint = await readTextOf(values.kept)
  const receipt = sale.hasReceipt
    ? verifyReceipt(file, {
        ...trust,
        ...authorityOf(values),
        keys: parseJson(keys),
        earlierCheckpoint,
        ...(payee === undefined ? {} : { payee: parseJson(payee) })
      })
    : [
        notChecked(
          "receipt",
          "a purchase with credits has none: the answer is signed as a whole, which `verify response` checks"
        )
      ]
  const checks: Array<Check> = [...receipt, ...checkPayload(sale)]
  const entries = await logOf(source, trust, checks)
  if (entries === undefined) return checks
  return [
    ...checks,
    ...(await checkRows(sale, { source, entries })),
    ...(await commitmentChecks(sale, values, source, {
      ...trust,
      keys: parseJson(keys),
      kept: earlierCheckpoint
    }))
  ]
}
