/** Lies that an operator can sign: one for each sentence of the formats page that can be seen from outside. */
import { canonical } from "../../../core/proof/canonical.ts"
import { leafHashHex, readingsSha256 } from "../../../core/proof/leaf.ts"
import { retiredSecret, secret } from "../../support/publication.ts"
import { ofAgreements } from "./agreements.ts"
import { ofCount, ofDraws } from "./draws.ts"
import { ofKeys } from "./keys.ts"
import { alter, close, drop, type Lie, replace } from "./lie.ts"
import { ofRuns, ofSchedules } from "./runs.ts"
import {
  archive,
  at,
  brief,
  closed,
  dayOf,
  document,
  events,
  feeds,
  guarded,
  incidents,
  type Loose,
  leafOf,
  names,
  next,
  opened,
  restart,
  restarted,
  restatement,
  revisions,
  rotation,
  sales,
  signals,
  silence,
  withdrawn
} from "./story.ts"
import { ofChoices, ofValues } from "./time.ts"

const late = (n: number) => ({ kind: "late" as const, recorded_at: at(n, "12:00") })
const filPower = (n: number) => leafOf(names.filPower, n)
const v = "f".repeat(64)

const leaves: ReadonlyArray<Lie> = [
  {
    sentence: "a chain has one version 1",
    lie: (story) => void close(story, 5).leaves.push(leafOf(names.filPower, 4, { ...late(5), value: 99 })),
    find: "version",
    says: /a first version again/
  },
  {
    sentence: "a chain has one version 1, however old it is",
    lie: (story) => void close(story, 6).leaves.push(leafOf(names.filPower, 1, { ...late(6), value: 99 })),
    find: "version",
    says: /a first version again/
  },
  {
    sentence: "an excluded chain has one version 1",
    lie: (story) => void close(story, 6).leaves.push(leafOf(names.lpt, 5, { ...late(6), excluded_by: 2 })),
    find: "version",
    says: /a first version again/
  },
  {
    sentence: "`follows` is the hash of a leaf that exists",
    lie: (story) => void close(story, 5).leaves.push(next(filPower(4), { ...late(5), follows: v })),
    find: "version",
    says: /not the hash of version 1/
  },
  {
    sentence: "`follows` is of the same chain",
    lie: (story) =>
      void close(story, 5).leaves.push(
        next(filPower(4), {
          ...late(5),
          follows: leafHashHex(new TextEncoder().encode(canonical(leafOf(names.akt, 4))))
        })
      ),
    find: "version",
    says: /not the hash of version 1/
  },
  {
    sentence: "`follows` is of the newest version",
    lie: (story) =>
      void close(story, 5).leaves.push(
        next(leafOf(names.filPower, 2), { ...late(5), version: 3, value: 60 })
      ),
    find: "version",
    says: /not the hash of version 2/
  },
  {
    sentence: "versions have no gaps",
    lie: (story) => void close(story, 5).leaves.push(next(filPower(4), { ...late(5), version: 3 })),
    find: "version",
    says: /the newest version in earlier batches is 1/
  },
  {
    sentence: "no version is there twice",
    lie: (story) =>
      void close(story, 6).leaves.push(next(leafOf(names.filPower, 2), { ...late(6), value: 60 })),
    find: "version",
    says: /the newest version in earlier batches is 2/
  },
  {
    sentence: "a version above 1 is not before the first",
    lie: (story) => {
      drop(story, 4, ({ symbol, day }) => symbol === "HNT" && day === dayOf(2))
      const one = leafOf(names.hnt, 2, late(5))
      close(story, 4).leaves.push(next(one, late(4)))
      close(story, 5).leaves.push(one)
    },
    find: "version",
    says: /no earlier batch has a leaf/
  },
  {
    sentence: "a version follows one of an earlier batch",
    lie: (story) => {
      const one = close(story, 4).leaves.find(({ symbol, day }) => symbol === "HNT" && day === dayOf(2))
      if (one !== undefined) close(story, 4).leaves.push(next(one, { recorded_at: at(4, "21:00"), value: 3 }))
    },
    find: "version",
    says: /in the same batch/
  },
  {
    sentence: "a version of the batch's own day is the first",
    lie: (story) =>
      alter(story, 4, names.filPower, 4, () => ({
        ...late(5),
        recorded_at: at(5, "08:01"),
        version: 2,
        follows: v
      })),
    find: "version",
    says: /no earlier batch has a leaf/
  },
  {
    sentence: "a version is not recorded before the one it follows",
    lie: (story) =>
      void close(story, 6).leaves.push(
        next(leafOf(names.hnt, 2, { kind: "late", recorded_at: at(4, "11:02") }), {
          recorded_at: at(3, "12:00")
        })
      ),
    find: "version",
    says: /recorded at .*, before version 1/
  },
  {
    sentence: "readings do not vanish from a day",
    lie: (story) =>
      void close(story, 5).leaves.push(
        next(filPower(4), {
          ...late(5),
          n_observations: 1,
          readings_sha256: readingsSha256([{ as_of: at(4, "11:00"), value: 44 }])
        })
      ),
    find: "version",
    says: /1 readings instead of 2/
  },
  {
    sentence: "a leaf withdraws its value only if an incident moved its readings",
    lie: (story) => void close(story, 5).leaves.push(withdrawn(filPower(4), at(5, "12:00"))),
    find: "version",
    says: /0 readings instead of 2/
  },
  {
    sentence: "a withdrawn leaf has the hash of no reading",
    lie: (story) => void close(story, 5).leaves.push(next(filPower(4), { ...late(5), n_observations: 0 })),
    find: "leaves",
    says: /readings_sha256 of no reading/
  },
  {
    sentence: "a leaf with readings has not the hash of none",
    lie: (story) => alter(story, 4, names.filPower, 4, () => ({ readings_sha256: readingsSha256([]) })),
    find: "readings",
    says: /of none/
  },
  {
    sentence: "the one reading of a leaf is its value",
    lie: (story) => alter(story, 4, names.filNodes, 4, () => ({ value: 1000 })),
    find: "readings",
    says: /one reading/
  },
  {
    sentence: "a leaf is recorded before its batch is closed",
    lie: (story) =>
      void close(story, 5).leaves.push(next(filPower(4), { ...late(5), recorded_at: at(9, "12:00") })),
    find: "leaves",
    says: /after its batch was closed/
  },
  {
    sentence: "a late leaf is recorded after the cut-off of its day",
    lie: (story) =>
      void close(story, 5).leaves.push(next(filPower(4), { ...late(5), recorded_at: at(5, "07:00") })),
    find: "leaves",
    says: /after the cut-off of its day/
  },
  {
    sentence: "a reading is in the batch of its day",
    lie: (story) =>
      void close(story, 4).leaves.push(leafOf(names.hnt, 2, { kind: "reading", source: "other" })),
    find: "leaves",
    says: /it would be late/
  },
  {
    sentence: "no leaf is of a day that its batch does not reach",
    lie: (story) =>
      void close(story, 3).leaves.push(
        leafOf(names.hnt, 4, { ...late(3), kind: "late", recorded_at: at(5, "09:00"), source: "other" })
      ),
    find: "leaves",
    says: /after the day .* that its batch closes/
  }
]

