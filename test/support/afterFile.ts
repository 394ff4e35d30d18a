/** What each file leaves to be cleared away. */
import { Effect } from "effect"
import { afterAll } from "vitest"
import { dropDatabases } from "./database.ts"

afterAll(() => Effect.runPromise(dropDatabases))
