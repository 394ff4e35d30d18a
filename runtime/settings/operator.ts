/** Who runs the service, as the operator says it in the settings. */
import { Config, Schema } from "effect"
import type { OperatorDetails } from "../../http/Operator.ts"

const oneLine = (name: string, longest: number) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text) => text.trim() !== "" && text.length <= longest && !/[\r\n]/.test(text), {
        expected: `one line of at most ${longest} characters`
      })
    ),
    name
  )

const email = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text) => /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text) && text.length <= 254, {
        expected: "a mail address, e.g. data@example.com"
      })
    ),
    name
  )

/** RFC 9116 wants an address that begins with its scheme. */
const contact = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter(
        (text) => /^(?:https:\/\/[^\s"<>]+|mailto:[^\s@<>"]+@[^\s@<>"]+)$/.test(text) && URL.canParse(text),
        { expected: "an address that begins with https: or mailto:, e.g. mailto:security@example.com" }
      )
    ),
    name
  )

const page = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text) => /^https:\/\/[^\s"<>]+$/.test(text) && URL.canParse(text), {
        expected: "an address that begins with https:"
      })
    ),
    name
  )

const all = {
  name: oneLine("OPERATOR_NAME", 120),
  address: oneLine("OPERATOR_ADDRESS", 300),
  law: oneLine("OPERATOR_LAW", 120),
  email: email("CONTACT_EMAIL"),
  security: contact("SECURITY_CONTACT"),
  salesUrl: page("SALES_URL"),
  termsUrl: page("TERMS_URL"),
  keyUrl: page("KEY_URL")
}

/** Only what is set. */
export const operatorConfig: Config.Config<OperatorDetails> = Config.all(
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, Config.option(one)]))
).pipe(
  Config.map((values) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (value._tag === "Some" ? [[name, value.value]] : []))
    )
  )
)
