import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import * as Help from "./cli/help.ts"
import { inOneLine } from "./cli/usage.ts"
import { plumbline } from "./plumbline.ts"

plumbline(process.argv.slice(2)).pipe(
  Effect.flatMap(Command.run({ version: packageJson.version })),
  inOneLine,
  Effect.provide(Layer.merge(NodeServices.layer, Help.layer)),
  NodeRuntime.runMain
)