const absences: ReadonlyArray<Lie> = [
  {
    sentence: "an expected series has a leaf or an absence",
    lie: (story) => drop(story, 4, ({ symbol }) => symbol === "LPT"),
    find: "absences",
    says: /LPT nodes_online of feed.*: neither/
  },
  {
    sentence: "an expected series has a leaf or an absence, on the second day too",
    lie: (story) => {
      close(story, 2).absent = close(story, 2).absent.filter(({ symbol }) => symbol !== "HNT")
    },
    find: "absences",
    says: /HNT nodes_online of feed.*: neither/
  },
  {
    sentence: "an absence goes on until a leaf or its end",
    lie: (story) => {
      close(story, 5).absent = []
    },
    find: "absences",
    says: /RENDER gpus of feed.*: neither/
  },
  {
    sentence: "an absence of a series that was never measured goes on, too",
    lie: (story) => void close(story, 3).absent.push({ symbol: "WXM", metric: "stations", source: "feed" }),
    find: "absences",
    says: /WXM stations of feed, whose absence of the day before was not its last: neither/
  },
  {
    sentence: "an absence does not end while the series is expected",
    lie: (story) => {
      close(story, 2).absent = close(story, 2).absent.map((one) =>
        one.symbol === "RENDER" ? { ...one, ended: true } : one
      )
    },
    find: "absences",
    says: /stays expected.*: `ended`/
  },
  {
    sentence: "an absence ends after 14 days, not after 13",
    of: silence,
    lie: (story) => {
      close(story, 14).absent = [{ ...names.hnt, ended: true }]
      close(story, 15).absent = []
    },
    find: "absences",
    says: /stays expected.*: `ended`/
  },
  {
    sentence: "the last absence has `ended`",
    of: silence,
    lie: (story) => {
      close(story, 15).absent = [names.hnt]
    },
    find: "absences",
    says: /was not its last: neither/
  },
  {
    sentence: "a series that ended is not absent on the next day",
    of: silence,
    lie: (story) => {
      close(story, 16).absent = [{ ...names.hnt, ended: true }]
    },
    find: "absences",
    says: /ended on the day before: another one/
  },
  {
    sentence: "a series with a leaf is not absent",
    lie: (story) => void close(story, 4).absent.push(names.hnt),
    find: "absences",
    says: /is listed, but has a leaf/
  },
  {
    sentence: "the absence leaf has the count of the list",
    lie: (story) => {
      close(story, 4).entry = { n_absent: 7 }
    },
    find: "leaves",
    says: /different lists of absences/
  }
]

