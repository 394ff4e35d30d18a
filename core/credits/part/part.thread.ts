/** The thread that reads parts out of long payloads. */
import { perform } from "../../process/threads/perform.ts"
import { partOf } from "./partOf.ts"

perform("parts", partOf)
