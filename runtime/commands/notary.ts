import { Effect } from "effect"
import { program } from "../../core/process/program.ts"
import * as Plugins from "../collector/plugins.ts"
import { notaryOf } from "../notary/command.ts"

/** The hosts that the collectors of this version read, at the usual port. */
const hosts = Effect.map(Plugins.all(), (plugins) => plugins.flatMap(({ manifest }) => manifest.hosts))

/** `plumbline notary`. */
export const notary = notaryOf("notary", { called: `${program} notary`, hosts })
