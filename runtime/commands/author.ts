/** The program of `@plumbline/plugin`: makes a plugin in a folder of its own, records, replays and checks the one in this folder. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Help from "../cli/help.ts"
import { inOneLine } from "../cli/usage.ts"
import { begin, idIn } from "../collector/outside.ts"
import packageJson from "../contributor/package.json" with { type: "json" }

const here = resolve(".")
// Before anything reads the catalog, which has the network of the plugin.
if (existsSync("plugin.json")) begin([{ id: idIn(here), folder: pathToFileURL(`${here}/`).href }])

const { authorCommands, asAuthor } = await import("./authoring.ts")

Command.run(
  Command.make("plumbline-plugin").pipe(
    Command.withDescription(
      "Make a plugin for Plumbline in a folder of its own, and check the one in this folder"
    ),
    Command.withSubcommands(authorCommands)
  ),
  { version: packageJson.version }
).pipe(inOneLine, asAuthor, Effect.provide(Layer.merge(NodeServices.layer, Help.layer)), NodeRuntime.runMain)
