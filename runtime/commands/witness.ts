import { program } from "../../core/process/program.ts"
import { witnessOf } from "../witness/command.ts"

/** `plumbline witness`. */
export const witness = witnessOf("witness", `${program} witness`)
