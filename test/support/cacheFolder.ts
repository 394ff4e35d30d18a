import { tmpdir } from "node:os"

/** For what is made once on a machine and kept between the runs of the tests, whose temporary folder goes with the run. */
export const cacheFolder = process.env["KEPT_BETWEEN_RUNS"] ?? tmpdir()
