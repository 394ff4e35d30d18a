/** JSON inside of a script element, which ends at `</script`. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c")
