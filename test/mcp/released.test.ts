/**
 * What agents remember of the tools: `released.json` has every tool and argument that was listed. One that is listed no more is still
 * taken, until a version that the changelog names.
 */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toolsOf } from "../../mcp/tools/all.ts"
import packageJson from "../../package.json" with { type: "json" }
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import released from "./released.json" with { type: "json" }

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8")
const majorOf = (version: string): number => Number(version.split(".")[0])

layer(Service.layer())("tools that were released", (it) => {
  it.effect("take every argument that they ever listed", () =>
    Effect.gen(function* () {
      for (const [tool, names] of Object.entries<ReadonlyArray<string>>(released))
        for (const name of names) {
          // Refused for what it is, not for its name.
          const { data, isError } = yield* callTool(tool, { [name]: "\u0000" })
          assert.isTrue(isError, `${tool} ${name}`)
          assert.deepInclude(
            data,
            { field: name, message: `${name} must not contain a NUL character.` },
            tool
          )
        }
    })
  )

  it.effect("name in the changelog until when they take what they list no more", () =>
    Effect.sync(() => {
      const tools = toolsOf("full")
      const unlisted = Object.entries<ReadonlyArray<string>>(released).flatMap(([tool, names]) => {
        const listed = Object.keys(Object(tools.get(tool)?.inputs("full")["properties"]))
        return names.filter((name) => !listed.includes(name)).map((name) => [tool, name] as const)
      })
      assert.isNotEmpty(unlisted)
      for (const [tool, name] of unlisted) {
        const line = changelog
          .split("\n")
          .find(
            (line) => line.includes(`\`${tool}\``) && line.includes(`\`${name}\``) && line.includes("until")
          )
        const [, until = ""] = /until (\d+\.\d+\.\d+)/.exec(line ?? "") ?? []
        assert.isAbove(majorOf(until), majorOf(packageJson.version), `${tool} ${name}`)
      }
    })
  )

  it.effect("are all recorded, so that none goes without a period of grace", () =>
    Effect.sync(() => {
      const recorded: Readonly<Record<string, ReadonlyArray<string>>> = released
      const missing = [...toolsOf("full")].flatMap(([tool, { inputs }]) =>
        Object.keys(Object(inputs("full")["properties"]))
          .filter((name) => recorded[tool]?.includes(name) !== true)
          .map((name) => `${tool} ${name}: add it to test/mcp/released.json`)
      )
      assert.deepStrictEqual(missing, [])
    })
  )
})
