import type { ViteUserConfig } from "vitest/config";

/** Killed processes, dying disks and races between processes: minutes of them. */
const crash = [
  "test/crash/**/*.test.ts",
  "test/**/*-crash.test.ts",
  "test/search/paged/index-processes.test.ts",
];
/** Over real logs; it fails where the logs are missing, so that it cannot pass on nothing. */
const real = ["test/real/**/*.test.ts"];
/** With the agents themselves, which it installs. */
const agents = ["test/real-agents/**/*.test.ts"];

/** With real servers on this machine, S3 and OpenSearch; skipped aloud if they can't be started. */
const remote = ["test/remote/**/*.test.ts"];
/** Those of them that need a cluster of OpenSearch. */
const cluster = ["test/remote/opensearch/**/*.test.ts"];

/** In a real browser; skipped aloud if there is none. */
const browser = ["test/browser/**/*.test.ts"];

const shared = {
  globalSetup: "test/support/build-once.ts",
  pool: "forks",
  // Most of the slow ones wait for the disk.
  maxWorkers: "100%",
  // Only what hangs takes so long, however busy the machine is.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
} as const;

const config: ViteUserConfig = {
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["node_modules/**", ...crash, ...real, ...agents, ...browser, ...remote],
          // The files of a worker share its process and its modules: loading them again took a third of the run.
          isolate: false,
          restoreMocks: true,
        },
      },
      {
        test: { ...shared, name: "crash", include: crash },
      },
      {
        test: { ...shared, name: "real", include: real },
      },
      {
        test: { ...shared, name: "browser", include: browser },
      },
      {
        test: {
          ...shared,
          name: "remote",
          include: remote,
          exclude: ["node_modules/**", ...cluster],
        },
      },
      {
        test: {
          ...shared,
          name: "cluster",
          include: cluster,
          globalSetup: [shared.globalSetup, "test/remote/opensearch/support/start-cluster.ts"],
          // All of them ask the same three nodes, and one kills its own.
          fileParallelism: false,
        },
      },
      {
        test: {
          ...shared,
          name: "agents",
          include: agents,
          globalSetup: [shared.globalSetup, "test/real-agents/support/install-agents.ts"],
        },
      },
    ],
  },
};

export default config;
