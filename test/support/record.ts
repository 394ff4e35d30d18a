/**
 * Which declarations each test file executes: what `test/quick.ts` chooses tests by. `npm run test:record` makes it; no other run
 * pays for it.
 */
import { subscribe } from "node:diagnostics_channel"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type Profiler, Session } from "node:inspector/promises"
import { syncBuiltinESMExports } from "node:module"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import threads from "node:worker_threads"
import { type Declaration, moduleOf } from "./declarations.ts"

const top = new URL("../..", import.meta.url).pathname

/** Where the record of a working copy is kept: one file for each test file. */
export const recordFolder = join(top, "node_modules/.cache/test-record")

/** What one test file executed. */
export interface TestRecord {
  /** Its path from the top. */
  readonly test: string
  /** Whether it started a process, where nobody looks: then imports decide. */
  readonly startsProcesses: boolean
  /** Modules that it started threads of, from the top: of what these import, imports decide. */
  readonly threads: ReadonlyArray<string>
  /** Names of the declarations in which a function ran, by source file from the top. */
  readonly executed: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Path of a source file of this repository from the top; undefined for all others. */
const sourceOf = (url: string): string | undefined => {
  const path = relative(top, url.startsWith("file://") ? fileURLToPath(url) : url).split("?")[0] ?? ""
  return /^(?:core|http|mcp|plugins|runtime|test)\/.*\.[jt]s$/.test(path) ? path : undefined
}

const session = new Session()
let processes = 0
const started = new Set<string>()

/** Notes the module of each thread, which no event of Node tells. */
const noteThreads = (): void => {
  threads.Worker = class extends threads.Worker {
    constructor(...[module, options]: ConstructorParameters<typeof threads.Worker>) {
      super(module, options)
      started.add(sourceOf(String(module)) ?? "")
    }
  }
  syncBuiltinESMExports()
}

/** What was read of a script, which is the same for each file that this process runs. */
const declarationsOf = new Map<string, ReadonlyArray<Declaration>>()

const read = async (scriptId: string): Promise<ReadonlyArray<Declaration>> => {
  const parsed = declarationsOf.get(scriptId)
  if (parsed !== undefined) return parsed
  const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId })
  const { declarations } = moduleOf(scriptSource, "js")
  declarationsOf.set(scriptId, declarations)
  return declarations
}

const executedIn = async ({
  functions,
  scriptId
}: Profiler.ScriptCoverage): Promise<ReadonlyArray<string>> => {
  const ran = functions.flatMap(({ ranges: [range] }) =>
    range === undefined || range.count === 0 ? [] : [range.startOffset]
  )
  const declarations = await read(scriptId)
  return declarations
    .filter(({ end, start }) => ran.some((offset) => start <= offset && offset < end))
    .map(({ name }) => name)
}

let isOn = false

/** Begins the record of a file, in a process that may have run others. */
export const begin = async (): Promise<void> => {
  if (!isOn) {
    isOn = true
    session.connect()
    subscribe("child_process", () => void processes++)
    noteThreads()
    await session.post("Profiler.enable")
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  }
  processes = 0
  started.clear()
  // What was counted until now is another file's.
  await session.post("Profiler.takePreciseCoverage")
}

/** Writes what a file executed since it began. */
export const end = async (path: string): Promise<void> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  await session.post("Debugger.enable")
  const executed: Record<string, ReadonlyArray<string>> = {}
  for (const script of result) {
    const source = sourceOf(script.url)
    if (source === undefined) continue
    const names = await executedIn(script)
    if (names.length > 0) executed[source] = names
  }
  await session.post("Debugger.disable")
  const test = relative(top, path)
  const record: TestRecord = { test, startsProcesses: processes > 0, threads: [...started], executed }
  mkdirSync(recordFolder, { recursive: true })
  writeFileSync(join(recordFolder, `${test.replaceAll("/", "+")}.json`), JSON.stringify(record))
}

/** The last record of each test file, by its path from the top; empty if none was made. */
export const readRecords = (): ReadonlyMap<string, TestRecord> =>
  new Map(
    (existsSync(recordFolder) ? readdirSync(recordFolder) : []).map((name) => {
      const record: TestRecord = JSON.parse(readFileSync(join(recordFolder, name), "utf8"))
      return [record.test, record]
    })
  )