const batches: ReadonlyArray<Lie> = [
  {
    sentence: "the days of the batches follow one another",
    lie: (story) => void story.closes.splice(3, 1),
    find: "batch",
    says: /the batch of 2026-09-04.*: the batch of 2026-09-05/
  },
  {
    sentence: "each day has one batch",
    lie: (story) => void story.closes.splice(3, 0, close(story, 3)),
    find: "batch",
    says: /the batch of 2026-09-04.*: the batch of 2026-09-03/
  },
  {
    sentence: "the cut-off is 08:00 of the next day",
    lie: (story) => {
      close(story, 6).entry = { cut_off: at(7, "20:00"), closed_at: at(7, "20:00") }
      close(story, 6).after = []
    },
    find: "batch",
    says: /the cut-off 2026-09-07T08:00/
  },
  {
    sentence: "the entry counts its leaves by kind",
    lie: (story) => {
      close(story, 4).entry = { n_readings: 4, n_late: 4 }
    },
    find: "leaves",
    says: /leaves of kind/
  },
  {
    sentence: "a close is late exactly if it is an hour late",
    lie: (story) => {
      close(story, 4).entry = { closed_at: at(5, "20:00") }
    },
    find: "entry",
    says: /`late` exactly if/
  },
  {
    sentence: "the root is of the leaves",
    lie: (story) => {
      close(story, 4).entry = { root: v }
    },
    find: "leaves",
    says: /do not hash to the batch's root/
  },
  {
    sentence: "entries are in the order of their times",
    lie: (story) => void close(story, 5).after.push(brief(at(2, "08:00"), dayOf(2))),
    find: "entry",
    says: /an earlier entry's/
  },
  {
    sentence: "no entry is of a time to come",
    lie: (story) => void close(story, 6).after.push(brief("2027-01-01T08:00:00Z", dayOf(6))),
    find: "entry",
    says: /which is to come/
  },
  {
    sentence: "a live log has no entry of a demo",
    lie: (story) => void close(story, 5).after.push({ ...brief(at(6, "09:00"), dayOf(6)), simulated: true }),
    find: "entry",
    says: /the entry is a demo's/
  }
]

