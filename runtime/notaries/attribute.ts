/** Which statements of notaries are about which exchanges of a run. */
import { createHash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { Notarisation } from "../../core/proof/notarisation.ts"
import { type Carried, coverageOf } from "../../core/proof/notarised.ts"
import type { RunExchange } from "../../core/readings/ingest/Run.ts"

/** A statement with the hash of its note. */
export interface HashedStatement {
  readonly sha256: string
  readonly statement: Notarisation
}

/** The statements over answers that a 304 may confirm later, by plugin, address and body. */
export class EarlierStatements {
  private readonly byAnswer = new LRUCache<string, HashedStatement>({ max: 2000 })

  get(plugin: string, { sha256, url }: RunExchange): HashedStatement | undefined {
    return this.byAnswer.get(`${plugin} ${url} ${sha256}`)
  }

  put(plugin: string, { sha256, url }: RunExchange, statement: HashedStatement): void {
    this.byAnswer.set(`${plugin} ${url} ${sha256}`, statement)
  }
}

const carriedOf = ({ at, confirmed, method, request_body, sha256, status, url }: RunExchange): Carried => ({
  method,
  url,
  ...(request_body === undefined
    ? {}
    : { request_sha256: createHash("sha256").update(request_body).digest("hex") }),
  at,
  status,
  sha256,
  ...(confirmed ? { confirmed: true as const } : {})
})

/** The notes of one exchange of a run. */
export interface ExchangeNotes {
  readonly n: number
  /** SHA-256 of each note, in the order of `Coverage`. */
  readonly notes: ReadonlyArray<string>
}

/** Validators by which an answer can be confirmed later. */
const isConfirmable = ({ headers }: RunExchange): boolean =>
  headers["etag"] !== undefined || headers["last-modified"] !== undefined

/** The notes of each exchange that these statements are about. */
export const attribute = (
  plugin: string,
  exchanges: ReadonlyArray<RunExchange>,
  statements: ReadonlyArray<HashedStatement>,
  earlier: EarlierStatements
): ReadonlyArray<ExchangeNotes> =>
  exchanges.flatMap((exchange) => {
    const before = exchange.confirmed ? earlier.get(plugin, exchange) : undefined
    const known = before === undefined ? statements : [...statements, before]
    const coverage = coverageOf(
      carriedOf(exchange),
      known.map(({ statement }) => statement)
    )
    if (coverage === undefined) return []
    const about = coverage.statements.flatMap(
      (statement) => known.find((one) => one.statement === statement) ?? []
    )
    const [last] = about.slice(-1)
    if (last !== undefined && isConfirmable(exchange)) earlier.put(plugin, exchange, last)
    return [{ n: exchange.n, notes: about.map(({ sha256 }) => sha256) }]
  })
