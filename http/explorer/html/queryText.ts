/** Name and value of each parameter as the text of a query, in the form that every link to a page has. */
export const queryText = (parameters: ReadonlyArray<readonly [name: string, value: string]>): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))
    .toString()
    .replaceAll("%2F", "/")
