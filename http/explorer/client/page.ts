/** What every page with a script has: the search list, ages that stay current, and an alarm that was raised before. */
import { keepAges } from "./parts/ages.ts"
import { raiseStoredContradictions } from "./parts/alarm.ts"
import { enhanceSearch } from "./parts/search.ts"
// Takes the policy of this site before another script could.
import "./parts/trusted.ts"

enhanceSearch()
keepAges()
raiseStoredContradictions()
