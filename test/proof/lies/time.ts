/** Lies about time and about runs that nobody else can date: one for each way to have the value that one likes. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { alter, close, type Lie } from "./lie.ts"
import { instead } from "./runs.ts"
import {
  at,
  type Document,
  dayOf,
  document,
  type Loose,
  leafOf,
  names,
  next,
  runOf,
  runs,
  type Story,
  schedule,
  skippedOf
} from "./story.ts"

/** Says of every run of the fourth that it ended otherwise. */
const ended = (story: Story, outcome: string, more: Loose = {}): void => {
  const skipped = skippedOf(3, "22:00", at(4, "10:00"))
  const run = (time: string) => runOf(4, time, { outcome, ...more })
  instead(story, `${dayOf(4)}T10`, runs(4, 10, [run("10:00"), skipped]))
  // Who looks again answers no schedule.
  const missed = outcome === "recheck" ? [skippedOf(4, "10:00", at(4, "22:00"))] : []
  const evening = outcome === "recheck" ? runOf(4, "22:00") : run("22:00")
  instead(story, `${dayOf(4)}T22`, runs(4, 22, [evening, ...missed]))
}

const noRows = { n_rows: 0, rows_root: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" }

const unexplained = (sentence: string, lie: (story: Story) => void): Lie => ({
  sentence,
  lie,
  find: "run",
  says: /no run of the log stored anything then/
})

/** The values of day 4, recorded at 11:01 after the run of 10:00, of which the log says otherwise. */
const ofDay = (what: string, outcome: string, more: Loose = {}): Lie =>
  unexplained(`a day on which ${what} has no values`, (story) => ended(story, outcome, more))

const recorded = (n: number, time: string, from: Partial<ReturnType<typeof leafOf>> = {}) => ({
  recorded_at: at(n, time),
  ...from
})

export const ofValues: ReadonlyArray<Lie> = [
  ofDay("all runs failed", "failed", noRows),
  ofDay("all runs were refused", "refused", { ...noRows, n_refused: 3 }),
  ofDay("all runs gave nothing new", "unchanged"),
  ofDay("somebody only looked again", "recheck"),
  unexplained("a day on which every run was skipped has no values", (story) => {
    instead(story, `${dayOf(4)}T10`, runs(4, 10, [skippedOf(3, "22:00", at(4, "10:00"))]))
    const skipped = skippedOf(4, "10:00", at(4, "22:00"))
    instead(story, `${dayOf(4)}T22`, runs(4, 22, [runOf(4, "22:00"), skipped]))
  }),
  unexplained("a value is not recorded between the runs", (story) =>
    alter(story, 4, names.hnt, 4, () => recorded(4, "13:37"))
  ),
  unexplained("a value is not recorded before the first run of its day", (story) =>
    alter(story, 4, names.hnt, 4, () => recorded(4, "09:59", { as_of: at(4, "09:58") }))
  ),
  unexplained("a value is not recorded while nothing ran in the night", (story) =>
    alter(story, 4, names.hnt, 4, () => recorded(5, "03:00"))
  ),
  unexplained("a late value has a run when it was recorded", (story) =>
    alter(story, 4, names.hnt, 2, () => recorded(4, "20:00"))
  ),
  unexplained(
    "a version has a run when it was recorded",
    (story) =>
      void close(story, 5).leaves.push(
        next(leafOf(names.filPower, 4), { kind: "late", recorded_at: at(5, "15:00"), value: 60 })
      )
  ),
  unexplained("what an incident withdraws is recorded when it is opened", (story) =>
    alter(story, 3, names.akt, 2, () => recorded(3, "12:01"), 1)
  ),
  unexplained("a value of the morning of the close has its run by then, or soon", (story) => {
    alter(story, 6, names.hnt, 6, () => recorded(7, "07:30"))
    close(story, 6).after.push(runs(7, 9, [runOf(7, "09:00")]))
  }),
  unexplained("500 values need 500 explanations", (story) => {
    for (const n of [2, 3, 4, 5]) {
      close(story, n).leaves = close(story, n).leaves.map((leaf) =>
        leaf.day === dayOf(n) && leaf.version === 1 && leaf.excluded_by === undefined
          ? { ...leaf, recorded_at: at(n, "18:00") }
          : leaf
      )
    }
  })
]

const scheduled = (sentence: string, says: RegExp, lie: (story: Story) => void, find = "runs"): Lie => ({
  sentence,
  lie: (story) => {
    lie(story)
    relink(story)
  },
  find,
  says
})

/** A schedule of a day, of these feeds. */
const scheduleOf = (n: number, feeds: ReadonlyArray<Loose>, recorded_at = at(n - 1, "23:40")): Document =>
  document("schedule", dayOf(n), recorded_at, { v: "service-schedule-v1", n, day: dayOf(n), feeds })

/** Puts others in the place of the schedule of a day. */
const insteadOf = (story: Story, n: number, ...by: ReadonlyArray<Document>): void => {
  for (const { before } of story.closes) {
    const place = before.findIndex(({ kind, subject }) => kind === "schedule" && subject === dayOf(n))
    if (place >= 0) before.splice(place, 1, ...by)
  }
}

/** Counts the schedules again, and has each hour name the newest one before it: a liar's log is as consistent as he can make it. */
const relink = (story: Story): void => {
  let [n, newest]: [number, string | undefined] = [0, undefined]
  for (const { before } of story.closes)
    for (const one of before) {
      if (one.kind === "schedule") {
        one.text = canonical({ ...JSON.parse(one.text), n: ++n })
        newest = toHex(sha256(utf8(one.text)))
      } else if (one.kind === "runs") {
        const { schedule: _, ...rest } = JSON.parse(one.text)
        one.text = canonical({ ...rest, ...(newest === undefined ? {} : { schedule: newest }) })
      }
    }
}

/** Other schedules for the last three days. */
const rescheduled = (story: Story, of: (n: number) => ReadonlyArray<Loose>): void => {
  for (const n of [4, 5, 6]) insteadOf(story, n, scheduleOf(n, of(n)))
}

/** Takes a document out of the log. */
const takeOut = (story: Story, subject: string): ReadonlyArray<Document> => {
  const there = story.closes.flatMap(({ before }) => before.filter((one) => one.subject === subject))
  instead(story, subject)
  return there
}

const extra = (n: number, hour: number, times: number, more: (place: number) => Loose): Document =>
  runs(
    n,
    hour,
    Array.from({ length: times }, (_, place) => {
      const { due: _due, ...run } = runOf(n, `${hour}:00`)
      return { ...run, run: `run-${n}-${hour}:00-${String(place).padStart(3, "0")}`, ...more(place) }
    })
  )

export const ofChoices: ReadonlyArray<Lie> = [
  scheduled("each day has a schedule", /the newest schedule is of 2026-09-04: its day has none/, (story) => {
    insteadOf(story, 5)
  }),
  scheduled("no two days together are without a schedule", /its day has none/, (story) => {
    for (const n of [4, 5]) insteadOf(story, n)
  }),
  scheduled(
    "a schedule that comes back does not hide the day between",
    /no schedule covers the time from 2026-09-05/,
    (story) => {
      // The hours of the fifth come after the schedule of the sixth, as if the service had been away.
      const moved = takeOut(story, `${dayOf(5)}T10`)
      insteadOf(story, 5)
      close(story, 5).before.push(...moved)
    }
  ),
  scheduled(
    "a schedule that is late names the runs of its morning",
    /began at 2026-09-05T10:00.*no schedule covers/,
    (story) => {
      insteadOf(story, 5)
      const late = schedule(5, at(5, "10:50"), at(5, "22:00"))
      close(story, 5).before.unshift(late, ...takeOut(story, `${dayOf(5)}T10`))
    }
  ),
  scheduled(
    "a schedule is entered while its day lasts",
    /after its day/,
    (story) => {
      for (const n of [6, 7]) insteadOf(story, n)
      close(story, 6).before.push(scheduleOf(6, [], at(7, "00:30")))
    },
    "document"
  ),
  scheduled("a feed that runs is on a schedule", /no schedule names it/, (story) =>
    rescheduled(story, () => [])
  ),
  scheduled("another feed on the schedule does not stand for it", /no schedule names it/, (story) =>
    rescheduled(story, (n) => [{ plugin: "other", every: 86_400, first: at(n, "23:59") }])
  ),
  scheduled("a feed does not run forty times in an hour", /ran 39 times beside the schedule/, (story) =>
    instead(
      story,
      `${dayOf(4)}T22`,
      extra(4, 22, 40, () => ({}))
    )
  ),
  scheduled("a due time has one run", /times beside the schedule/, (story) =>
    instead(
      story,
      `${dayOf(4)}T22`,
      extra(4, 22, 6, () => ({ due: at(4, "22:00") }))
    )
  ),
  scheduled("a due time has one run, whatever became of it", /times beside the schedule/, (story) =>
    instead(
      story,
      `${dayOf(4)}T22`,
      extra(4, 22, 6, (place) => ({
        due: at(4, "22:00"),
        ...(place === 5 ? {} : { outcome: "failed", ...noRows })
      }))
    )
  ),
  scheduled("runs that give nothing new are runs too", /times beside the schedule/, (story) =>
    instead(
      story,
      `${dayOf(4)}T22`,
      extra(4, 22, 8, () => ({ outcome: "unchanged" }))
    )
  ),
  scheduled("extra runs are counted over the hours of a day", /ran 4 times beside the schedule/, (story) => {
    const place = close(story, 4).before.findIndex(({ subject }) => subject === `${dayOf(4)}T22`)
    const others = [12, 13, 14, 15].map((hour) => extra(4, hour, 1, () => ({})))
    close(story, 4).before.splice(place, 0, ...others)
  })
]
