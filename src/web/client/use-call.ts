import { useEffect, useState } from "preact/hooks";
import type { CoverageLine } from "../server/answers.ts";
import { CallError, get, isAborted } from "./api.ts";

/** The answer of a call; the caller decides what to show until it arrives. */
export type Called<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "answer"; readonly answer: T }
  | { readonly kind: "failed"; readonly error: CallError };

/** Changes when the index has something new; undefined while that is checked for the first time. */
export type IndexVersion = string | undefined;

/** The version of the index that an answer was based on, to compare with the present one. */
export function versionOf(coverage: CoverageLine): string {
  return JSON.stringify(coverage);
}

/**
 * Makes a call once `version` is known, and again if it or the values change; the old answer stays until the new one
 * arrives.
 */
export function useCall<T>(
  call: string,
  values: Readonly<Record<string, string | number>>,
  version: IndexVersion,
): Called<T> {
  const [called, setCalled] = useState<Called<T>>({ kind: "loading" });
  useEffect(() => {
    if (version === undefined) return undefined;
    const controller = new AbortController();
    get<T>(call, values, controller.signal).then(
      (answer) => setCalled({ kind: "answer", answer }),
      (error: unknown) => {
        if (isAborted(error)) return;
        const shown = error instanceof CallError ? error : new CallError(String(error), null, 0);
        setCalled({ kind: "failed", error: shown });
      },
    );
    return () => controller.abort();
  }, [call, JSON.stringify(values), version]);
  return called;
}
