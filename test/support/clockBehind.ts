/**
 * Preloaded (`NODE_OPTIONS=--import`) into a process whose clock is to be five seconds behind: that of its main thread. The
 * collector's thread keeps its own, because it does not get the environment.
 */
const behind = 5000
const RealDate = Date

class LateDate extends RealDate {
  constructor(...args: ReadonlyArray<unknown>) {
    super(...((args.length === 0 ? [LateDate.now()] : args) as [number]))
  }
  static override now(): number {
    return RealDate.now() - behind
  }
}
Object.assign(globalThis, { Date: LateDate })
