/** Recipes: the data in the tools that analysts use. */
import { day as dayMs } from "../../../core/plugin/time.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"
import { columns, row } from "./columns.ts"
import { anchor, block } from "./html.ts"

interface Recipe {
  readonly tool: string
  readonly explanation: string
  /** What to type, by language. */
  readonly blocks: ReadonlyArray<readonly [language: string, text: string]>
}

/** The day before yesterday, the newest that is sure to be closed: year, month and day. */
const closedDay = (now: number) => new Date(now - 2 * dayMs).toISOString().slice(0, 10).split("-")

/** `baseUrl` stands in every command, so that each can be copied as it is; so does a day that is in the archive at `now`. */
export const recipes = (baseUrl: string, now: number): ReadonlyArray<Recipe> => {
  const [year, month, day] = closedDay(now)
  const days = `${baseUrl}/v1/archive/daily/${year}/${month}`
  const history = `${baseUrl}/v1/history?network=FIL,SC&metric=active_storage_providers&days=30&format=csv`
  return [
    {
      tool: "A file",
      explanation: "`format=csv` works for networks, supply, market, revenue, history and revisions.",
      blocks: [["sh", `curl -s '${history}' -o history.csv`]]
    },
    {
      tool: "DuckDB",
      explanation:
        "DuckDB reads the file, and any day of the archive as Parquet. With its extension `httpfs` it reads the same from the " +
        "URL itself. `/v1/archive/` lists the files, and `/v1/archive/duckdb.sql` makes views of all of them.",
      blocks: [
        ["sql", "select symbol, date, value from 'history.csv' order by symbol, date;"],
        [
          "sql",
          "select symbol, max(value) - min(value) as range from 'history.csv' group by symbol order by symbol;"
        ],
        ["sql (httpfs)", `select symbol, metric, value from '${days}/${day}.parquet' where symbol = 'FIL';`],
        [
          "sh (httpfs)",
          `curl -s '${baseUrl}/v1/archive/duckdb.sql' -o plumbline.sql && duckdb plumbline.duckdb < plumbline.sql`
        ]
      ]
    },
    {
      tool: "Iceberg",
      explanation:
        "The files of single days are a table of Apache Iceberg, with a snapshot for each day: its id is the day, and the table as of a time is what " +
        "was known then. DuckDB reads it with its extensions `iceberg` and `httpfs`, by its folder or attached by the address of Iceberg's REST " +
        "catalog, which is read only. Engines that read no `https` attach a copy in a bucket, which `plumbline log publish` writes. " +
        "`/v1/archive/croissant.json` describes the same files as Croissant 1.1, for programs that train models.",
      blocks: [
        [
          "sql (iceberg)",
          `set timezone = 'UTC';
select symbol, metric, value from iceberg_scan('${baseUrl}/v1/archive/iceberg', snapshot_from_id => ${year}${month}${day}) where symbol = 'FIL';`
        ],
        [
          "sql (iceberg, attached)",
          `attach 'plumbline' as plumbline (type iceberg, endpoint '${baseUrl}/iceberg', authorization_type 'none');
select symbol, metric, value from plumbline.plumbline.leaves where symbol = 'FIL';`
        ],
        [
          "js (icebird)",
          `import { icebergRead } from "icebird"

const rows = await icebergRead({ tableUrl: "${baseUrl}/v1/archive/iceberg" })`
        ]
      ]
    },
    {
      tool: "Python",
      explanation: "The client verifies what it reads, follows the pages, and gives flat rows.",
      blocks: [
        [
          "python",
          `from plumbline_client import Plumbline

plumbline = Plumbline("${baseUrl}")
rows = plumbline.rows("/v1/history", network="FIL,SC", metric="active_storage_providers", days=30)
print(len(rows), sorted({row["symbol"] for row in rows}))`
        ]
      ]
    },
    {
      tool: "pandas",
      explanation: "From the client's rows, or straight from the CSV.",
      blocks: [
        [
          "python (pandas)",
          `import pandas as pd

frame = pd.read_csv("${history}", parse_dates=["date"])
print(frame.pivot(index="date", columns="symbol", values="value"))`
        ]
      ]
    },
    {
      tool: "R",
      explanation: "Base R reads the URL.",
      blocks: [
        [
          "r",
          `days <- read.csv("${history}", na.strings = "")
days$date <- as.Date(days$date)
aggregate(value ~ symbol, data = days, FUN = median)`
        ]
      ]
    },
    {
      tool: "Google Sheets",
      explanation: "The table, in the cells below and beside the formula.",
      blocks: [["text", `=IMPORTDATA("${history}")`]]
    },
    {
      tool: "LibreOffice",
      explanation:
        "It has no `IMPORTDATA`: File, Open takes the URL as the name of a file. From a shell the table becomes a file of a spreadsheet, " +
        "`history.xlsx`.",
      blocks: [
        ["text", history],
        [
          "sh (libreoffice)",
          `soffice --headless --infilter='Text - txt - csv (StarCalc):44,34,76' --convert-to xlsx '${history}'`
        ]
      ]
    },
    {
      tool: "Excel",
      explanation: "Data, From Web, and this URL; or in the advanced editor of Power Query the text below.",
      blocks: [
        [
          "m",
          `let
  Days = Csv.Document(Web.Contents("${history}"), [Delimiter = ",", Encoding = 65001]),
  Named = Table.PromoteHeaders(Days)
in
  Table.TransformColumnTypes(Named, {{"date", type date}, {"value", type number}}, "en-US")`
        ]
      ]
    },
    {
      tool: "Grafana",
      explanation:
        "With the Infinity data source: type CSV, source URL, the URL below, and the columns `date` (time), `symbol` (text) and " +
        "`value` (number). To send a key, add the header `X-API-Key` to the data source and allow this host. `runtime/deploy/infinity.json` " +
        "is a dashboard of it.",
      blocks: [["text", history]]
    },
    {
      tool: "dbt",
      explanation:
        "With dbt-duckdb and its extension `httpfs`: the archive as a source, one file for each day.",
      blocks: [
        [
          "yaml",
          `sources:
  - name: plumbline
    meta:
      external_location: "${days}/{name}.parquet"
    tables:
      - name: "${day}"`
        ],
        ["sql (dbt)", `select symbol, metric, value from {{ source('plumbline', '${day}') }}`]
      ]
    }
  ]
}

/** HTML of the page's body. */
export const recipesPage = (baseUrl: string, now: number): string => {
  const all = recipes(baseUrl, now)
  return columns(
    "/docs/recipes",
    [
      row(`<h1>Recipes</h1>
<p>Without a key you can read 30 days of history. A key of a higher tier goes in the header <code>X-API-Key</code>. The
tests of Plumbline run the commands for curl, DuckDB, icebird, LibreOffice, Python, pandas and R. What Google Sheets and Grafana read, they read by the
rules of CSV, and they run neither these nor Excel, dbt or an engine with PyIceberg: none of them is available where the tests run.</p>`),
      ...all.map(({ blocks, explanation, tool }) =>
        row(
          `<h2>${escapeXml(tool)}</h2><p>${prose(explanation)}</p>`,
          blocks.map(([language, text]) => block(text, language)).join("\n"),
          anchor(tool)
        )
      )
    ].join("\n"),
    all.map(({ tool }) => ({ id: anchor(tool), text: escapeXml(tool) }))
  )
}
