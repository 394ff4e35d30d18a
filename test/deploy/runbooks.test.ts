/** The runbooks: one page for each alert, whose queries, metrics and links hold. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Reason, Warning } from "../../core/wire/log/readiness.ts"
import { postgres } from "../support/database.ts"

const deploy = new URL("../../runtime/deploy/", import.meta.url).pathname
const folder = join(deploy, "runbooks")
const rules = readFileSync(join(deploy, "alerts.yml"), "utf8")
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? "")
const pages = readdirSync(folder).filter((name) => name !== "README.md")
const textOf = (name: string) => readFileSync(join(folder, name), "utf8")

const headings = ["What to look at", "What to do", "When it is over"]

/** Every code of `/readyz`, each of which `plumbline_problem` has as well. */
const codes = [...new Set([...Reason.fields.code.literals, ...Warning.fields.code.literals])]

/** The alerts of each code, as the table of the runbooks has them. */
const alertsOf = new Map(
  [...textOf("README.md").matchAll(/^\| (`[^|]*`) \| ([^|]*) \|$/gm)].flatMap(([, names = "", links = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(
      ([, code = ""]) => [code, [...links.matchAll(/\[(\w+)\]/g)].map(([, alert = ""]) => alert)] as const
    )
  )
)

describe("the runbooks", () => {
  it("are led to by every code of /readyz, over an alert that looks at it or at its own metric", () => {
    assert.deepStrictEqual([...alertsOf.keys()].sort(), [...codes].sort())
    const exprs = new Map(
      [...rules.matchAll(/- alert: (\w+)\n +expr: ((?:.|\n)*?)\n +for:/g)].map(([, name = "", expr = ""]) => [
        name,
        expr
      ])
    )
    const problems = [...rules.matchAll(/plumbline_problem\{code=~?"([\w|]+)"\}/g)].flatMap(
      ([, names = ""]) => names.split("|")
    )
    assert.deepStrictEqual(
      problems.filter((code) => !alertsOf.has(code)),
      []
    )
    for (const [code, of] of alertsOf) {
      assert.isNotEmpty(of, code)
      for (const alert of of) {
        // What makes an alert wait for another is not what it is about.
        const expr = exprs.get(alert)?.split("unless")[0]
        assert.isDefined(expr, `${code}: ${alert}`)
        // A code without a metric of its own is looked at by its name.
        if (expr?.includes("plumbline_problem") === true)
          assert.match(expr, new RegExp(`\\b${code}\\b`), alert)
        assert.include(textOf(`${alert}.md`), code, `${alert}.md does not say of which code it is`)
      }
    }
  })

  it("are one for each alert, which names its own", () => {
    assert.deepStrictEqual(pages.sort(), alerts.map((name) => `${name}.md`).sort())
    const urls = [...rules.matchAll(/- alert: (\w+)[\s\S]*?runbook_url: "(.*)"/g)]
    assert.deepStrictEqual(
      urls.map(([, , url]) => url),
      alerts.map((name) => `file:///opt/plumbline/runtime/deploy/runbooks/${name}.md`)
    )
    for (const alert of alerts) assert.include(textOf("README.md"), `(${alert}.md)`)
  })

  it.each(pages)("%s says what it means, what users notice, what to do, and when it is over", (name) => {
    const text = textOf(name)
    assert.isTrue(text.startsWith(`# ${name.replace(".md", "")}\n`))
    assert.match(text, /\n\*\*A user notices:\*\* .{10}/)
    assert.deepStrictEqual(
      [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
      headings
    )
    assert.include(text, "```sh")
  })

  it("say of every kind of payment that waits what it is", () => {
    const sampled = readFileSync(join(deploy, "../metrics/sampled.ts"), "utf8")
    const kinds = [...sampled.matchAll(/set\(onHold, [^)]*kind: "(\w+)"/g)].map(([, kind]) => kind)
    assert.deepStrictEqual(kinds, ["card_order", "stablecoin_transfer", "warranty"])
    assert.include(textOf("PlumblinePaymentHeld.md"), 'kind="warranty"')
  })

  it.each([...pages, "README.md"])("%s leads only to files and headings that exist", (name) => {
    for (const [link, path = "", anchor] of textOf(name).matchAll(/\]\(([^)#:]+)(?:#([^)]+))?\)/g)) {
      const target = join(folder, path)
      assert.isTrue(existsSync(target), link)
      if (anchor === undefined) continue
      const anchors = [...readFileSync(target, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        heading
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, "")
          .replaceAll(" ", "-")
      )
      assert.include(anchors, anchor, link)
    }
  })

  it.effect("have queries that the database takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queries = pages.flatMap((name) =>
        [...textOf(name).matchAll(/psql "\$DATABASE_URL" -c "([^"]+)"/g)].map(([, query = ""]) => query)
      )
      assert.isAbove(queries.length, 15)
      for (const query of queries) yield* sql.unsafe(query)
    }).pipe(Effect.provide(postgres))
  )
})
