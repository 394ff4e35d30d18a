/** How the embedded Postgres is started, and its errors in words. */
import { PGlite } from "@electric-sql/pglite"

/** The files that the engine keeps open. By default it is a thousand, one for each table and index that was ever read. */
export const mostFiles = 160

/**
 * Postgres fills its shared buffers with zeros when it starts, so all of them are resident from then on: 128 MiB by
 * default. Beyond these it reads from the page cache of the system, which a query hardly notices.
 */
export const startParams: Array<string> = [
  ...PGlite.defaultStartParams,
  ...["-c", "shared_buffers=32MB"],
  ...["-c", `max_files_per_process=${mostFiles}`]
]

/** Makes the folder of a database. */
export const initdb = async (dataDir: string): Promise<void> => {
  const database = await PGlite.create({ dataDir, startParams })
  await database.close()
}

/** File system errors carry only an error number from Emscripten's `wasi/api.h`. */
const numbers: Readonly<Record<number, string>> = {
  2: "the folder is not writable",
  51: "no space left on the disk",
  69: "the file system is read-only"
}

/** The engine gives up without words of its own: Emscripten's tell its programmers how to build it. */
const abort = /Aborted\(|unreachable|memory access out of bounds|RuntimeError/

export const messageOf = (error: unknown): string => {
  if (error instanceof Error && abort.test(`${error.name}: ${error.message}`)) return "its files are damaged"
  if (error instanceof Error && error.message !== "") return error.message
  const number = Number(Object(error)["errno"])
  return numbers[number] ?? `file system error ${number}`
}
