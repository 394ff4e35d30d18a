/** Ids of runs (UUID version 7) that sort by the order of the runs, even when another machine's clock made the last one. */

/** Hex digits of the milliseconds that a UUID begins with. */
const digits = 12

const millisOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, digits), 16)

/** `id`, moved forward in time if it does not come after `last`. */
export const after = (last: string | undefined, id: string): string => {
  if (last === undefined || id > last) return id
  const time = (millisOf(last) + 1).toString(16).padStart(digits, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`
}
