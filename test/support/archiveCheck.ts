/** Two programs of others that check the archive of a service: DuckDB reads the files, and Python compares them with the log. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { DuckDBInstance } from "@duckdb/node-api"
import { pathOf } from "./programs.ts"

const script = new URL("archiveCheck.py", import.meta.url).pathname

/** Python does not wait in this thread: the service that it asks may run here. */
const run = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)(pathOf("python"), [script, ...args])
  return stdout.split("\n").filter((line) => line !== "")
}

/** The rows of a day's file, and what the file says of itself. */
const rowsOf = async (path: string) => {
  const duckdb = await (await DuckDBInstance.create()).connect()
  const [[statement] = []] = (
    await duckdb.runAndReadAll(
      `select decode(value) from parquet_kv_metadata('${path}') where decode(key) = 'plumbline'`
    )
  ).getRows()
  const rows = await duckdb.runAndReadAll(`
    select strftime(day, '%Y-%m-%d') as day, symbol, metric, source, unit, value, value_text,
      epoch_ms(as_of)::double as as_of, n_observations, verify_url, kind, version, excluded_by,
      epoch_ms(recorded_at)::double as recorded_at, simulated, lower(hex(readings_sha256)) as readings_sha256,
      lower(hex(follows)) as follows, lower(hex(leaf_hash)) as leaf_hash
    from '${path}'`)
  return { statement, rows: rows.getRowObjects() }
}

/** Fetches what a caller without a key may read. Returns the names of the files. */
export const fetchFiles = (address: string, folder: string, key: string) => run("fetch", address, folder, key)

/** Compares the rows of days with the log. Returns a line for each day; fails where one differs. */
export const compareDays = (folder: string) => run("check", folder)

/** The same for the files of days among these. */
export const checkFiles = async (folder: string, names: ReadonlyArray<string>) => {
  for (const name of names.filter((name) => name.startsWith("daily/"))) {
    const path = join(folder, name)
    writeFileSync(path.replace(/parquet$/, "json"), JSON.stringify(await rowsOf(path)))
  }
  return compareDays(folder)
}
