/** `flatten` moves results that are larger than this, unless the caller says otherwise. */
export const FLATTEN_MIN_BYTES = 1024;
