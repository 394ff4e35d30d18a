/** Which tests a change asks for: those that reach it by imports and executed a changed function in their last record. */
import { type Module, moduleOf } from "./declarations.ts"
import { filesReached, type Graph } from "./reach.ts"
import type { TestRecord } from "./record.ts"

/** A changed file: its text before and after, each undefined where there was none. */
export interface Change {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const parsed = (text: string): Module | undefined => {
  try {
    return moduleOf(text)
  } catch {
    return undefined
  }
}

/**
 * Names of the declarations of which nothing but functions changed. `undefined` where more did: what a module does when it is
 * loaded, a whole file, or no code. New declarations count for nothing: what calls them has changed too.
 */
export const changedFunctions = ({ after, before, path }: Change): ReadonlySet<string> | undefined => {
  if (!/\.[jt]s$/.test(path) || before === undefined || after === undefined) return undefined
  const [old, now] = [parsed(before), parsed(after)]
  if (old === undefined || now === undefined) return undefined
  if (old.statements.join("\n") !== now.statements.join("\n")) return undefined
  const changed = new Set<string>()
  for (const { atLoad, name, text } of now.declarations) {
    const was = old.declarations.find((one) => one.name === name)
    if (was === undefined || was.text === text) continue
    if (was.atLoad !== atLoad) return undefined
    changed.add(name)
  }
  return changed
}

/** @returns test files from the top, sorted. A test without a record, or that starts processes, is chosen by imports. */
export const testsOf = (
  graph: Graph,
  records: ReadonlyMap<string, TestRecord>,
  changes: ReadonlyArray<Change>
): ReadonlyArray<string> => {
  const chosen = new Set<string>()
  for (const change of changes) {
    const reached = filesReached(graph, [change.path])
    const functions = changedFunctions(change)
    const mayRun = (test: string): boolean => {
      const record = records.get(test)
      if (functions === undefined || test === change.path) return true
      if (functions.size === 0) return false
      if (record === undefined || record.startsProcesses) return true
      if (record.threads.some((module) => reached.has(module))) return true
      return (record.executed[change.path] ?? []).some((name) => functions.has(name))
    }
    for (const path of reached)
      if (graph.files.has(path) && path.endsWith(".test.ts") && mayRun(path)) chosen.add(path)
  }
  return [...chosen].sort()
}
