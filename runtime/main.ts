import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { inOneLine } from "./cli/usage.ts"
import { plumbline } from "./plumbline.ts"

plumbline(process.argv.slice(2)).pipe(
  Effect.flatMap(Command.run({ version: packageJson.version })),
  inOneLine,
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
