/** Checks the documents of agreement with other operators: their order, their leaves, and what these say of the batch's own. */
import {
  type Agreement,
  agreementSubject,
  checkComparisonsOf,
  parseAgreement
} from "../../../../../core/proof/agreement.ts"
import {
  checkComparison,
  isComparable,
  parseAgreementLeaves
} from "../../../../../core/proof/agreementLeaf.ts"
import { fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import type { DocumentEntry } from "../../../../../core/proof/entry.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import { type Finding, findingOf, missing } from "../../../../../core/proof/finding.ts"
import { demandOther, type Own } from "../../../../../core/proof/others.ts"
import type { Past } from "./past.ts"
import type { Source } from "./source.ts"
import type { LogRecord, ObserverRecord } from "./state.ts"

const leavesPath = (day: string): string => `${logPath}/agreements/${day}/leaves`

/** The heads after those of a document. Throws `Malformed` if an observer's log shrank, or has two roots of one size. */
const afterHeads = (
  earlier: ReadonlyArray<ObserverRecord>,
  { day, observers }: Agreement
): ReadonlyArray<ObserverRecord> => {
  const heads = new Map(earlier.map((one) => [one.origin, one]))
  for (const one of observers) {
    if (one.state !== "read") continue
    const { origin, root, size } = one
    const before = heads.get(origin)
    if (before !== undefined && size < before.size)
      throw new Malformed(
        `the log of the observer ${origin} had ${before.size} entries on ${before.day}, and has ${size} on ${day}: it shrank`,
        "contradiction"
      )
    if (before !== undefined && size === before.size && root !== before.root)
      throw new Malformed(
        `the log of the observer ${origin} has two roots of ${size} entries, on ${before.day} and on ${day}`,
        "contradiction"
      )
    heads.set(origin, { origin, size, root, day })
  }
  return [...heads.values()]
}

/** What is known after a document of agreement. `closed` is the day of the newest batch. Throws `Malformed`. */
export const afterAgreement = (
  record: LogRecord,
  entry: DocumentEntry,
  text: string,
  { closed, own }: { readonly closed: string | undefined; readonly own: Own }
): LogRecord => {
  const document = parseAgreement(text)
  const { day } = document
  if (entry.subject !== agreementSubject(document))
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's is ${day}`,
      "contradiction"
    )
  if (entry.simulated !== document.simulated)
    throw new Malformed("the document and its entry disagree on whether they are simulated", "contradiction")
  if (closed === undefined || day > closed)
    throw new Malformed(`its day ${day} is not closed: the newest batch is of ${closed ?? "no day"}`, "time")
  if (record.agreement !== undefined && day <= record.agreement)
    throw new Malformed(
      `the day ${day} follows the day ${record.agreement}: a day has one document, in order`,
      "contradiction"
    )
  for (const { key, origin } of document.observers) demandOther("observer", { name: origin, kid: key }, own)
  return { ...record, agreement: day, observers: afterHeads(record.observers ?? [], document) }
}

/** Throws `Malformed` unless the comparisons are those of the day's own leaves, each with what the values say. */
const checkDay = (
  document: Agreement,
  text: string,
  rows: Awaited<ReturnType<Past["leaves"]>>["rows"]
): void => {
  const leaves = parseAgreementLeaves(text)
  checkComparisonsOf(document, leaves)
  const own = rows.filter((row) => isComparable(row, document.day))
  for (const [place, leaf] of leaves.entries()) {
    const row = own[place]
    if (row === undefined)
      throw new Malformed(`comparison ${place} is of no leaf of the day's batch`, "contradiction")
    checkComparison(leaf, row)
  }
  if (own.length !== leaves.length)
    throw new Malformed(
      `the batch has ${own.length} values of the day, and ${leaves.length} are compared`,
      "contradiction"
    )
}

/** Checks the comparisons of a document whose hash and place in the log are right. */
export const checkAgreement = async (
  source: Source,
  past: Past,
  text: string,
  where: string
): Promise<ReadonlyArray<Finding>> => {
  const document = parseAgreement(text)
  const path = leavesPath(document.day)
  const bytes = await source.read(path)
  if (bytes === undefined) return [missing("agreement", where, path)]
  const { rows } = await past.leaves(document.day)
  const about = {
    what: "agreement",
    where,
    expected: "each value of the day, and what the observers' values say of it"
  }
  return findingOf(about, () => checkDay(document, fromUtf8(bytes), rows))
}
