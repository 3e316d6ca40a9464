import type { TestProject } from "vitest/node";
import { installCluster, startCluster } from "./cluster.ts";

/** The cluster that the tests share, or why there is none. */
export type ProvidedCluster =
  | { readonly kind: "running"; readonly urls: readonly string[]; readonly installed: string }
  | { readonly kind: "missing"; readonly why: string };

declare module "vitest" {
  export interface ProvidedContext {
    readonly cluster: ProvidedCluster;
  }
}

/** vitest's global set-up: three nodes of OpenSearch on loopback. Without Java or Maven it says so, and tests are skipped. */
export default async function provideCluster(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const installed = installCluster();
  if (installed.kind === "missing") {
    console.warn(`The tests with OpenSearch are skipped: ${installed.why}`);
    project.provide("cluster", installed);
    return undefined;
  }
  // The disk of whoever runs this may be fuller than a cluster likes; one test has its own cluster for that.
  const settings = ["cluster.routing.allocation.disk.threshold_enabled=false"];
  const cluster = await startCluster(installed, { settings });
  project.provide("cluster", { kind: "running", urls: cluster.urls, installed: installed.folder });
  return () => cluster.stop();
}
