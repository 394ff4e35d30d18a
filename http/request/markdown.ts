/** Whether a caller would rather have Markdown, which some answers come in beside JSON. */

export const markdownType = "text/markdown"

/** The quality that an `Accept` header gives to a media type, by exact name only. */
const quality = (accept: string, type: string): number => {
  for (const part of accept.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim())
    if (name !== type) continue
    const q = parameters.find((word) => word.startsWith("q="))
    return q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return 0
}

/** By the `Accept` header of a request. */
export const wantsMarkdown = (accept: string | undefined): boolean => {
  if (accept === undefined || accept === "*/*") return false
  const lower = accept.toLowerCase()
  return lower.includes(markdownType) && quality(lower, markdownType) > quality(lower, "application/json")
}
