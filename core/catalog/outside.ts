/**
 * What plugins from elsewhere add to the catalog: their networks, and what their hosts allow. The process that finds them says so before
 * the catalog is read; its threads have it from there.
 */
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"

export interface Added {
  /** Lines as they are in the plugins' files; whoever reads them checks them. */
  readonly networks: ReadonlyArray<unknown>
  readonly hosts: ReadonlyArray<unknown>
}

const place = "core/catalog/outside"

/** Of this process; nothing where no plugin from elsewhere is loaded. */
export const added = (): Added =>
  (getEnvironmentData(place) as Added | undefined) ?? { networks: [], hosts: [] }

/** Has no effect on a catalog that was read before. */
export const add = (lines: Added): void =>
  setEnvironmentData(place, lines as Parameters<typeof setEnvironmentData>[1])
