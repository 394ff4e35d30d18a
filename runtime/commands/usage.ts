import { Schema } from "effect"

/** A command that can not be carried out as given; the message says what to give instead. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}
