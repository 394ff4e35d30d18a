/**
 * The fact that says, of the tables of a room, below which level code cannot use a database: the level's migration, or what was done
 * since, took away what that code reads. `runtime/database/migrate.ts` refuses by it.
 */
export const factOfLeast = (room: string): string => `schema_least:${room}`
