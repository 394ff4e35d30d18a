/** How it is made; `fields` are the metrics that it has. */
export const methodologyOf = (fields: ReadonlyArray<string>) => ({
  formula: "values[i] = the last accepted reading of UTC day dates[i], in its newest version",
  fields,
  rules: [
    "Days without a reading are absent, never interpolated. Readings excluded by an incident are left out, and so are zeros that a method states and nobody counted.",
    "By default the window is the last 30 closed days. With `days` it is that many days, today among them; from open_from on, days are not closed and can still change.",
    "Without network and metric, a window of more than 31 days has the headline metrics listed in fields, for every network; any other window has every metric."
  ]
})
