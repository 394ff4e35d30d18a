/** The thread that draws pictures. */
import { perform } from "../../../core/process/threads/perform.ts"
import type { Drawing } from "./Painter.ts"
import { png } from "./png.ts"

perform("pictures", ({ svg, width }: Drawing) => png(svg, width))
