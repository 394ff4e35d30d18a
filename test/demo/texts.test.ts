/** The times of texts that are no JSON move with the tape as well: of feeds, of tables, and of columns between blanks. */
import { assert, it } from "@effect/vitest"
import { sampleTape } from "../../runtime/contributor/kit/scaffold.ts"
import { reel, tapeAt } from "../../runtime/tape/tape.ts"
import { timesOnly } from "../../runtime/tape/timesOnly.ts"

const at = Date.parse("2026-09-05T11:00:00Z")
const dayBefore = Date.parse("2026-09-04T10:00:00Z")

it.each([
  [
    "an Atom feed",
    "<feed><title>Lakes</title><updated>2026-09-05T10:30:00Z</updated><entry id='a'><updated>2026-09-05T09:00:00Z</updated><n>7</n></entry><entry><updated>2026-09-05T08:00:00Z</updated></entry></feed>",
    "<feed><title>Lakes</title><updated>2026-09-04T09:30:00Z</updated><entry id='a'><updated>2026-09-04T08:00:00Z</updated><n>7</n></entry><entry><updated>2026-09-04T07:00:00Z</updated></entry></feed>"
  ],
  [
    "an attribute",
    "<state time='2026-09-05T10:30:00Z' nodes='7'/>",
    "<state time='2026-09-04T09:30:00Z' nodes='7'/>"
  ],
  [
    "a table of one row",
    "nodes,updated\n7,2026-09-05T10:30:00Z\n",
    "nodes,updated\n7,2026-09-04T09:30:00Z\n"
  ],
  ["a table of days", "date,nodes\n2026-09-03,6\n2026-09-04,7\n", "date,nodes\n2026-09-02,6\n2026-09-03,7\n"],
  [
    "columns between blanks",
    "station  time              height\nA        2026-09-05 10:30  1.25\nB        2026-09-05 10:40  2.50\n",
    "station  time              height\nA        2026-09-04 09:30  1.25\nB        2026-09-04 09:40  2.50\n"
  ],
  [
    "a date in five columns",
    "#YY  MM DD hh mm WVHT\n2026 09 05 00 30 1.2\n2026 09 04 23 30 1.4\n",
    "#YY  MM DD hh mm WVHT\n2026 09 03 23 30 1.2\n2026 09 03 22 30 1.4\n"
  ]
])("%s", (_, before, after) => {
  const base = sampleTape("https://a.example/", new TextEncoder().encode(before), at)
  const moved = tapeAt(reel("texts", base, [""], timesOnly(base, [""])), dayBefore)
  assert.strictEqual(new TextDecoder().decode(moved.exchanges[0]?.body), after)
})
