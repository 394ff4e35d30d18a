/** A thread whose task may have no end. */
import { perform } from "../../core/process/threads/perform.ts"

perform("endless", (task: "endless" | "short") => {
  while (task === "endless") {}
  return "done"
})
