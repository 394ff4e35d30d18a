/** Lies about the runs of collectors: one for each sentence of the formats page about the runs. */

import { vkey } from "../../../core/proof/checkpoint.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { origin, retiredSecret, secret } from "../../support/publication.ts"
import type { Lie } from "./lie.ts"
import {
  at,
  type Document,
  document,
  type Loose,
  runOf,
  runs,
  type Story,
  schedule,
  skippedOf
} from "./story.ts"

/** Puts others in the place of a document of runs or of a schedule, found by its kind and subject. */
export const instead = (story: Story, subject: string, ...by: ReadonlyArray<Document>) => {
  for (const { before } of story.closes) {
    const place = before.findIndex((one) => one.subject === subject)
    if (place >= 0) before.splice(place, 1, ...by)
  }
}

const morning = "2026-09-05T10"
const ran = (more: Loose = {}) => runOf(5, "10:00", more)
const run = (more: Loose = {}, ...others: ReadonlyArray<Loose>) => runs(5, 10, [ran(more), ...others])
const documented = (more: Loose, recorded_at?: string) => runs(5, 10, [ran()], more, recorded_at)

const lie = (sentence: string, says: RegExp, ...by: ReadonlyArray<Document>): Lie => ({
  sentence,
  lie: (story) => instead(story, morning, ...by),
  find: "runs",
  says
})

export const ofRuns: ReadonlyArray<Lie> = [
  lie("the documents of runs are counted", /document 4 follows document 7/, documented({ n: 4 })),
  lie(
    "no notary has a key of the service",
    /has the key .* of the service itself/,
    documented({ notaries: [vkey("notary.example/n1", publicKeyOf(secret))] })
  ),
  lie(
    "no run draws its notary from a list with the service's own",
    /has the key .* of the service itself/,
    documented({ drawn_from: [[vkey("notary.example/n1", publicKeyOf(retiredSecret))]] })
  ),
  lie(
    "no notary has the name of the service's log",
    /has the name of the service's own log/,
    documented({ notaries: [vkey(origin, publicKeyOf(new Uint8Array(32).fill(31)))] })
  ),
  lie("no hour has two documents", /follows that of/, run(), documented({ notaries: ["a notary"] })),
  lie(
    "documents of runs follow each other in time",
    /follows that of/,
    run(),
    runs(5, 9, [runOf(5, "09:00")], {}, at(5, "11:05"))
  ),
  lie("a document of runs is about an hour that is over", /before the hour/, documented({}, at(5, "10:30"))),
  lie("a document is late after ten minutes", /exactly after 10 minutes/, documented({}, at(5, "11:11"))),
  lie("a document is late only after ten minutes", /exactly after 10 minutes/, documented({ late: true })),
  lie("the subject is the hour", /the document's is 2026-09-05T10/, { ...run(), subject: "2026-09-05T09" }),
  lie(
    "a document names the newest schedule",
    /the newest one before it/,
    documented({ schedule: "e".repeat(64) })
  ),
  lie("the leaves hash to the root", /do not hash/, documented({ root: "e".repeat(64) })),
  lie("a document counts its leaves", /has 1 runs/, documented({ tree_size: 2 })),
  lie("a document counts its skipped runs", /n_skipped/, documented({ n_skipped: 1 })),
  lie("the leaves of an hour are served", /no such file/, { ...run(), file: ["/elsewhere", ""] }),
  lie("a leaf is canonical", /canonical/, {
    ...run(),
    file: [`/v1/log/runs/${morning}/leaves`, '{"v": 1}\n']
  }),
  lie("runs are in the order of their ids", /out of order/, run({}, ran({ run: "run-4" }))),
  lie("a run is in an hour once", /there twice/, run({}, ran())),
  lie(
    "a run is in the document of the hour in which it ended",
    /ended after the hour/,
    run({ ended: at(5, "11:00") })
  ),
  lie(
    "a run that ended before the hour is late",
    /exactly if it ended before/,
    run({}, runOf(5, "09:00", { run: "run-6" }))
  ),
  lie("only a run that ended before the hour is late", /exactly if it ended before/, run({ late: true })),
  lie(
    "a run that was in its hour is not late later",
    /in an earlier document/,
    runs(5, 10, [runOf(4, "22:00", { late: true }), ran()])
  ),
  lie("a run began before it ended", /before it began/, run({ began: at(5, "10:30") })),
  lie("a run that failed has no rows", /failed has no rows/, run({ outcome: "failed" })),
  lie(
    "a skipped run could begin until the next one",
    /cannot have been skipped/,
    run({}, skippedOf(5, "10:00", at(5, "22:00")))
  ),
  lie("a skipped run is told of once", /is told of after/, run({}, skippedOf(3, "10:00", at(3, "22:00")))),
  {
    sentence: "what was due has a run, or was skipped",
    lie: (story) => instead(story, "2026-09-04T22"),
    find: "runs",
    says: /no run of feed that was due at 2026-09-04T22/
  }
]

export const ofSchedules: ReadonlyArray<Lie> = [
  {
    sentence: "a schedule is entered ahead of the runs that it names",
    lie: (story) => instead(story, "2026-09-05", schedule(5, at(5, "10:40"))),
    find: "document",
    says: /after the run of feed that was due at 2026-09-05T10/
  },
  {
    sentence: "a day has one schedule",
    lie: (story) => instead(story, "2026-09-05", schedule(5), schedule(5)),
    find: "document",
    says: /the schedule of 2026-09-05 follows that of 2026-09-05/
  },
  {
    sentence: "a schedule's times are of its day",
    lie: (story) => instead(story, "2026-09-05", schedule(5, at(4, "23:40"), at(6, "10:00"))),
    find: "document",
    says: /not on 2026-09-05/
  },
  {
    sentence: "the subject of a schedule is its day",
    lie: (story) => instead(story, "2026-09-05", { ...schedule(5), subject: "2026-09-04" }),
    find: "document",
    says: /the document's is 2026-09-05/
  },
  {
    sentence: "a schedule names each feed once",
    lie: (story) => {
      const feed = { plugin: "feed", every: 43_200, first: at(5, "10:00") }
      const twice = { v: "service-schedule-v1", n: 5, day: "2026-09-05", feeds: [feed, feed] }
      instead(story, "2026-09-05", document("schedule", "2026-09-05", at(4, "23:40"), twice))
    },
    find: "document",
    says: /each feed once/
  }
]
