/** The archive as views of DuckDB: a script that is made of the list of files. */
import { networks } from "../../catalog/Catalog.ts"
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

/** Where the catalog says which of several sources answers for a metric of a network: rows of `values`. */
const primaries: ReadonlyArray<string> = networks.flatMap(({ primary = {}, symbol }) =>
  Object.entries(primary).map(([metric, source]) => `(${[symbol, metric, source].map(quoted).join(", ")})`)
)

/** A table of these rows, with none if there are none. */
const primaryTable =
  primaries.length === 0
    ? "select '' as symbol, '' as metric, '' as source where false"
    : `select * from (values ${primaries.join(", ")}) as of_catalog(symbol, metric, source)`

const commented = (text: string): string => text.replace(/^/gm, "-- ")

/**
 * Statements for `duckdb`: the leaves by the files of days, by the fewest files, and the values of days as they are served. `openFrom`:
 * the first day of which files of months and years need no key; the statement that reads older ones is a comment.
 */
export const duckdbScript = (
  baseUrl: string,
  { files, generated_utc, simulated }: ArchiveIndex,
  openFrom: string
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
  const open = fewestFiles(files.filter(({ first_day, period }) => period === "day" || first_day >= openFrom))
  const fewest = fewestFiles(files)
  return `${head}
install httpfs;
load httpfs;

-- Every leaf that was published, once, with its hashes: ${rowsIn(days)} rows of ${days.length} days. The files of single days need no key.
create or replace view leaves as
select * from ${read(baseUrl, days)};

-- The value of each day as it is served: the newest version of its accepted readings, of the one source that answers where
-- several report. A day that was withdrawn is not there.
create or replace view days as
with accepted as (
  select * from leaves where excluded_by is null
  qualify row_number() over (partition by symbol, metric, source, day order by version desc) = 1
), catalog_primary as (
  ${primaryTable}
), answering as (
  select symbol, metric, accepted.source from accepted left join catalog_primary as p using (symbol, metric)
  where n_observations > 0
  qualify row_number() over (partition by symbol, metric order by coalesce(accepted.source = p.source, false) desc, as_of desc, accepted.source) = 1
)
${withoutHashes} from accepted semi join answering using (symbol, metric, source) where n_observations > 0;

-- The leaves again, without hashes, from the fewest files that need no key: ${rowsIn(open)} rows of ${open.length} files, each day once. Ask \`from compact()\`.
create or replace macro compact() as table
${withoutHashes} from ${read(baseUrl, open)};
${
  open.length === fewest.length
    ? ""
    : `
-- With a key of a tier with the full history, fewer files have them all: ${fewest.length}. Uncomment, and ask \`from compact_all()\`.
-- create secret (type http, scope ${quoted(baseUrl)}, extra_http_headers map {'X-API-Key': '<your key>'});
${commented(`create or replace macro compact_all() as table
${withoutHashes} from ${read(baseUrl, fewest)};`)}
`
}`
}
