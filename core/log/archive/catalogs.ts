/** Where other programs read what the archive is. */
import { archivePath } from "../../proof/archive.ts"
import type { ArchiveIndex } from "../../wire/log/archive.ts"

/** Where engines attach the table by Iceberg's own protocol. */
export const restCatalogPath = "/iceberg"

export const catalogs = {
  iceberg: `${archivePath}/iceberg`,
  duckdb: `${archivePath}/duckdb.sql`,
  croissant: `${archivePath}/croissant.json`
} as const satisfies ArchiveIndex["catalogs"]