const ofIncidents: ReadonlyArray<Lie> = [
  {
    sentence: "a leaf's incident was opened before",
    lie: (story) => alter(story, 4, names.filPower, 4, () => ({ excluded_by: 9 })),
    find: "incident",
    says: /no such event/
  },
  {
    sentence: "a leaf's incident is about its network",
    lie: (story) => alter(story, 4, names.filNodes, 4, () => ({ excluded_by: 1 })),
    find: "incident",
    says: /incident 1 is about AKT/
  },
  {
    sentence: "a leaf's incident is about its source",
    lie: (story) => alter(story, 5, names.lpt, 5, () => ({ source: "other" }), 2),
    find: "incident",
    says: /incident 2 is about LPT nodes_online of feed/
  },
  {
    sentence: "a leaf's incident is about its day",
    lie: (story) => alter(story, 3, names.akt, 3, () => ({ excluded_by: 1 })),
    find: "incident",
    says: /incident 1 is about 2026-09-02/
  },
  {
    sentence: "a guard's incident is not about a day before it began",
    lie: (story) => void close(story, 5).leaves.push(leafOf(names.lpt, 4, { ...late(5), excluded_by: 2 })),
    find: "incident",
    says: /incident 2 is about 2026-09-05/
  },
  {
    sentence: "a closed incident excludes nothing new",
    lie: (story) =>
      void close(story, 6).leaves.push(
        next(withdrawn(leafOf(names.akt, 2, { ...late(3), excluded_by: 1 }), at(4, "12:00")), {
          n_observations: 2,
          readings_sha256: leafOf(names.akt, 2).readings_sha256,
          recorded_at: at(6, "12:00")
        })
      ),
    find: "incident",
    says: /incident 1 was closed/
  },
  {
    sentence: "what an open incident covers is excluded",
    lie: (story) => {
      replace(story, 3, "incidents", incidents(at(3, "12:05"), { ...opened, to: at(9, "00:00") }))
      replace(story, 4, "incidents")
      drop(story, 4, ({ symbol, day }) => symbol === "AKT" && day === dayOf(2))
      replace(story, 5, "incidents", incidents(at(5, "11:05"), { ...guarded, n: 2 }))
    },
    find: "incident",
    says: /open since .* excludes it not/
  },
  {
    sentence: "an incident that is opened excludes what was published",
    lie: (story) => {
      drop(story, 3, ({ symbol, day }) => symbol === "AKT" && day === dayOf(2))
      drop(story, 4, ({ symbol, day }) => symbol === "AKT" && day === dayOf(2))
    },
    find: "incident",
    says: /incident 1, opened at .* excludes it not/
  },
  {
    sentence: "an incident that is closed gives its readings back",
    lie: (story) => drop(story, 4, ({ symbol, day }) => symbol === "AKT" && day === dayOf(2)),
    find: "incident",
    says: /was closed at .* excludes it still/
  },
  {
    sentence: "an incident is closed only if it was opened",
    lie: (story) =>
      void close(story, 6).before.push(incidents(at(6, "12:00"), { ...closed, n: 4, incident: 7 })),
    find: "document",
    says: /never opened/
  },
  {
    sentence: "an incident is opened once",
    lie: (story) => void close(story, 6).before.push(incidents(at(6, "12:00"), { ...opened, n: 4 })),
    find: "document",
    says: /opened before/
  },
  {
    sentence: "an incident is closed once",
    lie: (story) => void close(story, 6).before.push(incidents(at(6, "12:00"), { ...closed, n: 4 })),
    find: "document",
    says: /closed before/
  },
  {
    sentence: "an incident is closed for the series that it was opened for",
    lie: (story) => replace(story, 4, "incidents", incidents(at(4, "12:05"), { ...closed, symbol: "FIL" })),
    find: "document",
    says: /another series/
  },
  {
    sentence: "an incident is closed for the range that it was opened for",
    lie: (story) =>
      replace(story, 4, "incidents", incidents(at(4, "12:05"), { ...closed, to: at(3, "10:00") })),
    find: "document",
    says: /another range/
  },
  {
    sentence: "a guard's incident covers what it excluded",
    lie: (story) =>
      void close(story, 6).before.push(
        incidents(at(6, "12:00"), {
          ...guarded,
          n: 4,
          event: "closed",
          from: at(5, "09:00"),
          to: at(5, "10:00"),
          at: at(6, "11:00")
        })
      ),
    find: "document",
    says: /outside its range/
  },
  {
    sentence: "an open automatic incident has no `to`",
    lie: (story) =>
      replace(story, 5, "incidents", incidents(at(5, "11:05"), { ...guarded, to: at(5, "12:00") })),
    find: "document",
    says: /automatic and open/
  },
  {
    sentence: "an event is not of a time after its document",
    lie: (story) =>
      replace(story, 3, "incidents", incidents(at(3, "12:05"), { ...opened, at: at(3, "18:00") })),
    find: "document",
    says: /after its document/
  },
  {
    sentence: "events have no gaps",
    lie: (story) => replace(story, 5, "incidents", incidents(at(5, "11:05"), { ...guarded, n: 4 })),
    find: "document",
    says: /events are missing/
  }
]

