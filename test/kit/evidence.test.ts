/** `plugin evidence`: what a manifest says of source files is compared with checkouts, here small ones of made-up repositories. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import { membersRead } from "../../runtime/contributor/check/fields.ts"
import { examine, exitCode, report } from "../../runtime/contributor/evidence/examine.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-evidence-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.example",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.example"
}

const git = (at: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", at, ...args], {
    encoding: "utf8",
    env: environment,
    stdio: ["ignore", "pipe", "ignore"]
  })

/** Commits one file to a repository, which is made if need be. Returns the commit. */
const commit = (repository: string, path: string, text: string): string => {
  mkdirSync(join(repository, dirname(path)), { recursive: true })
  git(repository, "init", "--quiet")
  writeFileSync(join(repository, path), text)
  git(repository, "add", ".")
  git(repository, "commit", "--quiet", "--message", "one")
  return git(repository, "rev-parse", "HEAD").trim()
}

const manifest = (...evidence: NonNullable<Manifest["evidence"]>): Manifest => ({
  id: "acme",
  title: "Acme",
  covers: { networks: ["EGLD"] },
  tier: "supply_telemetry",
  source: "acme",
  hosts: ["stats.example.net"],
  every: "1 hour",
  metrics: {},
  grade: "A",
  owner: "tests",
  evidence
})

const economics = `export class Economics {
  totalSupply: number = 0;
  circulating_supply: number = 0;
}
`

const path = "src/economics.ts"
const members = ["totalSupply", "totalValidators"]
const entryOf = (hash: string) => ({ source: `acme/api@${hash} ${path}:2`, read: "2026-11-01", members })

const examined = (from: string, hash: string, read: ReadonlyArray<string> = []) =>
  examine(manifest(entryOf(hash)), new Set(read), from)

