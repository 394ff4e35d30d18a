/**
 * The process that reads long histories from the archive with DuckDB. It is apart from the service because its memory is:
 * it ends itself above a ceiling, and the service starts another one. It may read the given folder and nothing else.
 * Arguments: the folder, the ceiling in MiB.
 */
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api"
import type { Columns, FromChild, Query, Rows, ToChild } from "./queries.ts"

const [folder = "", ceiling = "512"] = process.argv.slice(2)
const mebibyte = 1024 * 1024

const tell = (message: FromChild): void => {
  process.send?.(message)
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A text as SQL writes it. Only paths and settings of ours come here: names of series are parameters. */
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`

const duckdb = await import("@duckdb/node-api").catch((error: unknown) => {
  tell({ missing: text(error) })
  process.disconnect()
  return undefined
})

/** The rows of the wanted series in the files. */
const fromClause = (files: ReadonlyArray<string>): string => `
  from read_parquet([${files.map(quoted).join(", ")}]) p
    join (
      select unnest($ids) as id, unnest($symbols) as symbol, unnest($metrics) as metric, unnest($sources) as source
    ) s on p.metric = s.metric and p.symbol = s.symbol and p.source = s.source`

const serve = async ({ DuckDBInstance, INTEGER, LIST, listValue, VARCHAR }: NonNullable<typeof duckdb>) => {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "2",
    memory_limit: `${Math.floor(Number(ceiling) / 2)}MiB`,
    temp_directory: ""
  })
  const connection = await instance.connect()
  for (const setting of [
    `set allowed_directories = [${quoted(folder)}]`,
    "set enable_external_access = false",
    // A published file never changes, so neither does its footer, which takes longer to read than a series.
    "set parquet_metadata_cache = true",
    "set lock_configuration = true"
  ])
    await connection.run(setting)

  const namesOf = ({ from, ids, metrics, sources, symbols, to }: Query) => ({
    values: {
      ids: listValue(ids),
      symbols: listValue(symbols),
      metrics: listValue(metrics),
      sources: listValue(sources),
      from,
      to
    },
    types: {
      ids: LIST(INTEGER),
      symbols: LIST(VARCHAR),
      metrics: LIST(VARCHAR),
      sources: LIST(VARCHAR),
      from: INTEGER,
      to: INTEGER
    }
  })

  const columnsOf = async (query: Query): Promise<Columns> => {
    const { types, values } = namesOf(query)
    const read = await connection.stream(
      `select s.id::integer, (p.day - date '1970-01-01')::integer as day, p.version, p.n_observations, p.value
      ${fromClause(query.files)}
      where p.excluded_by is null and p.day between date '1970-01-01' + $from and date '1970-01-01' + $to
      order by s.id, p.day, p.version`,
      values,
      types
    )
    const ids: Array<number> = []
    const ends: Array<number> = []
    const heads: { day: Array<number>; version: Array<number> } = { day: [], version: [] }
    const days = new Growing(Int32Array)
    const cells = new Growing(Float64Array)
    // The rows of a day come in a row, its newest version last.
    const last = { id: -1, day: 0, version: 0, n: 0, value: 0 }
    const keep = () => {
      if (last.n === 0) return
      if (ids.at(-1) !== last.id) {
        ids.push(last.id)
        ends.push(days.length)
        heads.day.push(last.day)
        heads.version.push(last.version)
      }
      days.push(last.day)
      cells.push(last.value)
      const at = ends.length - 1
      ends[at] = days.length
      heads.day[at] = last.day
      heads.version[at] = last.version
    }
    for (
      let chunk = await read.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await read.fetchChunk()
    ) {
      const [id, day, version, n, value] = vectorsOf(chunk)
      for (let row = 0; row < chunk.rowCount; row++) {
        const of = Number(id?.getItem(row))
        const on = Number(day?.getItem(row))
        if (last.id !== of || last.day !== on) keep()
        last.id = of
        last.day = on
        last.version = Number(version?.getItem(row))
        last.n = Number(n?.getItem(row))
        last.value = Number(value?.getItem(row))
      }
    }
    keep()
    return {
      ids,
      ends,
      days: days.all(),
      values: cells.all(),
      ...(await headsOf(connection, query, ids, heads))
    }
  }

  /** The address and time of the newest day of each series. */
  const headsOf = async (
    on: DuckDBConnection,
    query: Query,
    ids: ReadonlyArray<number>,
    { day, version }: { readonly day: ReadonlyArray<number>; readonly version: ReadonlyArray<number> }
  ): Promise<Pick<Columns, "as_ofs" | "simulated" | "verify_urls">> => {
    const place = new Map(query.ids.map((id, at) => [id, at]))
    const named = (names: ReadonlyArray<string>) =>
      listValue(ids.map((id) => names[place.get(id) ?? -1] ?? ""))
    const read = await on.runAndReadAll(
      `select n, p.verify_url, epoch_ms(p.as_of)::double as as_of, p.simulated
      from read_parquet([${query.files.map(quoted).join(", ")}]) p
        join (
          select unnest(range(len($days))) as n, unnest($symbols) as symbol, unnest($metrics) as metric,
            unnest($sources) as source, date '1970-01-01' + unnest($days) as day, unnest($versions) as version
        ) s on p.metric = s.metric and p.symbol = s.symbol and p.source = s.source and p.day = s.day
          and p.version = s.version
      where p.excluded_by is null order by n`,
      {
        symbols: named(query.symbols),
        metrics: named(query.metrics),
        sources: named(query.sources),
        days: listValue(day),
        versions: listValue(version)
      },
      {
        symbols: LIST(VARCHAR),
        metrics: LIST(VARCHAR),
        sources: LIST(VARCHAR),
        days: LIST(INTEGER),
        versions: LIST(INTEGER)
      }
    )
    const [, urls = [], times = [], simulated = []] = read.getColumns()
    if (urls.length !== ids.length) throw new Error("the archive has a day twice, or not at all")
    return {
      verify_urls: urls.map(String),
      as_ofs: times.map(Number),
      simulated: simulated.map((one) => one === true)
    }
  }

  const rowsOf = async (query: Query): Promise<Rows> => {
    const { types, values } = namesOf(query)
    const read = await connection.runAndReadAll(
      `select s.id::integer, (p.day - date '1970-01-01')::integer as day, coalesce(p.excluded_by, 0) as incident,
        p.version, p.value, p.value_text, p.n_observations, epoch_ms(p.as_of)::double as as_of, p.verify_url, p.simulated
      ${fromClause(query.files)}
      where p.day between date '1970-01-01' + $from and date '1970-01-01' + $to`,
      values,
      types
    )
    const [
      id = [],
      day = [],
      incident = [],
      version = [],
      value = [],
      texts = [],
      n = [],
      as_of = [],
      urls = [],
      simulated = []
    ] = read.getColumns()
    return {
      id: id.map(Number),
      day: day.map(Number),
      incident: incident.map(Number),
      version: version.map(Number),
      value: value.map(Number),
      value_text: texts.map((one) => (one === null ? null : String(one))),
      n_observations: n.map(Number),
      as_of: as_of.map(Number),
      verify_url: urls.map(String),
      simulated: simulated.map((one) => one === true)
    }
  }

  process.on("message", (message: ToChild) => {
    if ("cancel" in message) return connection.interrupt()
    const { query } = message
    const answer =
      query.kind === "columns"
        ? columnsOf(query).then((columns): FromChild => ({ columns }))
        : rowsOf(query).then((rows): FromChild => ({ rows }))
    answer.catch((error: unknown): FromChild => ({ failed: text(error) })).then(tell)
  })
  tell({ ready: true })
}

/** The columns of a chunk, whose values are read one by one: an array of them would be made for nothing. */
const vectorsOf = (chunk: DuckDBDataChunk) =>
  Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnVector(column))

/** A typed array that grows. */
class Growing<A extends Float64Array | Int32Array> {
  length = 0
  #cells: A
  readonly #make: new (
    length: number
  ) => A

  constructor(make: new (length: number) => A) {
    this.#make = make
    this.#cells = new make(1024)
  }

  push(value: number): void {
    if (this.length === this.#cells.length) {
      const larger = new this.#make(this.length * 2)
      larger.set(this.#cells)
      this.#cells = larger
    }
    this.#cells[this.length++] = value
  }

  all(): A {
    const exact = new this.#make(this.length)
    exact.set(this.#cells.subarray(0, this.length))
    return exact
  }
}

// The limit that DuckDB keeps is of its own buffers.
// biome-ignore lint/plugin/loop: a process of its own, which ends with its parent
setInterval(() => {
  if (process.memoryUsage.rss() > Number(ceiling) * mebibyte) process.exit(9)
}, 50).unref()
process.on("disconnect", () => process.exit(0))
if (duckdb !== undefined) await serve(duckdb)
