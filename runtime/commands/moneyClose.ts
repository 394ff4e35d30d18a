/** `plumbline money close`: the signed book of a month that is over. */
import { join, resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Closed, closeMonth } from "../../core/credits/books/close.ts"
import { monthOf } from "../../core/credits/books/month.ts"
import { EventKey } from "../../core/events/EventKey.ts"
import { LogKey } from "../../core/log/Log.ts"
import { requireTrusted } from "../../core/readings/TrustedClock.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { makeFolder, onDisk, replaceFile } from "../outside/disk.ts"
import { bookLines, csvOf, tablesOf } from "./moneyBook.ts"
import { unreachable, withBooks } from "./withBooks.ts"

/** The signed book, and one file for each of its tables. */
const writeTables = Effect.fnUntraced(function* (folder: string, { book, document }: Closed) {
  yield* onDisk(() => makeFolder(folder))
  yield* replaceFile(join(folder, "book.json"), `${document}\n`)
  for (const table of tablesOf(book)) {
    yield* replaceFile(join(folder, `${table.name}.csv`), yield* csvOf(table))
  }
})

export const close = Command.make(
  "close",
  {
    month: Argument.String("month").pipe(
      Argument.withDescription("A month of UTC that is over, such as 2026-10")
    ),
    csv: Flag.String("csv").pipe(
      Flag.withDescription("Folder for the signed book and a CSV file for each of its tables"),
      Flag.optional
    ),
    withDifferences: Flag.Boolean("with-differences").pipe(
      Flag.withDescription(
        "Close it although Stripe or the chain has something else; the book names what differs"
      ),
      Flag.withDefault(false)
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ csv, json, month: text, withDifferences }) {
    const month = monthOf(text)
    if (month === undefined) {
      return yield* new UsageError({ message: `month: "${text}" is not a month (expected e.g. 2026-10)` })
    }
    const folder = Option.map(csv, (path) => resolve(path))
    const work = Effect.gen(function* () {
      yield* requireTrusted
      const { origin, simulated } = yield* LogKey
      const { key } = yield* EventKey
      const closed = yield* closeMonth(month, { origin, simulated, key }, { withDifferences }).pipe(
        Effect.catchTags({
          CardsUnreachable: () => unreachable("Stripe does not answer"),
          ChainUnreachable: ({ message }) => unreachable(message),
          NotClosed: Effect.fnUntraced(function* ({ differences, message }) {
            for (const difference of differences) yield* Console.error(`DIFFERS  ${difference}`)
            yield* Console.error(
              `plumbline: ${message}; nothing was closed${differences.length === 0 ? "" : ". Settle it (plumbline money), or close the month --with-differences"}`
            )
            return yield* new NotPassed({ code: 1 })
          })
        })
      )
      if (Option.isSome(folder)) yield* writeTables(folder.value, closed)
      for (const line of json ? [closed.document] : bookLines(closed.book)) yield* Console.log(line)
      if (closed.book.compared.some(({ differences }) => differences.length > 0)) {
        return yield* new NotPassed({ code: 1 })
      }
      if (closed.book.compared.length === 0) return yield* new NotPassed({ code: 2 })
    })
    yield* operate(withBooks(work), [
      ...["money", "close", text],
      ...Option.match(folder, { onNone: () => [], onSome: (path) => ["--csv", path] }),
      ...(withDifferences ? ["--with-differences"] : []),
      ...(json ? ["--json"] : [])
    ])
  })
).pipe(
  Command.withDescription(
    "Close a month: the signed book of what customers have, sales, grants, refunds and fees, the same each time. Exits with 0 if what was compared balances, 1 if not, 2 if a source does not answer or nothing was compared"
  ),
  Command.withShortDescription("Close a month, and print its signed book")
)
