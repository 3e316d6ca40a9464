import type { ViteUserConfig } from "vitest/config";

/** The opt-in suite over real logs; it fails where the logs are missing, so that it cannot pass on nothing. */
const config: ViteUserConfig = {
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/support/build-once.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "forks",
  },
};

export default config;
