/** The program of the package: a witness alone. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Help from "../cli/help.ts"
import { inOneLine } from "../cli/usage.ts"
import { witnessOf } from "./command.ts"
import packageJson from "./package.json" with { type: "json" }

Command.run(witnessOf("plumbline-witness", "npx @plumbline/witness"), { version: packageJson.version }).pipe(
  inOneLine,
  Effect.provide(Layer.merge(NodeServices.layer, Help.layer)),
  NodeRuntime.runMain
)
