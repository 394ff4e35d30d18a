/** Sends a request, and reads at most a part of the answer: some are files, and one has no end. */

/** Bytes that are read. */
const mostBytes = 200_000

/** How long an answer is read, in milliseconds. */
const longest = 10_000

export interface Came {
  readonly status: number
  readonly headers: Headers
  /** What was read as text; absent of an answer that is none. */
  readonly text?: string
  readonly bytes: number
  /** False where reading stopped before the end. */
  readonly isWhole: boolean
}

const isText = (type: string): boolean => /^text\/|json|xml/.test(type)

const readSome = async (
  body: ReadableStream<Uint8Array>
): Promise<Pick<Came, "bytes" | "isWhole" | "text">> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let isWhole = true
  const stop = () => {
    isWhole = false
    void reader.cancel()
  }
  const timer = setTimeout(stop, longest)
  let bytes = 0
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      text += decoder.decode(value, { stream: true })
      if (bytes > mostBytes) {
        stop()
        break
      }
    }
  } finally {
    clearTimeout(timer)
  }
  return { bytes, isWhole, text: text + decoder.decode() }
}

/** Rejects where there is no answer at all. */
export const ask = async (target: string, init: RequestInit): Promise<Came> => {
  const response = await fetch(target, { ...init, credentials: "omit", redirect: "error" })
  const { body, headers, status } = response
  if (body === null) return { status, headers, text: "", bytes: 0, isWhole: true }
  if (isText(headers.get("content-type") ?? "")) return { status, headers, ...(await readSome(body)) }
  await body.cancel()
  return { status, headers, bytes: Number(headers.get("content-length") ?? 0), isWhole: false }
}
