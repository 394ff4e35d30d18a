/**
 * How others run the verifier: in a checkout of their own. Outside of one, `npx` would install a stranger's package of the
 * same name; with `--no` it refuses.
 */
export const verifier = "npx --no plumbline verify"
