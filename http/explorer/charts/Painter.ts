/** Draws pictures in a thread, which starts with the first one, and keeps them by what they show. */
import { hash } from "node:crypto"
import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, RcRef, Semaphore } from "effect"
import { LRUCache } from "lru-cache"
import { guarded } from "../../../core/process/guarded.ts"

/** A picture to draw, `width` in pixels. */
export interface Drawing {
  readonly svg: string
  readonly width: number
}

export type Drawn = { readonly bytes: Uint8Array } | { readonly failed: string }

/** How long a thread without work waits for more. */
const idle = "1 minute"

/** Of PNG, about 80 pictures. */
const mostKeptBytes = 8 * 1024 * 1024

const started = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL("png.thread.ts", import.meta.url), { name: "pictures" })),
  // biome-ignore lint/plugin/promise: ends a thread of ours
  (worker) => Effect.promise(() => worker.terminate())
)

/** The answer to one drawing comes before the next is sent. A thread that fails is a defect. */
const draw = (worker: Worker, drawing: Drawing) =>
  Effect.callback<Uint8Array>((resume) => {
    const end = () => worker.off("message", answered).off("error", failed).off("exit", ended)
    const answered = guarded("the thread of pictures", (drawn: Drawn) => {
      if ("failed" in drawn) return failed(drawn.failed)
      end()
      resume(Effect.succeed(drawn.bytes))
    })
    const failed = guarded("the thread of pictures", (error: unknown) => {
      end()
      resume(Effect.die(error))
    })
    const ended = (code: number) => failed(`the thread of pictures ended with code ${code}`)
    // biome-ignore lint/plugin/callback: all three are guarded
    worker.on("message", answered).on("error", failed).on("exit", ended)
    worker.postMessage(drawing)
  })

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
      const thread = yield* RcRef.make({ acquire: started, idleTimeToLive: idle })
      const turn = yield* Semaphore.make(1)
      const drawn = new LRUCache<string, Uint8Array>({
        maxSize: mostKeptBytes,
        sizeCalculation: ({ length }) => length
      })
      const drawnAnew = Effect.fnUntraced(function* (name: string, drawing: Drawing) {
        const worker = yield* RcRef.get(thread)
        const bytes = yield* Effect.onError(draw(worker, drawing), () => RcRef.invalidate(thread))
        drawn.set(name, bytes)
        return bytes
      }, Effect.scoped)
      return Painter.of({
        png: Effect.fn("Painter.png")(function* (drawing) {
          const name = `${drawing.width} ${hash("sha256", drawing.svg)}`
          // A drawing that has begun is finished: what the thread says belongs to it.
          const make = turn.withPermits(1)(Effect.uninterruptible(drawnAnew(name, drawing)))
          return drawn.get(name) ?? (yield* make)
        })
      })
    })
  )
}
