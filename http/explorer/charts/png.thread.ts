/** The thread that draws pictures, so that the service goes on answering meanwhile. */
import { parentPort } from "node:worker_threads"
import { guarded } from "../../../core/process/guarded.ts"
import type { Drawing, Drawn } from "./Painter.ts"
import { png } from "./png.ts"

if (parentPort === null) throw new Error("png.thread.ts runs as a worker thread")
const port = parentPort

const drawn = ({ svg, width }: Drawing): Drawn => {
  try {
    return { bytes: png(svg, width) }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

port.on(
  "message",
  guarded("drawing a picture", (drawing: Drawing) => port.postMessage(drawn(drawing)))
)
