/** What is said of a timestamp that stands alone, as a file. */
import { type Check, failed, notProved } from "./check.ts"
import type { TimestampVerdict } from "./ots/verify.ts"

const lacks = { unchecked: "unavailable", pending: "missing", unknown: "newer" } as const

/** Whether it is in a block; `need` is added where it is not proved. */
export const checkTimestamp = (outcome: TimestampVerdict, need = ""): Check => {
  const name = "timestamp"
  if (outcome.status === "verified") return { name, ok: true, detail: outcome.detail }
  return outcome.status === "failed"
    ? failed(name, outcome.detail, "hash")
    : notProved(name, `${outcome.detail}${need}`, lacks[outcome.status])
}
