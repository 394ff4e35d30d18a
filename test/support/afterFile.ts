/** What each file leaves to be cleared away, and what it executed, where that is recorded. */
import { Effect } from "effect"
import { afterAll, expect } from "vitest"
import { dropDatabases } from "./database.ts"

const recorder = process.env["TEST_RECORD"] === "true" ? await import("./record.ts") : undefined
await recorder?.begin()

afterAll(async () => {
  const { testPath } = expect.getState()
  if (testPath !== undefined) await recorder?.end(testPath)
  await Effect.runPromise(dropDatabases)
})
