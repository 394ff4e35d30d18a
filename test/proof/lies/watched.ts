/** Entries that a liar makes up later: nothing in the log says so, and only who looked before they were there knows it. */
import {
  archive,
  at,
  brief,
  type Document,
  document,
  events,
  feeds,
  incidents,
  keysAfter,
  keysDocument,
  opened,
  restatement,
  revisions,
  rotated,
  runOf,
  runs,
  sales,
  schedule,
  signals
} from "./story.ts"

/** A document that follows the batch of the fifth, at a time that is its own word. */
export interface Late {
  readonly what: string
  readonly entered: (recordedAt: string) => Document
}

/** One of each kind, valid in its place. */
export const kinds: ReadonlyArray<Late> = [
  {
    what: "the runs of an hour",
    entered: (time) => runs(6, 10, [runOf(5, "22:00", { late: true }), runOf(6, "10:00")], {}, time)
  },
  { what: "a schedule", entered: (time) => schedule(7, time) },
  { what: "a document of keys", entered: (time) => keysDocument(time, 3, keysAfter, [rotated]) },
  { what: "a document of events", entered: (time) => events(time, 4) },
  { what: "an archive file", entered: (time) => archive(time, "daily/2026/09/05.parquet") },
  { what: "a document of sales", entered: (time) => sales(time, "2026-09-06") },
  { what: "a row of the ledger", entered: (time) => signals(time, 30) },
  { what: "a brief", entered: (time) => brief(time, "2026-09-06") },
  { what: "changes of feeds", entered: (time) => feeds(time, 3) },
  {
    what: "the opening of an incident",
    entered: (time) => incidents(time, { ...opened, n: 4, incident: 3, from: at(5, "00:00"), at: time })
  },
  {
    what: "what an upstream restated",
    entered: (time) =>
      revisions(time, { ...restatement, id: 5, as_of: at(5, "11:00"), recorded_at: time, version: 2 })
  },
  {
    what: "permissions",
    entered: (time) =>
      document("permissions", "1", time, { v: "service-permissions-v1", n: 1, permissions: [] })
  },
  { what: "an entry of a kind that nobody knows", entered: (time) => document("other", "1", time, {}) }
]
