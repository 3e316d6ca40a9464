import { describe } from "vitest";
import { engineContract } from "../../search/engine-contract.ts";
import { isWithoutCluster, testEngine, withAlias } from "./support/test-engine.ts";

describe.skipIf(isWithoutCluster)("on three nodes", () => {
  engineContract("OpenSearch", (use) => withAlias((alias) => use(() => testEngine({ alias }))));
});
