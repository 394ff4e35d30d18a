/** The thread that checks who signed blocks: hundreds of signatures take up to half a second. */
import { perform } from "../../process/threads/perform.ts"
import { refusalOf } from "./signers.ts"

perform("signers of blocks", refusalOf)
