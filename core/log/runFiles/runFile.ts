/** The text of a file of runs: a line that says what it is, then a line for each run with its exchanges. */
import { Schema } from "effect"
import { Malformed } from "../../proof/bytes.ts"
import { canonical } from "../../proof/canonical.ts"

export const runFileTag = "service-stored-runs-v1"

const Head = Schema.Struct({
  v: Schema.Literal(runFileTag),
  /** The hour of the log that the runs are of, `YYYY-MM-DDTHH`. */
  hour: Schema.String,
  runs: Schema.Int
})
const decodeHead = Schema.decodeUnknownSync(Schema.fromJsonString(Head))
const Line = Schema.Struct({
  run: Schema.Struct({
    id: Schema.String,
    outcome: Schema.NullOr(Schema.String),
    gave_leaf: Schema.Boolean,
    rows_sha256: Schema.String
  }),
  exchanges: Schema.Array(Schema.Struct({ sha256: Schema.String }))
})
const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** The bodies that a run has for a time only: answers, and rows that no leaf is of. */
export const passingBodies = (line: string): ReadonlyArray<string> => {
  const { exchanges, run } = decodeLine(line)
  const rows = run.outcome === "stored" && !run.gave_leaf ? [run.rows_sha256] : []
  return [...exchanges.map(({ sha256 }) => sha256), ...rows]
}

/** The lines are those of `core/readings/ingest/runs/wholeRuns.ts`. */
export const runFileText = (hour: string, lines: ReadonlyArray<string>): string =>
  [canonical({ v: runFileTag, hour, runs: lines.length }), ...lines, ""].join("\n")

/** The lines of a file by the run's id, in their order. Throws `Malformed`. */
export const parseRunFile = (text: string): ReadonlyMap<string, string> => {
  const [head = "", ...lines] = text.split("\n")
  try {
    if (lines.pop() !== "") throw new Malformed("a file of runs ends within a line")
    const { runs } = decodeHead(head)
    const byRun = new Map(lines.map((line) => [decodeLine(line).run.id, line]))
    if (lines.length !== runs || byRun.size !== runs)
      throw new Malformed(`a file of runs has ${byRun.size} runs in ${lines.length} lines, and says ${runs}`)
    return byRun
  } catch (error) {
    if (error instanceof Malformed) throw error
    throw new Malformed(`not a file of runs: ${error instanceof Error ? error.message.slice(0, 200) : error}`)
  }
}
