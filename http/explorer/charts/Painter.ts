/** Draws pictures in a thread, and keeps them by what they show. */
import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { makeThread } from "../../../core/process/threads/thread.ts"

/** A picture to draw, `width` in pixels. */
export interface Drawing {
  readonly svg: string
  readonly width: number
}

/** Of PNG, about 80 pictures. */
const mostKeptBytes = 8 * 1024 * 1024

export class Painter extends Context.Service<
  Painter,
  {
    /** The picture as PNG. */
    readonly png: (drawing: Drawing) => Effect.Effect<Uint8Array>
  }
>()("http/explorer/charts/Painter") {
  static readonly layer = Layer.effect(
    Painter,
    Effect.gen(function* () {
      const draw = yield* makeThread<Drawing, Uint8Array>(
        new URL("png.thread.ts", import.meta.url),
        "pictures"
      )
      const pictures = new LRUCache<string, Uint8Array>({
        maxSize: mostKeptBytes,
        sizeCalculation: ({ length }) => length
      })
      return Painter.of({
        png: Effect.fn("Painter.png")(function* ({ svg, width }) {
          // The face has no figures below the line.
          const drawing = { svg: svg.replaceAll("₂", "2"), width }
          const name = `${drawing.width} ${hash("sha256", drawing.svg)}`
          const existing = pictures.get(name)
          if (existing !== undefined) return existing
          const bytes = yield* draw(drawing)
          pictures.set(name, bytes)
          return bytes
        })
      })
    })
  )
}
