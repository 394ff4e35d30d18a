/** Figures that stand in more than one place, read from pages and answers of a service, each with every place that has it. */

/** Reads a page or an answer. */
export type Read = (path: string) => Promise<string>

/** By the name of a figure, its text in each place; a place without it has `undefined`. */
export type Places = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>

interface SymbolFigures {
  readonly symbol: string
  readonly name: string
  /** Whose ranking by the headline has the network; undefined where no other network of its category is measured so. */
  readonly category?: string
  /** The metric that stands for it. */
  readonly headline: string
}

const json = async (read: Read, path: string) => JSON.parse(await read(path))

/** What stands in the first group of a form. */
const match = (page: string, form: RegExp): string | undefined => form.exec(page)?.[1]?.replaceAll(",", "")

const words = (markup: string | undefined): string | undefined =>
  markup
    ?.replace(/<[^>]*>/g, "")
    .replaceAll("&nbsp;", " ")
    .trim()

/** The row of a table that has an attribute. */
const rowWith = (page: string, attribute: string): string =>
  new RegExp(`<tr[^>]* ${attribute}[^>]*>[\\s\\S]*?</tr>`).exec(page)?.[0] ?? ""

/** The exact number in a part of a page. */
const exact = (part: string): string | undefined => match(part, /<data value="([^"]+)"/)

