/** dynalite carries no types; this is the part that the local stage uses (dynalite 4.0.0). */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  type DynaliteOptions = {
    /** How long a new table stays CREATING, milliseconds. */
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
    /** Folder of the data; in memory when absent. */
    readonly path?: string;
  };

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
