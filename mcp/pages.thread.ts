/** The thread that reads pages out of long purchases. */
import { perform } from "../core/process/threads/perform.ts"
import { purchasePage } from "./purchasePage.ts"

perform("pages", purchasePage)
