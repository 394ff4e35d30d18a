/** The documentation: one language for all samples, and forms that send the requests. */
import type { Tried } from "../../description/requests.ts"
import { rememberLanguage } from "./parts/docs/language.ts"
import { enableTrying } from "./parts/docs/tryIt.ts"
import "./page.ts"

rememberLanguage()

const data = document.querySelector("#requests")?.textContent
if (data != null) enableTrying(JSON.parse(data) as Tried)
