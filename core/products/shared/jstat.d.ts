/** What we use of jstat, which ships no types. */
declare module "jstat" {
  const jstat: {
    /** The regularised incomplete beta function; false where x is outside of 0 to 1. */
    readonly ibeta: (x: number, a: number, b: number) => number | false
  }
  export default jstat
}
