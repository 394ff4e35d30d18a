/** A value of a day and the run that gave it belong together by the run's row: the value's leaf has all that its line is of. */
import { fromHex, utf8 } from "./bytes.ts"
import { demand } from "./check.ts"
import type { RowLeaf } from "./leaf.ts"
import { leafHash, type Sha256, verifyInclusion } from "./merkle.ts"
import { type RanLeaf, rowText } from "./runLeaf.ts"

/** Where the row of a value is among the rows of its run, and the path to their root. */
export interface RowProof {
  readonly index: number
  readonly path: ReadonlyArray<string>
}

/** Throws `Malformed` unless the run gave the value. */
export const demandRow = (value: RowLeaf, run: RanLeaf, proof: RowProof, sha?: Sha256): void =>
  demandRowText(rowText(value), run, proof, sha)

/** The same of the text of a row. */
export const demandRowText = (text: string, run: RanLeaf, { index, path }: RowProof, sha?: Sha256): void =>
  demand(
    verifyInclusion({
      leaf: leafHash(utf8(text), sha),
      index,
      size: run.n_rows,
      path: path.map((node) => fromHex(node, 32)),
      root: fromHex(run.rows_root, 32)
    }),
    `the path does not lead from the value's row to the rows of the run ${run.run}`,
    "hash"
  )
