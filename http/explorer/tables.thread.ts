/** The thread that reads the tables of long payloads. */
import { perform } from "../../core/process/threads/perform.ts"
import { chunkReader } from "./tableChunk.ts"

perform("tables", chunkReader())