const ofRevisions: ReadonlyArray<Lie> = [
  {
    sentence: "a revision leaf has its revision in a document",
    lie: (story) => replace(story, 3, "revisions"),
    find: "revision",
    says: /in the document that follows.*: none/
  },
  {
    sentence: "a revision leaf has a revision of its own day",
    lie: (story) =>
      replace(story, 3, "revisions", revisions(at(4, "08:00"), { ...restatement, as_of: at(3, "06:00") })),
    find: "revision",
    says: /in the document that follows.*: none/
  },
  {
    sentence: "a revision leaf has the value of its revision",
    lie: (story) => alter(story, 3, names.filPower, 2, () => ({ value: 51 })),
    find: "revision",
    says: /revision 4 says 50, the leaf 51/
  },
  {
    sentence: "a revision leaf without a document in the newest batch",
    lie: (story) => {
      close(story, 6).leaves.push(
        next(filPower(5), { kind: "revision", recorded_at: at(6, "15:00"), value: 60 })
      )
      close(story, 6).after = []
    },
    find: "revision",
    says: /in the document that follows.*: none/
  },
  {
    sentence: "a revision of a closed day has a leaf",
    lie: (story) => drop(story, 3, ({ kind }) => kind === "revision"),
    find: "revision",
    says: /as revision 4 restated it: none/
  },
  {
    sentence: "a revision says what was published before",
    lie: (story) =>
      replace(story, 3, "revisions", revisions(at(4, "08:00"), { ...restatement, before_value: 30 })),
    find: "revision",
    says: /says that 30 was restated/
  },
  {
    sentence: "revisions of one reading follow one another",
    lie: (story) =>
      replace(
        story,
        3,
        "revisions",
        revisions(
          at(4, "08:00"),
          { ...restatement, after_value: 45 },
          { ...restatement, id: 5, version: 3, before_value: 46 }
        )
      ),
    find: "document",
    says: /does not follow revision 4/
  },
  {
    sentence: "a revision is recorded before its document",
    lie: (story) =>
      replace(
        story,
        3,
        "revisions",
        revisions(at(4, "08:00"), { ...restatement, recorded_at: at(4, "15:00") })
      ),
    find: "document",
    says: /after its document/
  },
  {
    sentence: "a revision is published once",
    lie: (story) => void close(story, 4).after.unshift(revisions(at(5, "08:00"), restatement)),
    find: "document",
    says: /published before/
  }
]

const restarts: ReadonlyArray<Lie> = [
  {
    sentence: "a restart is the first entry",
    lie: (story) => void close(story, 3).before.unshift(restart(dayOf(2))),
    find: "document",
    says: /must be the first entry/
  },
  {
    sentence: "a new log begins with the day after the earlier one's last",
    lie: (story) => void close(story, 1).before.unshift(restart("2026-08-29")),
    find: "batch",
    says: /the batch of 2026-08-30/
  },
  {
    sentence: "a new log has no leaf of a day of the earlier one",
    of: restarted,
    lie: (story) =>
      void close(story, 3).leaves.push(
        leafOf(names.hnt, 1, {
          ...late(3),
          day: "2026-08-31",
          as_of: "2026-08-31T11:00:00Z"
        })
      ),
    find: "version",
    says: /a day of the earlier log/
  }
]

