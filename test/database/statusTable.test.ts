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
  changed_answers: [],
  unconfirmed_blocks: [],
  disagreements: [],
  absent: [],
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

  it("lists answers that changed, sources that disagree, and figures that are absent, each with its cause", () => {
    const since = "2026-09-05T11:00:00Z"
    const two = { second_metric: "dex_price_usd", second_source: "pools", second_value: 3, tolerance: 0.2 }
    const lines = table(
      status({
        changed_answers: [
          { incident: 7, since, reason: "answers that a reads have changed: x/y.n is gone (was number)" }
        ],
        disagreements: [{ symbol: "FIL", metric: "price_usd", source: "markets", value: 2, since, ...two }],
        absent: Array.from({ length: 22 }, (_, n) => ({
          plugin: "a",
          symbol: "FIL",
          metric: `m${n}`,
          reason: "absent: no answer has it"
        }))
      }),
      now
    ).split("\n")
    assert.deepStrictEqual(
      [...lines.slice(2, 5), lines[24]],
      [
        "  1 h ago: answers that a reads have changed: x/y.n is gone (was number) (npx plumbline incident close 7)",
        "  disagree 1 h ago: FIL price_usd is 2 by markets, dex_price_usd 3 by pools (20 % allowed)",
        "  a: FIL m0 is absent: no answer has it",
        "  and 2 more that are absent (--json lists them)"
      ]
    )
  })

  it("has a line for each fault and none longer than 120 characters, with the command at its end", () => {
    const reason =
      "330280000 is 1,014 times 325640, the last accepted value, and no series of this kind moves so far"
    const lines = table(
      status({
        warnings: [
          { code: "feeds_failing", message: `3 of 5 feeds give nothing: ${"a-long-name, ".repeat(20)}b.` }
        ],
        unconfirmed_series: 9,
        withheld: [1, 11].map((series) => ({
          incident: series,
          symbol: "STORJ",
          metric: "nodes_online",
          source: "storj_stats",
          plugin: "storj",
          since: "2026-09-05T09:00:00Z",
          value: 330280000,
          reason,
          series
        })),
        changed_answers: [
          { incident: 7, since: "2026-09-05T09:00:00Z", reason: "answers have changed ".repeat(9) }
        ],
        absent: [{ plugin: "a", symbol: "FIL", metric: "m", reason: "absent ".repeat(30) }],
        feeds: Array.from({ length: 12 }, (_, n) =>
          feed(`a-feed-with-a-name-${n}`, {
            state: "failing",
            last_error: "UpstreamError: ".repeat(12),
            confirmation: { state: "unconfirmed", how: null }
          })
        )
      }),
      now
    ).split("\n")
    assert.deepStrictEqual(
      lines.filter(({ length }) => length > 120),
      []
    )
    const withheldLines = lines.filter((line) => line.startsWith("  held "))
    assert.strictEqual(withheldLines.length, 2)
    for (const line of withheldLines)
      assert.match(line, /^ {2}held 3 h ago: .*… \(npx plumbline confirm storj --held all\)$/)
    assert.match(withheldLines[1] ?? "", /11 series, first STORJ nodes_online: 330280000 is/)
    assert.strictEqual(lines.filter((line) => line.endsWith("(npx plumbline incident close 7)")).length, 1)
    // Wrapped, for nothing else has the names.
    assert.include(lines.join(" ").replaceAll(/\s+/g, " "), "a-long-name, b.")
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
