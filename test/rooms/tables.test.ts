/**
 * Which room uses which SQL table. A table has one owner, the room of `core` that writes it; what other rooms read of it is listed in
 * `tables.json`, and the list may only shrink: `UPDATE=shrink npx vitest run --config test/vitest.config.ts rooms/tables` takes off what
 * is gone, and nothing adds to it. It sees neither triggers nor names of tables that are made at run time.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { top } from "../support/reach.ts"
import { textsOf } from "../support/sqlTexts.ts"

const list = new URL("tables.json", import.meta.url)
const listed: ReadonlyArray<string> = JSON.parse(readFileSync(list, "utf8"))

const writes =
  /\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into)\s+(?:only\s+)?"?([a-z_0-9]+)"?/gi
const reads = /\b(?:from|join|using)\s+(?:only\s+|lateral\s+)?"?([a-z_0-9]+)"?/gi

/** From the ground up: of several rooms that write a table the first owns it. */
const floors = [
  "sql",
  "readings",
  "log",
  "credits",
  "events",
  "webhooks",
  "alerts",
  "publications",
  "products"
].map((room) => `core/${room}`)

const roomOf = (path: string): string => path.split("/").slice(0, 2).join("/")

const floorOf = (room: string): number => (floors.indexOf(room) + floors.length + 1) % (floors.length + 1)

interface Use {
  readonly writers: Set<string>
  readonly readers: Set<string>
}

const namesIn = (text: string, pattern: RegExp, tables: ReadonlySet<string>): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => tables.has(name))

/** Who reads and writes each table, by its name. */
const usesIn = (sources: ReadonlyMap<string, string>, tables: ReadonlySet<string>) => {
  const uses = new Map<string, Use>()
  const use = (name: string): Use => {
    const there = uses.get(name) ?? { writers: new Set(), readers: new Set() }
    uses.set(name, there)
    return there
  }
  for (const [path, source] of sources) {
    for (const text of textsOf(source)) {
      for (const name of namesIn(text, writes, tables)) use(name).writers.add(roomOf(path))
      for (const name of namesIn(text, reads, tables)) use(name).readers.add(roomOf(path))
    }
  }
  return uses
}

/** What rooms do with tables of others, such as `daily (core/readings) core/alerts reads`. */
const crossingsOf = (uses: ReadonlyMap<string, Use>): ReadonlyArray<string> =>
  [...uses]
    .flatMap(([table, { readers, writers }]) => {
      const [owner = [...readers].sort()[0]] = [...writers].sort((a, b) => floorOf(a) - floorOf(b))
      return [...new Set([...readers, ...writers])]
        .filter((room) => room !== owner)
        .map((room) => `${table} (${owner}) ${room} ${writers.has(room) ? "writes" : "reads"}`)
    })
    .sort()

const sources = new Map(
  globSync(
    ["core", "runtime", "http", "mcp"].map((room) => `${room}/**/*.ts`),
    { cwd: top }
  )
    .filter((path) => !path.includes("node_modules") && !path.includes("/client/"))
    .map((path) => [path, readFileSync(join(top, path), "utf8")])
)
const isMigration = (path: string): boolean => path.startsWith("core/migrations")
const tables = new Set(
  [...sources]
    .filter(([path]) => isMigration(path))
    .flatMap(([, source]) =>
      [...source.matchAll(/create table (?:if not exists )?([a-z_0-9]+)/g)].map(([, name = ""]) => name)
    )
)
const uses = usesIn(
  new Map([...sources].filter(([path, source]) => !isMigration(path) && /\bsql\b/i.test(source))),
  tables
)
const crossings = crossingsOf(uses)

describe("the tables", () => {
  it("are used by no further room", () => {
    assert.deepStrictEqual(
      crossings.filter((crossing) => !listed.includes(crossing)),
      [],
      "add a function to the room that owns the table, and call that"
    )
  })

  it("are written by their owners alone", () => {
    assert.deepStrictEqual(
      crossings.filter((crossing) => crossing.endsWith(" writes")),
      []
    )
  })

  it("are listed for no room that no longer uses them", () => {
    const remaining = listed.filter((crossing) => crossings.includes(crossing))
    if (process.env["UPDATE"] === "shrink") writeFileSync(list, `${JSON.stringify(remaining, null, 2)}\n`)
    else assert.deepStrictEqual(listed, remaining, "take what is gone off the list: UPDATE=shrink")
  })

  it("shows a write from another room, wherever the statement stands", () => {
    const planted = new Map([
      ["core/readings/days.ts", "sql`insert into daily select 1`"],
      ["core/alerts/judge.ts", "sql`with a as ($" + "{sql`delete from daily`}) select 1` // update latest"]
    ])
    assert.deepStrictEqual(crossingsOf(usesIn(planted, tables)), ["daily (core/readings) core/alerts writes"])
  })
})
