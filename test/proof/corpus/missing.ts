/** What is missing beside a bundle, although the log had its kind by then. */
import type { Evidence } from "../../../core/proof/evidence.ts"
import { changeEvidence, type Input, inputOf, type Logged, loggedBundle, verifyBoth } from "./logged.ts"
import { type Forgery, group } from "./table.ts"

const due = { due: "2026-09-04T11:00:00Z" }
const of = (lie: Logged = {}): Input => inputOf(loggedBundle({ run: due, schedule: {}, ...lie }))

const note = "b".repeat(64)
const stated = [
  {
    method: "GET",
    url: "https://feed.example/",
    at: "2026-09-04T11:00:00Z",
    status: 200,
    sha256: "d".repeat(64),
    notes: [note]
  }
]
const lot = { head: "e".repeat(64), notary: "n1.example+0a1b2c3d+AAAA" }
const counted = { n_exchanges: 1, n_notarised: 1, notaries: [lot.notary] }

/** As if the schedule were the log's first. */
const asFirst = ({ schedule, ...rest }: Evidence): Evidence =>
  schedule === undefined ? rest : { ...rest, first_schedule: schedule }
const withoutSchedule = ({ schedule: _, ...rest }: Evidence): Evidence => rest

const missing = (
  name: string,
  foundBy: string,
  forge: (it: Input) => Input,
  says: RegExp,
  contradicts = false
): Forgery<Input> => ({
  name,
  foundBy,
  forge,
  says,
  ...(contradicts ? {} : { notProved: true as const })
})

export const missingEvidence = group("a bundle with the schedule of its run", of, verifyBoth, [
  missing(
    "without the schedule",
    "schedule",
    changeEvidence(withoutSchedule),
    /the log had schedules by then/
  ),
  missing(
    "a schedule of another day",
    "schedule",
    () => of({ schedule: { day: "2026-09-05", feeds: [] } }),
    /schedule is of 2026-09-05/,
    true
  ),
  missing(
    "a schedule that came an hour after the run",
    "schedule",
    () => of({ scheduledAt: "2026-09-04T12:00:00Z" }),
    /after the run 2 had begun/
  ),
  missing(
    "a schedule that the log lacks",
    "schedule",
    changeEvidence(({ schedule, ...rest }) =>
      schedule === undefined
        ? rest
        : { ...rest, schedule: { ...schedule, log: { ...schedule.log, index: 2 } } }
    ),
    /does not lead from the entry of the schedule/,
    true
  ),
  missing(
    "another schedule than the entry is about",
    "schedule",
    changeEvidence(({ schedule, ...rest }) =>
      schedule === undefined
        ? rest
        : { ...rest, schedule: { ...schedule, document: schedule.document.replace("3600", "7200") } }
    ),
    /not about the schedule/,
    true
  ),
  missing(
    "a first schedule that is not the first",
    "schedule",
    changeEvidence(asFirst),
    /number 2, and not the first/,
    true
  ),
  missing(
    "a first schedule of before the run",
    "schedule",
    (it) => changeEvidence(asFirst)({ ...it, ...of({ schedule: { n: 1 } }) }),
    /the log had schedules by then/
  ),
  missing(
    "an hour that denies a schedule which the log had",
    "schedule",
    (it) => changeEvidence(asFirst)({ ...it, ...of({ schedule: { n: 1 }, denied: true }) }),
    /says that the log had no schedule/,
    true
  ),
  missing(
    "statements of notaries without a lot",
    "drawn",
    () => of({ run: { ...due, exchanges: stated }, hour: counted }),
    /does not say how they were drawn/
  ),
  missing(
    "a lot that does not say from which notaries",
    "drawn",
    () => of({ run: { ...due, exchanges: stated, lot }, hour: counted }),
    /which notaries its own was drawn from/
  )
])

/** What is honest and older, or beside the schedule: it is said, and not held against the value. */
export const honestlyWithout: ReadonlyArray<readonly [what: string, input: Input, says: RegExp]> = [
  ["a run of an hour without a schedule", inputOf(loggedBundle()), /the log had none by then/],
  ["a run that no schedule asked for", of({ run: {} }), /beside the schedule/],
  [
    "a run at a time that is not on the schedule",
    of({ run: { due: "2026-09-04T10:59:00Z" } }),
    /beside the schedule/
  ],
  [
    "a run of before the first schedule",
    of({ schedule: { n: 1 }, scheduledAt: "2026-09-04T11:58:00Z" }),
    /first of this log/
  ],
  [
    "a run as the service came back",
    of({ scheduledAt: "2026-09-04T11:10:00Z" }),
    /when the service came back/
  ],
  [
    "a run of before the first schedule, which is of another day",
    changeEvidence(asFirst)(
      of({ schedule: { n: 1, day: "2026-09-05", feeds: [] }, scheduledAt: "2026-09-04T11:58:00Z" })
    ),
    /the first schedule of this log was entered at/
  ]
]