const publications: ReadonlyArray<Lie> = [
  {
    sentence: "an archive file is published once",
    lie: (story) =>
      void close(story, 5).after.push({
        ...archive(at(6, "08:20"), "daily/2026/09/02.parquet"),
        text: "another"
      }),
    find: "document",
    says: /never made again/
  },
  {
    sentence: "an archive file's name is one of three forms",
    lie: (story) => void close(story, 5).after.push(archive(at(6, "08:20"), "daily/2026/9/2.parquet")),
    find: "document",
    says: /not the name of an archive file/
  },
  {
    sentence: "an archive file is of days that exist",
    lie: (story) => void close(story, 5).after.push(archive(at(6, "08:20"), "daily/2026/02/30.parquet")),
    find: "document",
    says: /not the name of an archive file/
  },
  {
    sentence: "an archive file is of closed days",
    lie: (story) => void close(story, 4).after.push(archive(at(5, "08:20"), "daily/2026/09/05.parquet")),
    find: "document",
    says: /is not closed/
  },
  {
    sentence: "a month's file is of a month that is over",
    lie: (story) => void close(story, 5).after.push(archive(at(6, "08:20"), "monthly/2026/09.parquet")),
    find: "document",
    says: /2026-09-30 is not closed/
  },
  {
    sentence: "a year's file is of a year that is over",
    lie: (story) => void close(story, 5).after.push(archive(at(6, "08:20"), "yearly/2026.parquet")),
    find: "document",
    says: /2026-12-31 is not closed/
  },
  {
    sentence: "an archive file is of days of this log",
    lie: (story) => void close(story, 5).after.push(archive(at(6, "08:20"), "daily/2026/08/31.parquet")),
    find: "document",
    says: /before the log's first batch/
  },
  {
    sentence: "the ledger's rows go up",
    lie: (story) => void close(story, 5).after.push(signals(at(6, "08:20"), 15)),
    find: "document",
    says: /row 15 follows row 20/
  },
  {
    sentence: "a row of the ledger is not there twice",
    lie: (story) => void close(story, 5).after.push({ ...signals(at(6, "08:20"), 20), hidden: true }),
    find: "document",
    says: /row 20 follows row 20/
  },
  {
    sentence: "the subject of a row is its number",
    lie: (story) => void close(story, 5).after.push({ ...signals(at(6, "08:20"), 30), subject: "31" }),
    find: "document",
    says: /the row's n is 30/
  },
  {
    sentence: "changes of feeds have no gaps",
    lie: (story) => replace(story, 2, "feeds", feeds(at(3, "08:11"), 3)),
    find: "document",
    says: /changes are missing/
  },
  {
    sentence: "a change of a feed is not there twice",
    lie: (story) => replace(story, 2, "feeds", feeds(at(3, "08:11"), 1)),
    find: "document",
    says: /there twice/
  },
  {
    sentence: "a brief's subject is its date",
    lie: (story) =>
      void close(story, 5).after.push({ ...brief(at(6, "09:00"), dayOf(6)), subject: dayOf(5) }),
    find: "document",
    says: /the brief's date is/
  },
  {
    sentence: "a date has one brief",
    lie: (story) => void close(story, 5).after.push(brief(at(6, "09:00"), dayOf(3))),
    find: "document",
    says: /in the log already/
  },
  {
    sentence: "a day has one document of sales",
    lie: (story) => void close(story, 5).after.push(sales(at(6, "09:00"), dayOf(5), { root: v })),
    find: "document",
    says: /a day has one document, in order/
  },
  {
    sentence: "the documents of sales are in the order of their days",
    lie: (story) => void close(story, 5).after.push(sales(at(6, "09:00"), dayOf(4))),
    find: "document",
    says: /the day 2026-09-04 follows the day 2026-09-05/
  },
  {
    sentence: "a document of sales is made after its day",
    lie: (story) => replace(story, 5, "sales", sales(at(5, "23:00"), dayOf(5))),
    find: "document",
    says: /before the day 2026-09-05 was over/
  },
  {
    sentence: "the subject of a document of sales is its day",
    lie: (story) => replace(story, 5, "sales", { ...sales(at(6, "01:00"), dayOf(5)), subject: dayOf(4) }),
    find: "document",
    says: /the document's is 2026-09-05/
  },
  {
    sentence: "the size of a tree of sales is a power of two",
    lie: (story) => replace(story, 5, "sales", sales(at(6, "01:00"), dayOf(5), { tree_size: 17 })),
    find: "document",
    says: /a power of two/
  },
  {
    sentence: "a tree of sales has at least 16 leaves",
    lie: (story) => replace(story, 5, "sales", sales(at(6, "01:00"), dayOf(5), { tree_size: 8 })),
    find: "document",
    says: /a power of two from 16 on/
  },
  {
    sentence: "a document of sales holds nothing that would name one",
    lie: (story) => replace(story, 5, "sales", sales(at(6, "01:00"), dayOf(5), { n: 3 })),
    find: "document",
    says: /n/
  },
  {
    sentence: "a document of sales and its entry agree on whether they are simulated",
    lie: (story) =>
      replace(
        story,
        5,
        "sales",
        sales(at(6, "01:00"), dayOf(5), { v: "service-sales-v1-demo", simulated: true })
      ),
    find: "document",
    says: /disagree on whether they are simulated/
  },
  {
    sentence: "a rotation is of this log",
    lie: (story) =>
      replace(
        story,
        2,
        "rotation",
        rotation(at(2, "12:00"), { old: retiredSecret, new: secret, origin: "log.example/other" })
      ),
    find: "document",
    says: /of the log log.example\/other/
  },
  {
    sentence: "a key has one successor",
    lie: (story) =>
      void close(story, 5).after.push(
        rotation(at(6, "09:00"), { old: retiredSecret, new: new Uint8Array(32).fill(13) })
      ),
    find: "document",
    says: /and it rotates/
  },
  {
    sentence: "a document is served",
    lie: (story) =>
      void close(story, 5).after.push({ ...document("minutes", "1", at(6, "09:00"), { v }), hidden: true }),
    find: "document",
    says: /no such file/
  }
]

