/** The four commands of CONTRIBUTING.md, each in a process of its own, in a copy of this repository without plugins. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

const top = new URL("../..", import.meta.url).pathname

const copy = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-contributing-"))
    for (const name of [
      "core",
      "runtime",
      "http",
      "mcp",
      "package.json",
      "tsconfig.json",
      "biome.json",
      ".biome"
    ])
      cpSync(join(top, name), join(folder, name), { recursive: true })
    for (const name of ["plugins", "fixtures"]) mkdirSync(join(folder, name))
    symlinkSync(join(top, "node_modules"), join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

it.live(
  "make a plugin of a new network that passes the strict check, and say what to do where they cannot go on",
  () =>
    Effect.gen(function* () {
      const folder = yield* copy
      const plumbline = (...args: ReadonlyArray<string>) =>
        Effect.promise(
          () =>
            new Promise<{ readonly code: number | string; readonly output: string }>((resolve) =>
              execFile(
                process.execPath,
                [join(folder, "runtime/bin.ts"), ...args],
                { cwd: folder, env: {} },
                (error, out, err) => resolve({ code: error?.code ?? 0, output: out + err })
              )
            )
        )
      const url = "https://stats.acme.example.org/v1/summary"
      const create = ["plugin", "new", "acme", "--symbol", "ACME", "--title", "Acme network", "--url", url]

      const unknown = yield* plumbline(...create)
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.output, "ACME is not in the catalog; add it with --category (one of ai, ")
      const created = yield* plumbline(...create, "--category", "storage")
      assert.strictEqual(created.code, 0, created.output)
      const catalog = readFileSync(join(folder, "core/catalog/networks/storage/ACME.json"), "utf8")
      assert.include(
        catalog,
        '{"symbol": "ACME", "name": "Acme network", "website": "https://stats.acme.example.org"'
      )

      // What a contributor writes between the commands: here the scaffold's plugin, made one's own.
      const index = join(folder, "plugins/acme/index.ts")
      const readme = join(folder, "plugins/acme/README.md")
      const rewrite = (file: string, ...changes: ReadonlyArray<readonly [from: RegExp, to: string]>) =>
        writeFileSync(
          file,
          changes.reduce((text, [from, to]) => text.replace(from, to), readFileSync(file, "utf8"))
        )
      rewrite(
        index,
        [/\/\/ scaffold example: .*\n/, ""],
        [/ {2}disabled: .*\n/, ""],
        [/grade: "C"/, 'grade: "A"'],
        [/"scaffold example: owner.*?"/, '"https://acme.example/docs/api"'],
        [/owner: "you"/, 'owner: "acme"']
      )
      rewrite(readme, [/\(scaffold example.*\)/, "Storage by the byte."])

      const body = (nodes: number) =>
        JSON.stringify({ updated: "2026-09-05T10:45:00Z", nodes_online: nodes, storage_bytes: 7 })
      const answer = join(folder, "answer.json")
      writeFileSync(answer, body(42))
      const record = ["record", "acme", "--at", "2026-09-05T11:00:00Z", "--note", "from the test", "--from"]
      const other = yield* plumbline(...record, `https://stats.acme.example.org/v2=${answer}`)
      assert.include(other.output, "plugins/acme does not request https://stats.acme.example.org/v2")
      assert.include(other.output, `GET ${url}: not in the recording`)
      const recorded = yield* plumbline(...record, `${url}=${answer}`)
      assert.match(recorded.output, /ACME {2}nodes_online +42 +count/)

      // A list of saved answers names its files from where it lies, or from the root.
      const list = join(folder, "saved/list.json")
      mkdirSync(join(folder, "saved"))
      for (const file of [answer, "../answer.json"]) {
        writeFileSync(list, JSON.stringify([{ url, file }]))
        const { code, output } = yield* plumbline(...record.slice(0, -1), "--exchanges", list)
        assert.strictEqual(code, 0, output)
        assert.match(output, /ACME {2}nodes_online +42 +count/)
      }

      const cases = yield* plumbline("plugin", "cases", "acme")
      assert.strictEqual(cases.code, 0, cases.output)
      const passed = yield* plumbline("plugin", "check", "acme", "--strict")
      assert.strictEqual(
        passed.output,
        `ok    acme
  note   manifest: no public sign of life is written down: stats.acme.example.org
         write what you read of it, with its day and its source, in core/catalog/signs-of-life.json
passed: 1 plugin, 0 wrong, 0 to do
`
      )
      assert.strictEqual(passed.code, 0)

      const none = yield* plumbline("replay", "acme", "--case", "none")
      assert.include(
        none.output,
        "unknown case fixtures/acme/none (available: changed-shape, measured-zero, "
      )
      // Fields that must be there leave nothing to be left out.
      rewrite(index, [/as_of: /, 'needs: ["nodes_online", "storage_bytes"], as_of: '])
      const stuck = yield* plumbline("plugin", "cases", "acme")
      assert.strictEqual(stuck.code, 1)
      assert.match(
        stuck.output,
        /(npx plumbline|node \S+) record acme --case missing-field --edit '\/exchanges\/0\/body\//
      )
      const edits = ["--edit", "/exchanges/0/body/nodes_online", "--edit", "/exchanges/0/body/more=1"]
      const byHand = yield* plumbline("record", "acme", "--case", "null-count", ...edits)
      assert.include(byHand.output, "wrote 1 exchange in fixtures/acme/null-count")
      assert.include(byHand.output, "UpstreamChanged")
      const replayed = yield* plumbline("replay", "acme", "--case", "null-count")
      assert.strictEqual(replayed.code, 0, replayed.output)
      rewrite(index, [/export default/, "export default ("])
      for (const args of [
        ["record", "acme"],
        ["plugin", "readme"],
        ["plugin", "check", "acme"]
      ]) {
        assert.match((yield* plumbline(...args)).output, /index\.ts, line \d+ cannot be imported: /)
      }
    }),
  180_000
)