const counts = async (read: Read): Promise<Places> => {
  const [home, coverage, log, trust, status, world, brief] = await Promise.all(
    ["/networks", "/coverage", "/log", "/trust", "/status", "/world", "/brief"].map(read)
  )
  const pages = { home, coverage, log, trust, status, world, brief }
  const attestations = await json(read, "/v1/attestations?limit=1")
  const [batch] = attestations.attestations
  const day = await read(`/log/${batch.day}`)
  const catalog = await json(read, "/v1/networks?limit=1")
  const symbols = await json(read, "/v1/symbols?limit=1")
  const counted = (id: string) =>
    match(coverage ?? "", new RegExp(`<tr id="${id}">[\\s\\S]*?<td class="n">([\\d,]+)<`))
  const tab = (title: string) => match(home ?? "", new RegExp(`>${title} <span class="quiet">([\\d,]+)<`))
  const sealed = batch.n_readings + batch.n_late + batch.n_revisions
  const onDay = (title: string) => match(day, new RegExp(`<dt>${title}</dt><dd>(?:<a[^>]*>)?([\\d,]+)`))
  const checkpoint = (await read("/v1/log/checkpoint")).split("\n")[1]
  return new Map([
    [
      "networks with telemetry of their own",
      new Map([
        ["/networks title", match(home ?? "", /<h1>Measured values of ([\d,]+) /)],
        ["/networks description", match(home ?? "", /content="Measured values of ([\d,]+) /)],
        ["/networks figures", match(home ?? "", /href="\/coverage#own">([\d,]+)</)],
        ["/networks tab", tab("own telemetry")],
        ["/coverage", counted("own")]
      ])
    ],
    [
      "networks",
      new Map([
        ["/networks tab", tab("Networks")],
        ["/ list", match(home ?? "", /class="totals"><span>([\d,]+) network/)],
        ["/coverage", counted("all-networks")]
      ])
    ],
    [
      "entries of the catalog",
      new Map([
        ["/networks figures", match(home ?? "", /of ([\d,]+) in the catalog/)],
        ["/networks tab", tab("All")],
        ["/coverage", counted("catalog")],
        ["/v1/networks", String(catalog.n_networks)],
        ["/v1/symbols", symbols.n_symbols === undefined ? counted("catalog") : String(symbols.n_symbols)]
      ])
    ],
    [
      "live series",
      new Map([
        ["/networks figures", match(home ?? "", /href="\/coverage#series">([\d,]+)</)],
        ["/coverage", counted("series")]
      ])
    ],
    [
      "values sealed",
      new Map([
        ["/networks figures", match(home ?? "", /([\d,]+) values sealed/)],
        [
          "/log of the day",
          String(["Readings", "Late", "Revised"].reduce((sum, it) => sum + Number(onDay(it)), 0))
        ],
        ["/v1/attestations", String(sealed)]
      ])
    ],
    [
      "leaves",
      new Map([
        ["/log", match(rowWith(log ?? "", `data-day="${batch.day}"`), /data-label="leaves">([\d,]+)</)],
        ["/log of the day", onDay("Leaves")],
        ["/v1/attestations", String(batch.tree_size)],
        ["values and the list of absences", String(sealed + 1)]
      ])
    ],
    [
      "absent series",
      new Map([
        ["/log of the day", onDay("Absent")],
        ["/v1/attestations", String(batch.n_absent)]
      ])
    ],
    [
      "entries of the log",
      new Map([
        ...Object.entries(pages).map(
          ([name, page]) => [name, match(page ?? "", /href="\/log">([\d,]+) entr/)] as const
        ),
        ["/trust", match(trust ?? "", /<dt>Newest .*?<\/dt><dd>([\d,]+)/)] as const,
        ["/v1/log/checkpoint", checkpoint] as const,
        ["/v1/attestations", String(attestations.log_size)] as const
      ])
    ],
    [
      "last closed day",
      new Map(
        Object.entries(pages).map(
          ([name, page]) =>
            [name, match(page ?? "", /<dt>Last closed day<\/dt><dd><a href="\/log\/([\d-]+)"/)] as const
        )
      )
    ]
  ])
}

const figuresOf = async (
  read: Read,
  { category, headline, name, symbol }: SymbolFigures
): Promise<Places> => {
  const [home, market, network, metric, compare] = await Promise.all(
    [
      `/networks?q=${symbol}&show=all`,
      `/networks?q=${symbol}&show=all&columns=market`,
      `/network/${symbol}`,
      `/network/${symbol}/${headline}`,
      `/compare?a=${symbol}/${headline}`
    ].map(read)
  )
  const ranking = category === undefined ? undefined : await read(`/category/${category}?metric=${headline}`)
  const rows: ReadonlyArray<{ metric: string; source: string; value: number }> = await json(
    read,
    `/v1/network/${symbol}`
  )
  const [listed] = await json(read, `/v1/market?symbols=${symbol}`)
  const row = rowWith(home ?? "", `data-symbol="${symbol}"`)
  const cell = (page: string, field: string) =>
    exact(
      new RegExp(`data-field="${field}"[\\s\\S]*?</td>`).exec(
        rowWith(page, `data-symbol="${symbol}"`)
      )?.[0] ?? ""
    )
  const big = (page: string) => exact(/class="big">[\s\S]*?<\/p>/.exec(page)?.[0] ?? "")
  const served = (priceMetric: string) => {
    const source = match(rowWith(network ?? "", `data-metric="${priceMetric}"`), /data-source="([^"]+)"/)
    return rows.find((one) => one.metric === priceMetric && one.source === source)?.value.toString()
  }
  const priced = async (priceMetric: string): Promise<ReadonlyMap<string, string | undefined>> =>
    new Map([
      ["/ supply columns", cell(home ?? "", priceMetric)],
      ["/ market columns", cell(market ?? "", priceMetric)],
      ["its page", exact(rowWith(network ?? "", `data-metric="${priceMetric}"`))],
      ["the metric's page", big(await read(`/network/${symbol}/${priceMetric}`))],
      ["/v1/network", served(priceMetric)],
      ["/v1/market", String(listed?.[priceMetric])]
    ])
  const history = await json(read, `/v1/history?network=${symbol}&metric=${headline}&days=30`)
  const series = history.data[symbol][headline]
  const sentence = words(match(metric ?? "", /class="readout" role="status">([\s\S]*?)<\/span>/))
  const inRow = words(/data-label="[^"]* to [^"]*">([\s\S]*?)<\/td>/.exec(row)?.[1])
  const beginningOf = (text: string | undefined) => text?.split(/ (?:from|in|on) /)[0]
  return new Map([
    [`price of ${name}`, await priced("price_usd")],
    [`market value of ${name}`, await priced("market_cap_usd")],
    [
      `${headline} of ${name}`,
      new Map([
        ["/networks", exact(row)],
        ["its page", big(network ?? "")],
        ["the metric's page", big(metric ?? "")],
        ...(ranking === undefined
          ? []
          : [["/category", exact(rowWith(ranking, `data-symbol="${symbol}"`))] as const]),
        ["/compare", exact(compare ?? "")],
        ["/v1/network", served(headline)]
      ])
    ],
    [
      `change of ${headline} of ${name}`,
      new Map([
        ["/networks", inRow],
        ["its page", beginningOf(words(match(network ?? "", /<p>((?:(?!<\/p>)[\s\S])*closed days\.)/)))],
        ["the metric's page", beginningOf(sentence)],
        [
          "/v1/history",
          series.change_pct === null
            ? undefined
            : `${series.change_pct > 0 ? "+" : series.change_pct < 0 ? "−" : "±"}${Math.abs(series.change_pct).toFixed(1)} %`
        ]
      ])
    ]
  ])
}

/** Reads a dozen pages and as many answers. */
export const samePlaces = async (read: Read, networks: ReadonlyArray<SymbolFigures>): Promise<Places> => {
  const all = [await counts(read)]
  for (const one of networks) all.push(await figuresOf(read, one))
  return new Map(all.flatMap((places) => [...places]))
}

/** The figures that are not the same everywhere, or that a place lacks, in words. */
export const different = (places: Places): ReadonlyArray<string> =>
  [...places].flatMap(([figure, of]) =>
    new Set(of.values()).size === 1 && ![...of.values()].includes(undefined)
      ? []
      : [`${figure}: ${[...of].map(([place, text]) => `${text} (${place})`).join(", ")}`]
  )
