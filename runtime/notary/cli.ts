/** The program of the package: a notary alone, which knows the hosts that the collectors of its release read. */
import { readFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Help from "../cli/help.ts"
import { inOneLine } from "../cli/usage.ts"
import { notaryOf } from "./command.ts"
import packageJson from "./package.json" with { type: "json" }

/** A host a line; the build writes it beside the program. */
const hosts = Effect.sync(() =>
  readFileSync(new URL("hosts", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
)

Command.run(notaryOf("plumbline-notary", { called: "npx @plumbline/notary", hosts }), {
  version: packageJson.version
}).pipe(inOneLine, Effect.provide(Layer.merge(NodeServices.layer, Help.layer)), NodeRuntime.runMain)
