import { assert, describe, it } from "vitest"
import { type FeedLine, type Status, table } from "../../runtime/commands/statusTable.ts"

const now = Date.UTC(2026, 8, 5, 12)

const feed = (plugin: string, over: Partial<FeedLine> = {}): FeedLine => ({
  plugin,
  state: "waiting",
  reason: null,
  last_run: null,
  last_success: "2026-09-05T11:59:48Z",
  last_error: null,
  confirmation: null,
  ...over
})

const status = (over: Partial<Status> = {}): Status => ({
  running: true,
  ready: true,
  reasons: [],
  warnings: [],
  series: 12,
  unconfirmed_series: 0,
  snapshot_version: 3,
  log_size: 4,
  withheld: [],
  feeds: [feed("b"), feed("a")],
  ...over
})

describe("what plumbline status prints", () => {
  it("begins with what is wrong, and lists the feeds that give nothing first", () => {
    const message = "2 of 5 feeds give nothing: late, nothing."
    const feeds = [
      feed("off", { state: "disabled", reason: "not verified", last_success: null }),
      feed("sound"),
      feed("keyed", { state: "needs_key", reason: "KEY is not set", last_success: null }),
      feed("nothing", { state: "refusing", last_error: "all 2 readings were refused", last_success: null }),
      feed("late", {
        state: "failing",
        last_error: "UpstreamError: 503",
        last_success: "2026-09-05T09:00:00Z"
      })
    ]
    assert.deepStrictEqual(
      table(status({ feeds, warnings: [{ code: "feeds_failing", message }] }), now).split("\n"),
      [
        "RUNNING, with warnings",
        `  feeds_failing: ${message}`,
        "  12 series, 4 entries in the log, 5 feeds (2 failing)",
        "",
        "FEED     STATE        LAST SUCCESS  LAST ERROR",
        "late     failing      3 h ago       UpstreamError: 503",
        "nothing  refusing     never         all 2 readings were refused",
        "keyed    needs_key    never         KEY is not set",
        "sound    waiting      12 s ago",
        "off      disabled     never         not verified"
      ]
    )
  })

  it("says in its first line whether the service runs and can answer", () => {
    const first = (over: Partial<Status>) => table(status(over), now).split("\n")[0]
    assert.strictEqual(first({}), "RUNNING, everything is healthy")
    const reasons = [{ code: "database_away", message: "The database has not answered." }] as const
    assert.strictEqual(
      first({ ready: false, reasons }),
      "NOT READY: the service is running but cannot answer"
    )
    assert.match(first({ running: false, ready: false }) ?? "", /^NOT RUNNING: .*npx plumbline serve$/)
  })
})
