/** The archive as views of DuckDB: a script that is made of the list of files. */
import { archivePath, dayColumns } from "../../proof/archive.ts"
import type { ArchiveIndex } from "../../wire/log/archive.ts"
import { catalogs } from "../archive/catalogs.ts"

type ArchivedFile = ArchiveIndex["files"][number]

const contains = (whole: ArchivedFile, part: ArchivedFile): boolean =>
  whole.first_day <= part.first_day && part.last_day <= whole.last_day

/** The fewest files that have each row once: years, the months that are in none of them, and the days that are in neither. */
export const fewestFiles = (files: ReadonlyArray<ArchivedFile>): ReadonlyArray<ArchivedFile> => {
  const of = (period: ArchivedFile["period"]) => files.filter((file) => file.period === period)
  const years = of("year")
  const months = of("month").filter((month) => !years.some((year) => contains(year, month)))
  const days = of("day").filter((day) => ![...years, ...months].some((whole) => contains(whole, day)))
  return [...years, ...months, ...days].sort((a, b) => (a.first_day < b.first_day ? -1 : 1))
}

const hashes = dayColumns.flatMap(({ name, type }) => (type === "hash" ? [`'${name}'`] : []))

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const rowsIn = (files: ReadonlyArray<ArchivedFile>): string =>
  files.reduce((sum, { rows }) => sum + rows, 0).toLocaleString("en")

const read = (baseUrl: string, files: ReadonlyArray<ArchivedFile>): string => `read_parquet([
${files.map(({ name }) => `  ${quoted(`${baseUrl}${archivePath}/${name}`)}`).join(",\n")}
], union_by_name = true)`

const withoutHashes = `select columns(name -> name not in (${hashes.join(", ")}))`

/** Statements for `duckdb`: the leaves by the files of days, by the fewest files, and the values of days as they are served. */
export const duckdbScript = (
  baseUrl: string,
  { files, generated_utc, keyless_days, simulated }: ArchiveIndex
): string => {
  const days = files.filter(({ period }) => period === "day").toReversed()
  const head = `-- The archive of ${baseUrl} as views of DuckDB (https://duckdb.org). Run it, or paste it:
--   curl -s '${baseUrl}${catalogs.duckdb}' -o plumbline.sql && duckdb plumbline.duckdb < plumbline.sql
-- Made at ${generated_utc} of the ${files.length} files of ${baseUrl}${archivePath}/; later files are in a later script.
-- Files never change: their SHA-256 are in ${baseUrl}${archivePath}/SHA256SUMS and in the log.${
    simulated === true ? "\n-- These values were generated for a demo and never measured." : ""
  }
`
  if (days.length === 0)
    return `${head}\n-- There is no file yet: the first is published after the first close.\n`
  const fewest = fewestFiles(files)
  return `${head}
install httpfs;
load httpfs;

-- Every leaf that was published, once, with its hashes: ${rowsIn(days)} rows of ${days.length} days. The files of single days need no key.
create or replace view leaves as
select * from ${read(baseUrl, days)};

-- The value of each day as it is served: the newest version of its accepted readings. A day that was withdrawn is not there.
create or replace view days as
${withoutHashes} from (
  select * from leaves where excluded_by is null
  qualify row_number() over (partition by symbol, metric, source, day order by version desc) = 1
) where n_observations > 0;

-- The leaves again, without hashes, from the fewest files: ${rowsIn(fewest)} rows of ${fewest.length} files, each day once. Ask \`from compact()\`.
-- Files of months and years that begin more than ${keyless_days} days ago need a key of a tier with the full history:
--   create secret (type http, scope ${quoted(baseUrl)}, extra_http_headers map {'X-API-Key': '<your key>'});
create or replace macro compact() as table
${withoutHashes} from ${read(baseUrl, fewest)};
`
}
