import { Schema } from "effect"
import {
  breakdown,
  compareNumbers,
  endOfDay,
  flow,
  fromBaseUnits,
  headline,
  isNumber,
  type Moment,
  mayDropToZero,
  metric,
  neverFalls,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { amount, combine, count, moment, positive, quantity, sum, text } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const page = "https://stats.renderfoundation.com"
const request: Upstream.Request = {
  ...Upstream.post("https://infra.shikumi.cc/api/v1/epochBurnStats", { start: 0 }),
  headers: { "content-type": "application/json", origin: page, referer: `${page}/` }
}
const Totals = Schema.Struct({ nodes: positive, frames: positive })
const Epochs = Schema.Array(Schema.Struct({ id: count, endDate: moment, burnedRender: amount }))
const epochs = wrapped(request, ["data", "epochs"], Epochs)

/** What the foundation owes for each epoch and channel, with the work of each wallet of a node operator. */
const Dues = Schema.Struct({
  data: Schema.Struct({
    epochs: Schema.Array(
      Schema.Struct({
        channel: text,
        end: moment,
        amountDue: amount,
        metadataBySolKey: Upstream.maybe(Schema.Record(Schema.String, Schema.Struct({ obhUsed: quantity })))
      })
    )
  })
})

/** The newest epoch that is over; undefined where one does not tell its end, for it may be that. */
const newestOf = <E>(
  rows: ReadonlyArray<E>,
  endOf: (row: E) => Moment | null | undefined,
  { at }: Upstream.Answer<unknown>
) => {
  const ended = rows.flatMap((row) => {
    const end = endOf(row)
    return typeof end === "number" ? [{ row, end }] : []
  })
  if (ended.length < rows.length) return undefined
  const [newest] = ended.filter(({ end }) => end <= at).toSorted((a, b) => b.end - a.end)
  // An epoch ends at the midnight with which the next one begins: its last moment is of the day before.
  return newest === undefined ? undefined : { row: newest.row, as_of: endOfDay(newest.end - 1) }
}

/** Rows numbered from here on are none of the weekly epochs; the clients of the page leave them out. */
const isWeekly = ({ id }: (typeof Epochs.Type)[number]) => !(isNumber(id) && compareNumbers(id, 10_000) >= 0)

const newestBurn = (listed: typeof Epochs.Type, answer: Upstream.Answer<unknown>) =>
  newestOf(listed.filter(isWeekly), ({ endDate }) => endDate, answer)

const newestDue = ({ data }: typeof Dues.Type, answer: Upstream.Answer<unknown>) =>
  newestOf(
    data.epochs.filter(({ channel }) => channel === "node_operator"),
    ({ end }) => end,
    answer
  )

export default Plugin.define({
  id: "render",
  title: "Render nodes and frames",
  covers: { networks: ["RENDER"] },
  source: "render_foundation",
  tier: "supply_telemetry",
  hosts: ["stats.renderfoundation.com", "infra.shikumi.cc"],
  every: "6 hours",
  calls: 3,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "Bobbycyborg/crypto-app-v4@1da1f993 collectors/source_requests.py": "nodes_and_frames, epochBurnStats",
    "Bobbycyborg/crypto-app-v4@284da406 lib/v3/render_stage1_loader.py": "nodes, frames",
    "nickypockets/RENDER_RNP20_Tools@fd40b17c tools/burnProcessing.py:44": "startDate, endDate, burnedRender",
    "nickypockets/RENDER_RNP20_Tools@fd40b17c OBhrProcessing.py:78":
      "epochs, channel, metadataBySolKey, obhUsed",
    "nickypockets/RENDER_RNP20_Tools@fd40b17c data/OBhrs_data/OBhrs.json": "end, amountDue"
  }),
  terms: termsOn("2026-11-25", "Data: Render Network Foundation, https://stats.renderfoundation.com"),
  metrics: {
    devices_total: headline(
      "count",
      "Nodes that the foundation counts, whether they work today or not; a figure it renews rarely."
    ),
    frames_total: metric("count", "Frames rendered since the start."),
    tokens_burned_epoch: mayDropToZero("tokens", "RENDER burnt in the newest epoch that is over, a week."),
    operators_paid_epoch: breakdown(
      "count",
      "Wallets of node operators that rendered in the newest epoch that is over, a week."
    ),
    octanebench_hours_epoch: metric(
      "hours",
      "Hours of rendering in the newest epoch that is over, each at a speed of OctaneBench 1."
    ),
    operator_rewards_epoch: metric(
      "tokens",
      "RENDER due to node operators for the newest epoch that is over."
    ),
    earned_7d: flow(
      "tokens",
      "RENDER burnt for work in the newest epoch that is over, a week.",
      {
        rung: "stated",
        at: "burnedRender of the entry with the latest endDate that is over, in the answer of the foundation's epochBurnStats",
        formula: "burnedRender",
        without: "The share of payments that is not burnt, and payments in currencies that bought no RENDER.",
        code: "nickypockets/RENDER_RNP20_Tools@fd40b17c tools/burnProcessing.py:44",
        recomputed:
          "Epoch 97, which ended on 29 October 2025, from an answer of October 2025: 10,109.57063522 RENDER.",
        differs:
          "DefiLlama counts what was burnt on Solana in the last seven UTC days, and adds the 5 % of a payment that is not burnt; this is an epoch of the foundation."
      },
      { collapse: 1 }
    ),
    paid_out_7d: flow("tokens", "RENDER due to node operators for the newest epoch that is over, a week.", {
      rung: "stated",
      at: "amountDue of the entry of the channel node_operator with the latest end that is over, in https://stats.renderfoundation.com/liability-epochs-data.json",
      formula: "amountDue / 10^8",
      without:
        "The channels availability and others, which pay for being ready and not for work; and whether it was paid.",
      code: "nickypockets/RENDER_RNP20_Tools@fd40b17c data/OBhrs_data/OBhrs.json",
      recomputed:
        "Epoch 97, which ended on 29 October 2025, from an answer of October 2025: 14,999.99999867 RENDER."
    })
  },
  relations: [neverFalls("frames_total")],
  collect: (observe) =>
    Plugin.anyOf("RENDER", [
      Plugin.one(observe, `${page}/api/nodes_and_frames`, Totals, ({ frames, nodes }) => ({
        devices_total: nodes,
        frames_total: frames
      })),
      Plugin.from(
        observe,
        epochs,
        { verify_url: page, as_of: (body, answer) => newestBurn(body, answer)?.as_of },
        (body, answer) => {
          const newest = newestBurn(body, answer)
          return newest === undefined
            ? Upstream.implausible(answer, "", "no epoch listed, or one without its end")
            : { tokens_burned_epoch: newest.row.burnedRender, earned_7d: newest.row.burnedRender }
        }
      ),
      Plugin.one(
        observe,
        `${page}/liability-epochs-data.json`,
        Dues,
        { as_of: (body, answer) => newestDue(body, answer)?.as_of },
        (body, answer) => {
          const newest = newestDue(body, answer)
          if (newest === undefined) {
            return Upstream.implausible(
              answer,
              `["data"]["epochs"]`,
              "no epoch listed, or one without its end"
            )
          }
          const work = Object.values(newest.row.metadataBySolKey ?? {}).map(({ obhUsed }) => obhUsed)
          const hours = sum(work)
          if (hours === 0) return Upstream.implausible(answer, "obhUsed", "a week without any work")
          return {
            operators_paid_epoch: combine(work, (work) => work.filter((used) => used > 0).length),
            octanebench_hours_epoch: hours,
            // RENDER has 8 decimals.
            operator_rewards_epoch: fromBaseUnits(newest.row.amountDue, 8),
            paid_out_7d: fromBaseUnits(newest.row.amountDue, 8)
          }
        }
      )
    ])
})
