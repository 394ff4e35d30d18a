/** The commands of a plugin's author, who has no repository: they are about the plugin in this folder. */
import { Effect } from "effect"
import * as Plugins from "../collector/plugins.ts"
import { collect } from "./collect.ts"
import { cases, check, create } from "./plugin.ts"
import { record } from "./record.ts"
import { replay } from "./replay.ts"

export const authorCommands = [create, check, record, cases, replay, collect] as const

/** Their code runs here, and not in another process. */
export const asAuthor = Effect.provideService(Plugins.Authoring, true)
