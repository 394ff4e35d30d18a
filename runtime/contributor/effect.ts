/** What code of a plugin from elsewhere imports as `@plumbline/plugin/effect`: the same modules that the shapes are made of. */
export * from "effect"
