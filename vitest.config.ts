import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "node_modules/**"],
    globalSetup: ["test/support/build-once.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Most of the slow ones wait for the disk.
    maxWorkers: "100%",
  },
};

export default config;
