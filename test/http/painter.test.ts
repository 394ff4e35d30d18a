/** Pictures are drawn beside the event loop, each once. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Painter } from "../../http/explorer/charts/Painter.ts"

const square = (color: string) => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="${color}"/></svg>`,
  width: 16
})

layer(Painter.layer)("the painter", (it) => {
  it.effect("draws while the event loop turns", () =>
    Effect.gen(function* () {
      const { png } = yield* Painter
      let hasTurned = false
      setImmediate(() => {
        hasTurned = true
      })
      const bytes = yield* png(square("red"))
      assert.isTrue(hasTurned)
      assert.strictEqual(Buffer.from(bytes).toString("latin1", 1, 4), "PNG")
    })
  )

  it.effect("keeps what it has drawn, and gives each caller its own picture", () =>
    Effect.gen(function* () {
      const { png } = yield* Painter
      const [blue, green] = yield* Effect.all([png(square("blue")), png(square("green"))], {
        concurrency: "unbounded"
      })
      assert.notDeepEqual(blue, green)
      assert.strictEqual(yield* png(square("blue")), blue)
      assert.strictEqual(yield* png(square("green")), green)
    })
  )

  it.effect("writes figures below the line as others: its face has none", () =>
    Effect.gen(function* () {
      const { png } = yield* Painter
      const text = (words: string) => ({
        svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><text y="16">${words}</text></svg>`,
        width: 80
      })
      assert.deepStrictEqual(yield* png(text("CO₂")), yield* png(text("CO2")))
    })
  )

  it.effect("draws on after a picture that cannot be drawn", () =>
    Effect.gen(function* () {
      const { png } = yield* Painter
      assert.isTrue(Exit.isFailure(yield* Effect.exit(png({ svg: "no picture", width: 16 }))))
      assert.isAbove((yield* png(square("black"))).length, 0)
    })
  )
})
