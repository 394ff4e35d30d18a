/**
 * Callbacks that Node calls and no fiber does: of timers, events and messages. What one throws would end the process, whose
 * other callers it does not concern. The lint asks for this helper wherever such a callback is given away.
 */

/**
 * The same callback, but what it throws or rejects with becomes a warning of Node, which the service logs. `onFault` then
 * releases what the callback was about, such as a connection that would otherwise wait forever.
 */
export const guarded =
  <A extends ReadonlyArray<unknown>>(
    what: string,
    callback: (...args: A) => unknown,
    onFault: (...args: A) => unknown = () => {}
  ): ((...args: A) => void) =>
  (...args) => {
    const fail = (error: unknown) => {
      warn(what, error)
      try {
        onFault(...args)
      } catch (again) {
        warn(what, again)
      }
    }
    try {
      const outcome = callback(...args)
      if (outcome instanceof Promise) outcome.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

/** How Node names the warning. */
export const callbackFailed = "CallbackFailed"

const warn = (what: string, error: unknown): void =>
  process.emitWarning(`${what} failed: ${error instanceof Error ? error.message : String(error)}`, {
    type: callbackFailed,
    ...(error instanceof Error && error.stack !== undefined ? { detail: error.stack } : {})
  })
