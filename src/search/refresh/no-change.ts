/** What a refresh says that had nothing to do. */
export const NO_CHANGE = { read: 0, removed: 0, stale: 0, bytes: 0, rebuilt: null };
