/** How often a worker process says that it lives. */
export const PRESENCE_REFRESH_MS = 2_000;
/** An owner not heard of for this long has lost its work: four refreshes. */
export const OWNER_SILENT_MS = 8_000;
/** How long a silent worker stays listed. */
export const PRESENCE_KEPT_MS = 60_000;