describe("evidence", () => {
  it.effect("names the members that its file does not have", () =>
    Effect.gen(function* () {
      const from = yield* folder
      const hash = commit(join(from, "acme/api"), path, economics)
      const examination = yield* examined(from, hash)
      assert.deepStrictEqual(examination.entries[0]?.missing, ["totalValidators"])
      assert.deepStrictEqual(examination.entries[0]?.mentions, [
        { member: "totalSupply", written: "totalSupply", lines: [2] }
      ])
      assert.strictEqual(exitCode(examination), 1)
      assert.include(report(examination), "missing: totalValidators is not in the file")
    })
  )

  it.effect("accounts for what the plugin reads, in whatever spelling the file has it", () =>
    Effect.gen(function* () {
      const from = yield* folder
      const hash = commit(join(from, "acme/api"), path, economics)
      const { unaccounted } = yield* examined(from, hash, ["circulatingSupply", "totalStaked"])
      assert.deepStrictEqual(unaccounted, ["totalStaked"])
      const document = { source: "https://acme.example/docs", read: "2026-11-01", members: ["totalStaked"] }
      const both = yield* examine(
        manifest({ ...entryOf(hash), members: ["totalSupply"] }, document),
        new Set(["circulatingSupply", "totalStaked"]),
        from
      )
      assert.deepStrictEqual(both.unaccounted, [])
      assert.strictEqual(exitCode(both), 0)
    })
  )

  it.effect("shows the limits, selections and defaults near a member, with their lines", () =>
    Effect.gen(function* () {
      const from = yield* folder
      const source = `DEFAULT_PAGE = 1

@router.get("/miners")
def miners(top: int = Query(32, le=256), limiter=None):
    rows = db.all("SELECT * FROM miners WHERE active LIMIT ?", top)
    return {"miner_count": len(rows)}
${"\n".repeat(60)}
def other(limit=5): pass
export default other
`
      const hash = commit(join(from, "affine"), "api/miners.py", source)
      const { entries } = yield* examine(
        manifest({
          source: `acme/affine@${hash} api/miners.py`,
          read: "2026-11-01",
          members: ["miner_count"]
        }),
        new Set(),
        from
      )
      assert.deepStrictEqual(
        entries[0]?.remarks.map(({ number }) => number),
        [1, 4, 5]
      )
      assert.include(entries[0]?.remarks[1]?.text, "top: int = Query(32, le=256)")
    })
  )

  it.effect.each(["acme/api", "acme+api", "api", "acme+api/repo"])(
    "is read in the checkout %s, at its commit",
    (place) =>
      Effect.gen(function* () {
        const from = yield* folder
        const hash = commit(join(from, place), path, economics)
        commit(join(from, place), path, "nothing of it\n")
        const examination = yield* examined(from, hash.slice(0, 9))
        assert.deepStrictEqual(examination.entries[0]?.read, {
          checkout: join(from, place),
          isOfCommit: true
        })
        assert.deepStrictEqual(examination.entries[0]?.missing, ["totalValidators"])
      })
  )

  it.effect("is read in a bare repository", () =>
    Effect.gen(function* () {
      const [from, other] = [yield* folder, yield* folder]
      const hash = commit(other, path, economics)
      execFileSync("git", ["clone", "--quiet", "--bare", other, join(from, "acme+api/repo")], {
        env: environment
      })
      const examination = yield* examined(from, hash)
      assert.strictEqual(examination.entries[0]?.read?.isOfCommit, true)
      // Of a commit that is not there, its newest file; and the report says so.
      const later = yield* examined(from, "0123abcd")
      assert.strictEqual(later.entries[0]?.read?.isOfCommit, false)
    })
  )

  it.effect("says aloud that a checkout has another commit", () =>
    Effect.gen(function* () {
      const from = yield* folder
      commit(join(from, "acme/api"), path, economics)
      const examination = yield* examined(from, "0123abcd")
      assert.deepStrictEqual(examination.entries[0]?.missing, ["totalValidators"])
      assert.include(report(examination), "not that commit, which ")
    })
  )

  it.effect("is wrong if its commit has no such file, and unread if there is no checkout", () =>
    Effect.gen(function* () {
      const from = yield* folder
      const none = yield* examined(from, "0123abcd")
      assert.strictEqual(exitCode(none), 2)
      assert.include(report(none), "git clone https://github.com/acme/api there")
      const hash = commit(join(from, "acme/api"), "other.ts", economics)
      const wrong = yield* examined(from, hash)
      assert.strictEqual(exitCode(wrong), 1)
      assert.include(report(wrong), `acme/api@${hash} has no file ${path}`)
      const outside = { ...entryOf(hash), source: `acme/api@${hash} ../secret` }
      const escaping = yield* examine(manifest(outside), new Set(), from)
      assert.include(report(escaping), "leads out of the repository")
    })
  )

  it.effect("gives the terminal nothing but text", () =>
    Effect.gen(function* () {
      const from = yield* folder
      const hash = commit(join(from, "acme/api"), path, "totalSupply limit \u001b[2J\n")
      assert.notInclude(report(yield* examined(from, hash)), "\u001b")
    })
  )
})

describe("the members that a plugin reads", () => {
  const Answer = Schema.Struct({
    data: Schema.Struct({ totalValidators: Fields.count, nodes: Fields.counts })
  })
  const url = "https://stats.example.net/v1"
  const plugin = Plugin.define({
    id: "acme",
    title: "Acme",
    covers: { networks: ["STORJ"] },
    tier: "supply_telemetry",
    source: "acme",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "A",
    metrics: {
      validators: { unit: "count", meaning: "Validators.", min: 0 },
      nodes: { unit: "count", meaning: "Nodes.", min: 0 }
    },
    collect: (observe) =>
      Plugin.one(observe, url, Answer, ({ data }) => ({
        validators: data.totalValidators,
        nodes: Fields.sum(Object.values(data.nodes))
      }))
  })
  it.effect("are those whose change shows, without wrappers and names that are data", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode(
        JSON.stringify({ data: { totalValidators: 3, nodes: { DE: 2, FR: 1 }, price: 1 }, shard: 4 })
      )
      const at = Date.parse("2026-11-01T00:00:00Z")
      const tape = {
        now: at,
        targets: [],
        settings: {},
        exchanges: [
          {
            request: { method: "GET", url } as const,
            at,
            status: 200,
            headers: {},
            sha256: createHash("sha256").update(body).digest("hex"),
            body
          }
        ]
      }
      assert.deepStrictEqual([...(yield* membersRead(plugin, tape))], ["totalValidators"])
    })
  )
})
