/** Rows as CSV (RFC 4180). */
const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")
