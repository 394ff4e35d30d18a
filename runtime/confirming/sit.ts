/** A sitting at a terminal: screens on it, keys from it. */
import { Effect, Option, Queue, Terminal } from "effect"
import type { Sheet } from "./sheet.ts"
import { type Decision, pressed, type Sitting, screenOf, sitting } from "./sitting.ts"

/** The name of a key: a letter as it was typed, else what the terminal calls it. */
const keyOf = ({ input, key }: Terminal.UserInput): string =>
  Option.match(input, {
    onNone: () => key.name,
    onSome: (typed) => (/^[A-Za-z0-9]$/.test(typed) ? typed : key.name)
  })

/** Shows a screen after the other, and carries out what each key decides before the next is shown. */
export const sit = Effect.fnUntraced(function* <A, E, R>(
  sheet: Sheet,
  carryOut: (decision: Decision) => Effect.Effect<A, E, R>
) {
  const terminal = yield* Terminal.Terminal
  const keys = yield* terminal.readInput
  const [height, width] = [yield* terminal.rows, yield* terminal.columns]
  let state: Sitting = sitting(sheet, { height: Math.max(20, height), width: Math.max(60, width) })
  while (!state.over) {
    yield* terminal.display(`\u001B[2J\u001B[H${screenOf(state).join("\n")}\n`)
    const typed = yield* Effect.option(Queue.take(keys))
    if (Option.isNone(typed)) return
    const { decision, state: next } = pressed(state, keyOf(typed.value))
    if (decision !== undefined) yield* carryOut(decision)
    state = next
  }
}, Effect.scoped)