const fifth = (more: Loose) => events(at(6, "08:20"), 5, { first: 41, last: 50, ...more })
const ofEvents: ReadonlyArray<Lie> = [
  {
    sentence: "documents of events leave no event out",
    lie: (story) => void close(story, 5).after.push(fifth({ first: 42, n: 9 })),
    find: "document",
    says: /event 42 follows event 40/
  },
  {
    sentence: "no event is in two documents",
    lie: (story) => void close(story, 5).after.push(fifth({ first: 40, n: 11 })),
    find: "document",
    says: /event 40 follows event 40/
  },
  {
    sentence: "a document of events counts them",
    lie: (story) => void close(story, 5).after.push(fifth({ n: 9 })),
    find: "document",
    says: /must have an n of 10/
  },
  {
    sentence: "a day has one document of events",
    lie: (story) => void close(story, 3).after.push(events(at(4, "08:21"), 3, { first: 41, last: 50 })),
    find: "document",
    says: /there twice/
  },
  {
    sentence: "the subject of a document of events is its day",
    lie: (story) => void close(story, 5).after.push({ ...fifth({}), subject: dayOf(4) }),
    find: "document",
    says: /the document's day is/
  },
  {
    sentence: "a document of events is of a day that is over",
    lie: (story) => void close(story, 5).after.push({ ...fifth({ day: dayOf(6) }), subject: dayOf(6) }),
    find: "document",
    says: /not over/
  },
  {
    sentence: "the events of a demo are not in another log",
    lie: (story) => void close(story, 5).after.push(fifth({ v: "service-events-v1-demo", simulated: true })),
    find: "document",
    says: /disagree on whether they are simulated/
  }
]

export const lies: ReadonlyArray<Lie> = [
  ...leaves,
  ...absences,
  ...batches,
  ...ofIncidents,
  ...ofRevisions,
  ...restarts,
  ...publications,
  ...ofKeys,
  ...ofEvents,
  ...ofRuns,
  ...ofSchedules,
  ...ofValues,
  ...ofChoices,
  ...ofDraws,
  ofCount,
  ...ofAgreements
]
