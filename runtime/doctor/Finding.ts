/** What `plumbline doctor` found out about one thing. */
export interface Finding {
  /** What was looked at: `settings`, `service`, `database`, `keys`, `clock`, `disk`, `archive`, `reach`, `payments`. */
  readonly check: string
  /** `fail`: the service cannot do its work, or will soon not. `warn`: look at it. `skip`: could not be looked at. */
  readonly state: "ok" | "warn" | "fail" | "skip"
  readonly message: string
  /** What to do; absent if there is nothing to do. */
  readonly action?: string
}

export const findingFor =
  (check: string) =>
  (state: Finding["state"], message: string, action?: string): Finding => ({
    check,
    state,
    message,
    ...(action === undefined ? {} : { action })
  })
