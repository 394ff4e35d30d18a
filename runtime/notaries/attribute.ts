/** Which statements of notaries are about which exchanges of a run. */
import { createHash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { Notarisation } from "../../core/proof/notarisation.ts"
import { type Carried, coverageOf } from "../../core/proof/notarised.ts"
import type { RunExchange } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"

/** A signed note, and what it states. */
export interface Note {
  readonly sha256: string
  readonly text: string
  readonly statement: Notarisation
}

/** The notes over answers that a 304 may confirm later, by plugin, address and body. */
export class EarlierNotes {
  private readonly byAnswer = new LRUCache<string, Note>({ max: 2000 })

  get(plugin: string, { sha256, url }: RunExchange): Note | undefined {
    return this.byAnswer.get(`${plugin} ${url} ${sha256}`)
  }

  put(plugin: string, { sha256, url }: RunExchange, note: Note): void {
    this.byAnswer.set(`${plugin} ${url} ${sha256}`, note)
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

/** Validators by which an answer can be confirmed later. */
const isConfirmable = ({ headers }: RunExchange): boolean =>
  headers["etag"] !== undefined || headers["last-modified"] !== undefined

/** The notes of each exchange that they are about, and the texts of these. */
export const attribute = (
  plugin: string,
  exchanges: ReadonlyArray<RunExchange>,
  notes: ReadonlyArray<Note>,
  earlier: EarlierNotes
): Pick<RunNotes, "exchanges" | "notes"> => {
  const texts = new Set<string>()
  const attributed = exchanges.flatMap((exchange) => {
    const before = exchange.confirmed ? earlier.get(plugin, exchange) : undefined
    const candidates = before === undefined ? notes : [...notes, before]
    const coverage = coverageOf(
      carriedOf(exchange),
      candidates.map(({ statement }) => statement)
    )
    const about = (coverage?.statements ?? []).flatMap(
      (statement) => candidates.find((note) => note.statement === statement) ?? []
    )
    const last = about.at(-1)
    if (last === undefined) return []
    if (isConfirmable(exchange)) earlier.put(plugin, exchange, last)
    for (const { text } of about) texts.add(text)
    return [{ n: exchange.n, notes: about.map(({ sha256 }) => sha256) }]
  })
  return { exchanges: attributed, notes: [...texts] }
}
