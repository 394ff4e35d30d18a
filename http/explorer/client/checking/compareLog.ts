/** The pages of the log beside the signed list of batches. */
import { utf8 } from "../../../../core/proof/bytes.ts"
import { demand } from "../../../../core/proof/check.ts"
import { isBatch, parseEntry } from "../../../../core/proof/entry.ts"
import { leafHashHex } from "../../../../core/proof/leaf.ts"
import type { AttestationsResponse } from "../../../../core/wire/log/attestations.ts"
import { dateOfDay, dayNumber } from "../../charts/scale.ts"
import { batchCounts, batchRow } from "../../html/batches.ts"
import { formatDay, formatTime } from "../../html/format.ts"
import { templateOf } from "../parts/trusted.ts"
import { type Compare, compareMarkup, compareText } from "./comparison.ts"
import { signedAnswer } from "./signed.ts"

const batchesBefore = async (day: string, limit: number) => {
  const { body, checks } = await signedAnswer(`/v1/attestations?limit=${limit}&cursor=${day}`)
  return { checks, ...(body as AttestationsResponse) }
}

const rowOf = (markup: string): Element | null => templateOf(markup).content.firstElementChild

export const compareLog: Compare = async (page) => {
  const table = page.querySelector<HTMLElement>("[data-before]")
  const { before = "" } = table?.dataset ?? {}
  const { attestations, checkpoint, checks, log_size } = await batchesBefore(before, 31)
  const month = dateOfDay(dayNumber(before) - 1).slice(0, 7)
  const signed = new Map(attestations.filter(({ day }) => day.startsWith(month)).map((one) => [one.day, one]))
  const rowElements = [...page.querySelectorAll<HTMLElement>("tr[data-day]")]
  const head = page.querySelector("#log-head")?.textContent ?? ""
  const isGrown = head.split("\n")[1] !== String(log_size)
  const mismatches = rowElements.flatMap((row) => {
    const day = row.dataset["day"] ?? ""
    const one = signed.get(day)
    signed.delete(day)
    return one === undefined
      ? [{ where: formatDay(day), displayed: "a batch", signed: "nothing" }]
      : compareMarkup(formatDay(day), row, rowOf(String(batchRow(one)))?.innerHTML ?? "")
  })
  const left = [...signed.keys()].map((day) => ({
    where: formatDay(day),
    displayed: "nothing",
    signed: "a batch"
  }))
  return {
    checks,
    mismatches: [...mismatches, ...left, ...(isGrown ? [] : compareText("Head", head, checkpoint ?? ""))],
    what: `${rowElements.length} batches${isGrown ? "" : " and the head"}`,
    isNewer: isGrown
  }
}

export const compareDay: Compare = async (page) => {
  const strip = page.querySelector<HTMLElement>("[data-closed]")
  const { closed = "" } = strip?.dataset ?? {}
  const { attestations, checks } = await batchesBefore(dateOfDay(dayNumber(closed) + 1), 1)
  const [signed] = attestations
  demand(signed?.day === closed, "the signed answer is about another day than this page")
  const text = page.querySelector("#entry-text")?.textContent ?? ""
  const entry = parseEntry(text)
  return {
    checks,
    mismatches: [
      ...compareMarkup("Counts", strip, batchCounts(signed)),
      ...compareText("Root", page.querySelector("#batch-root")?.textContent, signed.root),
      ...compareText(
        "Closed",
        page.querySelector("#batch-closed")?.textContent,
        formatTime(signed.closed_at)
      ),
      ...compareText("Root in the entry", isBatch(entry) ? entry.root : "no batch", signed.root),
      ...compareText(
        "Hash of the entry",
        page.querySelector("#entry-hash")?.textContent,
        leafHashHex(utf8(text))
      )
    ],
    what: "the counts and the root of this day, and its entry,",
    // A closed batch never changes.
    isNewer: false
  }
}
