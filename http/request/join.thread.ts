/** The thread that reads the bodies of `/v1/asof`. */
import { perform } from "../../core/process/threads/perform.ts"
import { readJoin } from "./joinRows.ts"

perform("joins", readJoin)
